import type { JsonObject } from '@modelport/core'
import { remainingMsOf } from '../../budget/budget.js'
import type { JournalEntryFields, RunIntent } from '../../journal/journal-entry.js'
import type { AgentCallAction } from '../../reply/action.js'
import { toDelegationCall } from '../../reply/delegation.js'
import type { PlannedCall } from '../../reply/read-reply.js'
import type { EffectDeclaration } from '../../tools/reconcile.js'
import type { RunContext } from '../../tools/run-context.js'
import type { Tool } from '../../tools/tool.js'
import type { Intention } from '../guards/intentions.js'
import type { Uses } from '../state/run-state.js'
import type { Verdict } from './permission.js'

/** A call that may run. */
export interface StepCall extends PlannedCall {
  readonly index: number
  readonly key: string
  readonly kind: 'tool' | 'agent'
  /** How to handle the call if nobody knows whether it was executed. */
  readonly effect: 'read-only' | 'idempotent' | 'once'
  /** What the model wants with it; undefined for a call that changes nothing. */
  readonly intention: Intention | undefined
  /** True if a person decides as soon as nobody knows whether it was executed. */
  readonly needsPerson: boolean
  /** True if its receiver is asked first, and a person if that may know later. */
  readonly asksReceiver: boolean
  readonly run: RunContext
  readonly tool: Tool | undefined
  /** True if the arguments are not those the model gave. */
  readonly isChanged: boolean
  /** How often it was sent in this process. */
  sends: number
  /** True if an engine knows of a try in a process that is gone. */
  wasTried: boolean
}

/** What is written before a call is made. */
export const intentOf = ({
  kind,
  call,
  action,
  run: { idempotencyKey },
  effect,
}: StepCall): CallIntent => ({
  entry: 'intent',
  kind,
  callId: call.id,
  action,
  idempotencyKey,
  effect,
})

type CallIntent = Omit<Extract<RunIntent, { kind: 'tool' | 'agent' }>, keyof JournalEntryFields>

type Permission = Extract<Verdict, { effect: 'allow' }>

/** How a tool or an agent behaves when a call may have been executed already. */
export function declarationOf(
  state: Uses<'request'>,
  { action }: PlannedCall,
  tool: Tool | undefined,
): EffectDeclaration<never> | undefined {
  if (action.type !== 'agent_call') return tool
  return state.request.agents?.find(({ name }) => name === action.agent)
}

/** The call as it will be executed. */
export function toStepCall(
  state: Uses<'request' | 'meter' | 'storage' | 'turn'>,
  planned: PlannedCall,
  index: number,
  tool: Tool | undefined,
  intention: Intention | undefined,
  permission: Permission = { effect: 'allow' },
): StepCall {
  const { arguments: changed, approved } = permission
  const { action, call } = changed ? withArguments(planned, changed) : planned
  const kind = action.type === 'agent_call' ? 'agent' : 'tool'
  const declared = declarationOf(state, planned, tool)
  const effect = declared?.readOnly ? 'read-only' : declared?.idempotent ? 'idempotent' : 'once'
  return {
    action,
    call,
    index,
    key: state.storage.log.keyOf(kind, index),
    kind,
    effect,
    intention,
    needsPerson: declared?.once === true || approved === true,
    asksReceiver: declared?.reconcile !== undefined,
    run: runContextOf(state, call, index, intention),
    tool,
    isChanged: changed !== undefined,
    sends: 0,
    wasTried: false,
  }
}

function runContextOf(
  { request, turn, meter }: Uses<'request' | 'meter' | 'turn'>,
  { name, id: callId }: Pick<PlannedCall['call'], 'name' | 'id'>,
  index: number,
  intention: Intention | undefined,
): RunContext {
  const { keyPrefix = request.runId, sessionId, traceId, webhook } = request.durable.scope ?? {}
  const { step } = turn
  const runtimeMs = remainingMsOf(meter.ledger)
  const effect = intention ? `${name}/${intention.digest}/${intention.ordinal}` : `${step}/${index}`
  return {
    ...(sessionId !== undefined && { sessionId }),
    ...(traceId !== undefined && { traceId }),
    runId: request.runId,
    ...(request.context !== undefined && { context: request.context }),
    ...(runtimeMs !== Infinity && { deadline: Date.now() + runtimeMs }),
    idempotencyKey: `${keyPrefix}/${effect}`,
    ...(webhook && { webhook: () => webhook({ callId, step }) }),
  }
}

function withArguments({ action, call }: PlannedCall, args: JsonObject): PlannedCall {
  if (action.type === 'tool_call')
    return {
      action: { ...action, args },
      call: { ...call, arguments: args, argumentsText: JSON.stringify(args) },
    }
  const { prompt = '' } = args
  // A prompt that is not a text becomes a blank one, which the agent's tool refuses.
  const changed: AgentCallAction =
    action.action === 'tool_call'
      ? { ...action, args }
      : { ...action, prompt: typeof prompt === 'string' ? prompt : '' }
  return { action: changed, call: toDelegationCall(changed, call.id) }
}
