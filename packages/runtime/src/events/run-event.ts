import type { FinishReason } from '@modelport/core'
import type { LimitName } from '../base/limit-name.js'
import type { BudgetAmounts, BudgetDecision } from '../budget/budget.js'
import type { CallMetrics } from '../budget/metrics.js'
import type { CacheBreak } from '../history/cache-watch.js'
import type { CompactionResult } from '../history/compaction/request.js'
import type { ContextManifest } from '../history/manifest.js'
import type { PendingItem } from '../journal/pending-item.js'
import type { StepChoice } from '../journal/step-choice.js'
import type { Approval } from '../policy/authorize.js'
import type { Action, FinalAction } from '../reply/action.js'

/** The fields that every event of a run has. */
export interface RunEventFields {
  /** Identifies the run. */
  readonly runId: string
  /** The step; the first is 1. */
  readonly step: number
  /** Number of the event in its run, from 1 without gaps; it continues when the run is resumed. */
  readonly seq: number
  /** When, in milliseconds since 1970. */
  readonly at: number
}

/** The fields that every event of one model call has. */
export interface CallEventFields extends RunEventFields {
  /** Name of the provider. */
  readonly provider: string
  /** Name of the model. */
  readonly model: string
  /**
   * Number of the request to the model in this step, from 1: retries, repeated calls, and those
   * after a resume count.
   */
  readonly attempt: number
}

/** The fields that every event of one tool or agent call has. */
export interface ActionEventFields extends RunEventFields {
  /** Same in all events of one call; for a native call the id of the call. */
  readonly actionId: string
}

/** The fields that the events of one tool call have. */
export interface ToolEventFields extends ActionEventFields {
  /** Name of the tool. */
  readonly tool: string
  /** The arguments of the call. */
  readonly args: unknown
}

/** The fields that the events of one agent call have. */
export interface AgentEventFields extends ActionEventFields {
  /** Name of the agent that is called. */
  readonly agent: string
  /** Whether one of its tools is called, or its model. */
  readonly action: 'tool_call' | 'infer'
}

/**
 * Part of a reply as it arrives. A later attempt in the same step replaces what an earlier one
 * gave.
 */
export interface DeltaEventFields extends RunEventFields {
  /** The piece that arrived. */
  readonly text: string
  /** See the field of the same name of `model-call-start`. */
  readonly attempt: number
}

/** Where a call failed: before or during its execution, or because the run ended. */
export type FailurePhase =
  | 'lookup'
  | 'validation'
  | 'authorization'
  | 'budget'
  | 'execution'
  | 'timeout'
  | 'cancelled'

/** Events of one model call. */
export type CallEvent =
  /**
   * The conversation was made shorter before the call, or because the server refused it as too
   * long.
   */
  | (RunEventFields & {
      readonly type: 'context-compacted'
      readonly reason: 'threshold' | 'context-length'
      readonly report: CompactionResult
    })
  /**
   * The vendor's cache had less of this prompt than after the call before. Comes before the
   * `model-call-end` of the call.
   */
  | (RunEventFields &
      CacheBreak & {
        readonly type: 'cache-break'
        /** Name of the provider. */
        readonly provider: string
        readonly model: string
      })
  /** The prompt is put together; nothing is sent yet. */
  | (RunEventFields & {
      readonly type: 'context-prepared'
      /** Name of the provider. */
      readonly provider: string
      readonly model: string
      readonly manifest: ContextManifest
      /** How full the window will be. Unset: the profile has no `contextWindow`. */
      readonly context?: CallMetrics['context']
    })
  | (CallEventFields & {
      readonly type: 'model-call-start'
      /** True if the reply is read as it arrives. */
      readonly streaming: boolean
      /** True if actions are asked for in the API's own form. */
      readonly native: boolean
      readonly manifest: ContextManifest
    })
  /** Text of the reply; in JSON mode the text of a final action, without the JSON around it. */
  | (DeltaEventFields & { readonly type: 'text-delta' })
  | (DeltaEventFields & { readonly type: 'reasoning-delta' })
  /**
   * The output so far: the growing object of an `outputSchema`, or the result of `partial` of an
   * `output` parser.
   */
  | (RunEventFields & {
      readonly type: 'output-partial'
      readonly value: unknown
      /** See the field of the same name of `model-call-start`. */
      readonly attempt: number
    })
  /** Text of the arguments of a call. */
  | (DeltaEventFields & {
      readonly type: 'tool-call-delta'
      /** The id of the call. */
      readonly callId: string
    })
  | (CallEventFields & {
      readonly type: 'model-call-end'
      readonly streaming: boolean
      readonly native: boolean
      readonly metrics: CallMetrics
      /** The text of the reply, whole. */
      readonly text: string
      readonly finishReason: FinishReason
      /** What the run has spent so far. */
      readonly budget: BudgetAmounts
    })
  /**
   * The server refused tools: the call is made again, and this step and all later ones ask for
   * actions in another mode.
   */
  | (RunEventFields & {
      readonly type: 'mode-changed'
      readonly mode: 'json'
      /** What the server said. */
      readonly reason: string
    })
  /** The call failed and is made again. */
  | (RunEventFields & {
      readonly type: 'model-retry'
      readonly attempt: number
      readonly nextAttempt: number
      readonly retryInSeconds: number
      /**
       * The code of the error; `lost` for a call that was cut off with its process: it is charged
       * in full.
       */
      readonly errorType: string
      readonly message: string
    })
  /**
   * The call failed, or was `cancelled` with the run; unless `recoverable`, the run ends with it.
   * After one that is `recoverable` the run tries something else.
   */
  | (RunEventFields & {
      readonly type: 'model-error'
      readonly message: string
      readonly code: string
      readonly recoverable: boolean
    })

