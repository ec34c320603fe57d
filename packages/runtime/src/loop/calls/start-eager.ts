import type { ToolCall } from '@modelport/core'
import { copyJson } from '../../base/copy-json.js'
import { toDecision } from '../../policy/authorize.js'
import type { PlannedCall } from '../../reply/read-reply.js'
import { refuseArguments } from '../../tools/argument-check.js'
import { Asking } from '../../tools/asking.js'
import type { Tool } from '../../tools/tool.js'
import { callTool } from '../../tools/tool-run.js'
import { signatureOf } from '../guards/repeat-guard.js'
import type { EagerCall, EagerResult } from '../state/eager-calls.js'
import type { Uses } from '../state/run-state.js'
import { askPolicy, authorizeOf } from './permission.js'
import { toStepCall } from './step-call.js'

/** The parts of a run that a call uses before its reply is whole. */
type EagerParts = Uses<
  'request' | 'control' | 'tools' | 'conversation' | 'guards' | 'meter' | 'storage' | 'turn'
>

/**
 * Starts a call that is complete in the stream, if its tool is eager. Never throws: what is wrong
 * with a call is found when the reply is whole.
 */
export function startEager(state: EagerParts, call: ToolCall): void {
  const { tools, guards, request } = state
  const index = tools.eager.nextIndex(request.limits.concurrency)
  const tool = tools.own.find(({ definition }) => definition.name === call.name)
  if (index === undefined || !tool?.eager || !tool.readOnly || refuseArguments(call) !== undefined)
    return
  const action = { type: 'tool_call', tool: call.name, args: call.arguments } as const
  const signature = signatureOf(action)
  if (tools.eager.includes(signature) || guards.repeats.repeats(action)) return
  tools.eager.add(call.id, signature, (started) =>
    run(state, { call, action }, index, tool, started),
  )
}

async function run(
  state: EagerParts,
  planned: PlannedCall,
  index: number,
  tool: Tool,
  started: EagerCall,
): Promise<EagerResult> {
  const { tools, meter, turn } = state
  const { call } = planned
  const { id, arguments: args } = call
  const { signal } = started.controller
  if (authorizeOf(state)) {
    const asked = askPolicy(state, planned)
    tools.eager.ask(id, asked)
    const decision = toDecision(await asked)
    if (decision.effect !== 'allow' || decision.arguments) return undefined
  }
  const checked = await tool.validate(copyJson(args))
  if (!checked.ok || signal.aborted) return undefined
  tools.eager.count(meter.ledger, id, started)
  const progress = (value: unknown): void => started.progress?.(value)
  const { run: context } = toStepCall(state, planned, index, tool, undefined)
  // A question is asked when the reply is whole, by executing the call again: it changes nothing.
  const asking = new Asking(call.name, [])
  const given = {
    callId: id,
    step: turn.step,
    signal,
    run: context,
    progress,
    ask: asking.ask,
    answers: [],
  }
  try {
    // A call that changes nothing, before its reply is whole.
    const value = await callTool(tool, checked.value, given)
    return asking.open ? undefined : { value }
  } catch (error) {
    if (asking.open) return undefined
    throw error
  }
}
