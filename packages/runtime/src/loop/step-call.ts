import type { JsonObject } from '@modelport/core'
import { remainingMsOf } from '../budget/budget.js'
import type { AgentCallAction } from '../reply/action.js'
import { toDelegationCall } from '../reply/delegation.js'
import type { PlannedCall } from '../reply/read-reply.js'
import type { EffectDeclaration } from '../tools/reconcile.js'
import type { RunContext } from '../tools/run-context.js'
import type { Tool } from '../tools/tool.js'
import type { RunState } from './run-state.js'

/** A call that may run. */
export interface StepCall extends PlannedCall {
  readonly index: number
  readonly key: string
  readonly kind: 'tool' | 'agent'
  /** How to handle the call if nobody knows whether it was executed. */
  readonly effect: 'read-only' | 'idempotent' | 'once'
  readonly run: RunContext
  readonly tool: Tool | undefined
  /** True if the arguments are not those the model gave. */
  readonly isChanged: boolean
  /** True once it is recorded as started. */
  isStarted: boolean
}

/** The call as it will be executed. */
export function toStepCall(
  state: RunState,
  planned: PlannedCall,
  index: number,
  tool: Tool | undefined,
  changed: JsonObject | undefined,
): StepCall {
  const { action, call } = changed ? withArguments(planned, changed) : planned
  const kind = action.type === 'agent_call' ? 'agent' : 'tool'
  const declared: EffectDeclaration<never> | undefined =
    action.type === 'agent_call'
      ? state.request.agents?.find(({ name }) => name === action.agent)
      : tool
  return {
    action,
    call,
    index,
    key: state.log.keyOf(kind, index),
    kind,
    effect: declared?.readOnly ? 'read-only' : declared?.idempotent ? 'idempotent' : 'once',
    run: runContextOf(state, index),
    tool,
    isChanged: changed !== undefined,
    isStarted: false,
  }
}

function runContextOf(
  { runId, step, durable, ledger, request }: RunState,
  index: number,
): RunContext {
  const { keyPrefix = runId, sessionId, traceId } = durable.scope ?? {}
  const runtimeMs = remainingMsOf(ledger)
  return {
    ...(sessionId !== undefined && { sessionId }),
    ...(traceId !== undefined && { traceId }),
    runId,
    ...(request.context !== undefined && { context: request.context }),
    ...(runtimeMs !== Infinity && { deadline: Date.now() + runtimeMs }),
    idempotencyKey: `${keyPrefix}/${step}/${index}`,
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