/** Events of one decision of the model. */
export type ActionEvent =
  | (RunEventFields & {
      readonly type: 'step-start'
      /** What holds for the step, by `prepareStep` and `handoffs`; unset without them. */
      readonly choice?: StepChoice
      /** The agent in control, if the run has `handoffs`. */
      readonly agent?: string
    })
  /** The reply was not an action, or not a value of the form that was asked for. */
  | (RunEventFields & {
      readonly type: 'reply-rejected'
      readonly message: string
      /** True if the model is asked again. */
      readonly recoverable: boolean
      /** How many there are in a row. */
      readonly parseFailures: number
    })
  /** The model asks for a call. */
  | (ActionEventFields & {
      readonly type: 'action-requested'
      readonly action: Exclude<Action, FinalAction>
    })
  /** The same call was executed before and is not executed again. */
  | (ActionEventFields & {
      readonly type: 'action-repeated'
      readonly action: Exclude<Action, FinalAction>
    })
  | (ActionEventFields & {
      readonly type: 'policy-decision'
      readonly effect: 'allow' | 'deny' | 'require-approval'
      readonly reason?: string
      /**
       * True if somebody is asked while the run continues, by `ask` of the decision. A call that
       * needs an approval without it suspends the run.
       */
      readonly asked?: true
    })
  /** Somebody approved or refused a call that required approval. */
  | (ActionEventFields & Approval & { readonly type: 'approval-decision' })
  /** The model gave its final reply. */
  | (RunEventFields & {
      readonly type: 'final'
      readonly action: FinalAction
      /** True if the limit of output tokens cut the reply off. */
      readonly truncated?: true
    })

/** Events of executed tools and agents. */
export type EffectEvent =
  | (ToolEventFields & { readonly type: 'tool-start' })
  /**
   * A call reports how far it is: what a tool yields, or gives to `progress`; at most one in 50 ms
   * of a call.
   */
  | (ActionEventFields & {
      readonly type: 'tool-progress'
      /** Name of the tool or the agent. */
      readonly tool: string
      readonly progress: unknown
    })
  | (ToolEventFields & {
      readonly type: 'tool-result'
      readonly result: unknown
      readonly latencyMs: number
    })
  | (ToolEventFields & {
      readonly type: 'tool-error'
      readonly message: string
      readonly recoverable: boolean
      readonly phase: FailurePhase
      readonly latencyMs: number
    })
  | (AgentEventFields & {
      readonly type: 'agent-call-start'
      readonly tool?: string
      readonly args?: unknown
      readonly prompt?: string
    })
  | (AgentEventFields & {
      readonly type: 'agent-call-result'
      readonly result: unknown
      readonly latencyMs: number
    })
  | (AgentEventFields & {
      readonly type: 'agent-call-error'
      readonly message: string
      readonly recoverable: boolean
      readonly phase: FailurePhase
      readonly latencyMs: number
    })

/**
 * Events of limits on spending; `decision.effect` is `warn` at 80 % of a limit, once, and `deny` at
 * the limit.
 */
export type BudgetEvent = RunEventFields & {
  readonly type: 'budget-decision'
  readonly decision: BudgetDecision
}

/** The run waits; the last event before its result. */
export type SuspensionEvent = RunEventFields & {
  readonly type: 'run-suspended'
  readonly pending: readonly PendingItem[]
}

/** A limit or the budget ended the run without a final reply; the last event before its result. */
export type LimitEvent = RunEventFields & {
  readonly type: 'run-limited'
  readonly status: 'limit' | 'budget'
  /** With `limit` its name; with `budget` the one that was met, such as `maxCost`. */
  readonly limit: LimitName | BudgetDecision['limit']
  /** What happened, for the operator. */
  readonly message: string
}

/** Everything a run reports, in order. */
export type RunEvent =
  | CallEvent
  | ActionEvent
  | EffectEvent
  | BudgetEvent
  | SuspensionEvent
  | LimitEvent
