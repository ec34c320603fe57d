import { toSnake } from '@modelport/core/text'
import type { AgentCallAction, BudgetDecision, RunEvent, ToolCallAction } from '@modelport/runtime'

/** An event in its wire form: plain JSON with snake_case names. */
export type WireEvent = Readonly<Record<string, unknown>>

/** Fields that hold data of the application or the model: the names inside are theirs. */
const opaque = new Set(['args', 'result', 'payload', 'prompt', 'content', 'message'])

/**
 * The events of Protolink that stand for this one, in order: plain JSON, with Protolink's names and
 * fields. None for an event that Protolink does not know. Arguments, results and actions stay as
 * they are; what JSON cannot express in them is described. docs/runtime.md has the table.
 */
export function toWireEvents(event: RunEvent): readonly WireEvent[] {
  const { runId, step } = event
  return describe(event).map(
    ({ type, ...fields }) => rename({ type, ...fields, runId, step }) as WireEvent,
  )
}

/** A wire event before its names are changed. */
type Draft = Readonly<Record<string, unknown>> & { readonly type: string }

/** The fields of an event that are its own. */
function describe(event: RunEvent): readonly Draft[] {
  const { seq: _seq, at: _at, runId: _runId, step: _step, ...own } = event
  switch (own.type) {
    case 'context-prepared': {
      const { provider, model, manifest, context } = own
      return [
        { type: 'context_prepared', manifest },
        { type: 'llm_context', provider, model, manifest, context },
      ]
    }
    case 'text-delta':
    case 'reasoning-delta':
      return [
        {
          type: 'llm_chunk',
          content: own.text,
          kind: own.type === 'text-delta' ? 'text' : 'reasoning',
        },
      ]
    case 'mode-changed':
    case 'tool-call-delta':
    case 'output-partial':
    case 'tool-progress':
    case 'run-suspended':
    case 'run-limited':
      return []
    case 'model-call-end':
      return describeCallEnd(own)
    case 'model-retry':
      return [{ ...own, type: 'llm_retry', reason: 'transient_error' }]
    case 'action-requested': {
      const { actionId, action } = own
      return [
        { type: 'llm_action', action: action.type, payload: action },
        { type: 'action_requested', action: describeAction(actionId, action) },
      ]
    }
    case 'action-repeated':
      return [
        {
          type: 'llm_retry',
          reason: 'duplicate_action',
          action: own.action.type,
          payload: own.action,
        },
      ]
    case 'final':
      return [
        { type: 'llm_action', action: 'final', payload: own.action },
        { type: 'llm_final', content: own.action.content, final: true },
      ]
    case 'policy-decision': {
      const { actionId, reason } = own
      const effect = own.effect.replaceAll('-', '_')
      return [
        { type: 'policy_decision', actionId, decision: { effect, reason } },
        ...afterPolicy(own),
      ]
    }
    case 'approval-decision': {
      const { actionId, approved, reason } = own
      const denial = { type: 'action_denied', actionId, message: reason ?? 'approval was refused' }
      const decision = { approved, requestId: actionId, reason }
      return [{ type: 'approval_decision', actionId, decision }, ...(approved ? [] : [denial])]
    }
    // Protolink knows nothing of caches.
    case 'cache-break':
      return []
    case 'budget-decision':
      return [describeDecision(own.decision)]
    default:
      return [{ ...own, type: sameName[own.type] }]
  }
}

/** Limits that have another name in Protolink, and how many of ours are one of theirs. */
const limitNames: Readonly<
  Partial<Record<BudgetDecision['limit'], readonly [name: string, factor: number]>>
> = {
  maxCalls: ['max_llm_calls', 1],
  maxRuntimeMs: ['max_runtime_seconds', 1_000],
}

function describeDecision(decision: BudgetDecision): Draft {
  const { effect } = decision
  const [limitName, factor] = limitNames[decision.limit] ?? [toSnake(decision.limit), 1]
  const observed = decision.observed / factor
  const limit = decision.maximum / factor
  const message =
    effect === 'warn'
      ? `Run budget warning: ${limitName} observed ${observed} near limit ${limit}`
      : `Run budget exceeded: ${limitName} observed ${observed} > limit ${limit}`
  return {
    type: effect === 'warn' ? 'budget_warning' : 'budget_exceeded',
    decision: { effect, limitName, observed, limit, message },
  }
}

/** Events that keep their fields. */
const sameName = {
  'step-start': 'llm_step',
  'context-compacted': 'context_compacted',
  'model-call-start': 'llm_call_started',
  'model-error': 'llm_error',
  'reply-rejected': 'llm_parse_error',
  'tool-start': 'tool_start',
  'tool-result': 'tool_result',
  'tool-error': 'tool_error',
  'agent-call-start': 'agent_call_start',
  'agent-call-result': 'agent_call_result',
  'agent-call-error': 'agent_call_error',
} as const

type Own<Type extends RunEvent['type']> = Omit<
  Extract<RunEvent, { type: Type }>,
  'runId' | 'step' | 'seq' | 'at'
>

function afterPolicy({ actionId, effect, reason }: Own<'policy-decision'>): readonly Draft[] {
  if (effect === 'deny')
    return [{ type: 'action_denied', actionId, message: reason ?? 'the policy denies it' }]
  return effect === 'allow'
    ? []
    : [{ type: 'approval_required', actionId, request: { requestId: actionId, reason } }]
}

/** The concrete operation, as Protolink's `RunAction`. */
function describeAction(actionId: string, action: ToolCallAction | AgentCallAction): object {
  if (action.type === 'tool_call')
    return { actionId, kind: 'tool.call', name: action.tool, payload: { arguments: action.args } }
  const { agent, action: effect } = action
  const payload =
    action.action === 'infer'
      ? { prompt: action.prompt }
      : { tool: action.tool, arguments: action.args }
  return { actionId, kind: 'agent.call', name: agent, payload: { action: effect, ...payload } }
}

function describeCallEnd(own: Own<'model-call-end'>): readonly Draft[] {
  const { provider, model, attempt, streaming, native, metrics, text, finishReason, budget } = own
  const { latencyMs } = metrics
  return [
    { type: 'llm_call_metrics', ...metrics, provider, model, streaming, native },
    {
      type: 'llm_call_completed',
      provider,
      model,
      latencyMs,
      native,
      streaming,
      attempts: attempt,
      metrics,
      budget,
    },
    {
      type: 'llm_response',
      content: text,
      native,
      streaming,
      metrics,
      metadata: { finishReason, attempts: attempt, retryAttempts: Math.max(attempt - 1, 0) },
    },
  ]
}

function rename(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rename)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
      inner === undefined ? [] : [[toSnake(key), opaque.has(key) ? toPlain(inner) : rename(inner)]],
    ),
  )
}

function toPlain(value: unknown): unknown {
  try {
    const text = JSON.stringify(value) as string | undefined
    return text === undefined ? null : (JSON.parse(text) as unknown)
  } catch (error) {
    return `(not JSON: ${error instanceof Error ? error.message.slice(0, 200) : 'unknown error'})`
  }
}
