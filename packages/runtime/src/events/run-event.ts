import type { FinishReason } from '@modelport/core'
import type { Action } from '../reply/action.js'
import type { Approval } from '../loop/authorize.js'
import type { BudgetDecision } from '../budget/budget.js'
import type { CompactionResult } from '../history/compaction/request.js'
import type { ContextManifest } from '../history/manifest.js'
import type { CallMetrics } from '../loop/metrics.js'

/** What every event has. */
interface OfRun {
  readonly runId: string
  /** The step; the first is 1. */
  readonly step: number
}

/** What every event of one model call has. */
interface OfCall extends OfRun {
  /** {@link Provider.name} */
  readonly provider: string
  readonly model: string
}

/** What every event of one tool or agent call has. */
interface OfAction extends OfRun {
  /** Same in all events of one call; for a native call the id of the call. */
  readonly actionId: string
}

interface OfTool extends OfAction {
  readonly tool: string
  readonly args: unknown
}

interface OfAgent extends OfAction {
  readonly agent: string
  readonly action: 'tool_call' | 'infer'
}

/** Where a call failed: before it was executed, while it was, or because the run ended. */
export type FailurePhase = 'lookup' | 'validation' | 'authorization' | 'budget' | 'execution' | 'timeout' | 'cancelled'

/** Events of one model call. */
export type CallEvent =
  /** The conversation was made shorter before the call, or because the server refused it as too long. */
  | (OfRun & {
      readonly type: 'context_compacted'
      readonly reason: 'threshold' | 'context-length'
      readonly report: CompactionResult
    })
  /** The prompt is put together; nothing is sent yet. */
  | (OfRun & { readonly type: 'context_prepared'; readonly manifest: ContextManifest })
  | (OfCall & {
      readonly type: 'llm_context'
      readonly manifest: ContextManifest
      readonly context: CallMetrics['context']
    })
  | (OfCall & {
      readonly type: 'llm_call_started'
      readonly attempt: number
      readonly streaming: boolean
      readonly native: boolean
      readonly manifest: ContextManifest
    })
  /** A piece of what the model says, as it comes; in JSON mode a piece of the action's text. */
  | (OfRun & { readonly type: 'llm_chunk'; readonly content: string; readonly kind: 'text' | 'reasoning' })
  | (OfCall &
      CallMetrics & { readonly type: 'llm_call_metrics'; readonly streaming: boolean; readonly native: boolean })
  | (OfCall & {
      readonly type: 'llm_call_completed'
      readonly latencyMs: number
      readonly native: boolean
      readonly metrics: CallMetrics
    })
  | (OfRun & {
      readonly type: 'llm_response'
      readonly content: string
      readonly native: boolean
      readonly finishReason: FinishReason
    })
  /** The call failed, or was `cancelled` with the run; unless `recoverable`, the run ends with it. After one that is `recoverable` the run tries something else. */
  | (OfRun & {
      readonly type: 'llm_error'
      readonly message: string
      readonly code: string
      readonly recoverable: boolean
    })

/** Events of one decision of the model. */
export type ActionEvent =
  | (OfRun & { readonly type: 'llm_step' })
  | (OfRun & {
      readonly type: 'llm_parse_error'
      readonly message: string
      readonly recoverable: boolean
      readonly parseFailures: number
    })
  /** The call failed and is made again. */
  | (OfRun & {
      readonly type: 'llm_retry'
      readonly reason: 'transient_error'
      readonly attempt: number
      readonly nextAttempt: number
      readonly retryInSeconds: number
      readonly errorType: string
      readonly message: string
    })
  /** The action was executed before and is not executed again. */
  | (OfRun & {
      readonly type: 'llm_retry'
      readonly reason: 'duplicate_action'
      readonly action: Action['type']
      readonly payload: Action
    })
  | (OfRun & { readonly type: 'llm_action'; readonly action: Action['type']; readonly payload: Action })
  | (OfRun & { readonly type: 'llm_final'; readonly content: string; readonly final: true })
  | (OfAction & { readonly type: 'action_requested'; readonly action: Action['type']; readonly payload: Action })
  | (OfAction & {
      readonly type: 'policy_decision'
      readonly effect: 'allow' | 'deny' | 'require-approval'
      readonly reason?: string
    })
  | (OfAction & { readonly type: 'approval_required'; readonly reason?: string })
  | (OfAction & Approval & { readonly type: 'approval_decision' })
  | (OfAction & { readonly type: 'action_denied'; readonly reason: string })

/** Events of executed tools and agents. */
export type EffectEvent =
  | (OfTool & { readonly type: 'tool_start' })
  | (OfTool & { readonly type: 'tool_result'; readonly result: unknown; readonly latencyMs: number })
  | (OfTool & {
      readonly type: 'tool_error'
      readonly message: string
      readonly recoverable: boolean
      readonly phase: FailurePhase
      readonly latencyMs: number
    })
  | (OfAgent & {
      readonly type: 'agent_call_start'
      readonly tool?: string
      readonly args?: unknown
      readonly prompt?: string
    })
  | (OfAgent & { readonly type: 'agent_call_result'; readonly result: unknown; readonly latencyMs: number })
  | (OfAgent & {
      readonly type: 'agent_call_error'
      readonly message: string
      readonly recoverable: boolean
      readonly phase: FailurePhase
      readonly latencyMs: number
    })

/** Events of limits on spending. */
export type BudgetEvent =
  | (OfRun & { readonly type: 'budget_warning'; readonly decision: BudgetDecision })
  | (OfRun & { readonly type: 'budget_exceeded'; readonly decision: BudgetDecision })

/** Everything a run tells while it goes on, in order. Names are those of the events' wire form: see `toWireEvent`. */
export type RunEvent = CallEvent | ActionEvent | EffectEvent | BudgetEvent
