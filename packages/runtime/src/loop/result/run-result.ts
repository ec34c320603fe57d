import type {
  AssistantMessage,
  ChatMessage,
  Content,
  CostBound,
  LlmError,
  ReplyDetails,
  TokenUsage,
} from '@modelport/core'
import type { LimitName } from '../../base/limit-name.js'
import type { BudgetDecision } from '../../budget/budget.js'
import type { CallMetrics } from '../../budget/metrics.js'
import type { RunCheckpoint } from '../../journal/checkpoint.js'
import type { PendingItem } from '../../journal/pending-item.js'

/** The work and the cost of a run, in sums. */
export interface RunMetrics {
  /**
   * The model requests of this process, in order, with failed and refused ones; a resumed run had
   * others before.
   */
  readonly calls: readonly CallMetrics[]
  /** Tool and agent calls that were executed. */
  readonly executedActions: number
  /** Milliseconds of run time; the time a run was suspended is not in it. */
  readonly latencyMs: number
  /** Sum of the costs of the calls. Unset: no prices are known. */
  readonly totalCost?: number
  /** How `totalCost` relates to what vendors charge: see `CostBound`. Unset: as it is. */
  readonly costBound?: CostBound
}

/** The fields that the result of every run has, however it ended. */
export interface RunResultFields {
  /** Identifies the run. */
  readonly runId: string
  /** The conversation, ready to be stored or sent: no call is unanswered. */
  readonly transcript: readonly ChatMessage[]
  /** Tokens of all its calls. */
  readonly usage: TokenUsage
  /**
   * Sources, calls of the vendor's own tools, warnings of all turns; single values are those of the
   * last turn.
   */
  readonly details: ReplyDetails
  /** The work and the cost of the run. */
  readonly metrics: RunMetrics
  /** Steps begun. Each makes one model call, except the last one if the budget refused it. */
  readonly steps: number
  /**
   * The agent in control at the end, if the run has `handoffs`. Give it to the next run as `agent`.
   */
  readonly agent?: string
  /** The last text of the model; what had arrived of it when the run did not end well. */
  readonly text: string
}

/**
 * What the reply became, if an `outputSchema` or an `output` parser asked for a value: `never` if
 * nothing did, `unknown` if that is not known.
 */
export type OutputField<Output> = unknown extends Output
  ? {
      /** The reply as a value, if one was asked for. */
      readonly output?: Output
    }
  : [Output] extends [never]
    ? unknown
    : {
        /** The reply as a value. */
        readonly output: Output
      }

/**
 * How a run ended. Outcomes are values: only misuse rejects. `orThrow` makes an error of every one
 * but a whole `final` one. `Output` is the type of `output`; a run without an `outputSchema` or an
 * `output` parser has none.
 */
export type RunResult<Output = unknown> =
  | (RunResultFields &
      OutputField<Output> & {
        /** The model gave its final reply. */
        readonly status: 'final'
        /** The final reply, with its images where the model gives some. */
        readonly content: Content
        /**
         * True when the limit of output tokens cut the reply off: `content` is a part of it, and
         * `orThrow` throws unless that is accepted.
         */
        readonly truncated?: boolean
        /**
         * True when `stopWhen` ended the run after a step that had calls: `content` is what the
         * model said with them, often nothing.
         */
        readonly stopped?: boolean
      })
  | (RunResultFields & {
      readonly status: 'limit'
      readonly limit: LimitName
      /** With `parse-failures`: what was wrong with the last reply. */
      readonly problem?: string
      /** What happened, for people. */
      readonly message: string
    })
  | (RunResultFields & {
      readonly status: 'budget'
      readonly decision: BudgetDecision
      readonly message: string
      /**
       * The reply whose reported tokens passed the limit; it is in the transcript too. Unset: the
       * limit was met before a call.
       */
      readonly reply?: AssistantMessage
    })
  | (RunResultFields & {
      readonly status: 'cancelled'
      /** The abort signal's own reason. */
      readonly reason: unknown
    })
  | (RunResultFields & {
      readonly status: 'failed'
      readonly error: LlmError
      /**
       * Set if a model call failed: a resume from it makes that call again, with all limits and
       * guards as they were.
       */
      readonly checkpoint?: RunCheckpoint
    })
  | (RunResultFields & {
      /**
       * The run waits. `transcript` can be sent as it is: calls that are pending have a placeholder
       * for a result.
       */
      readonly status: 'suspended'
      /** The items that it waits for; at least one. */
      readonly pending: readonly PendingItem[]
      /**
       * Store it with `transcript`, and give both to `infer` as `resume` and `messages`. Plain
       * JSON.
       */
      readonly checkpoint: RunCheckpoint
    })
