import type { ChatMessage, Content, LlmError, TokenUsage } from '@modelport/core'
import type { BudgetDecision } from '../budget/budget.js'
import type { CallMetrics } from './metrics.js'

/** What a run did and cost, in sums. */
export interface RunMetrics {
  /** The model calls, in order. */
  readonly calls: readonly CallMetrics[]
  /** Tool and agent calls that were executed. */
  readonly executedActions: number
  /** Milliseconds from start to end. */
  readonly latencyMs: number
  /** Sum of the costs of the calls. Unset: no prices are known. */
  readonly totalCost?: number
}

/** What every outcome has. */
interface OfEveryRun {
  readonly runId: string
  /** The conversation, ready to be stored or sent: no call is unanswered. */
  readonly transcript: readonly ChatMessage[]
  readonly usage: TokenUsage
  readonly metrics: RunMetrics
  /** Model calls begun. */
  readonly steps: number
  /** The last text of the model; what had arrived of it when the run did not end well. */
  readonly text: string
}

/** Which limit ended a run. */
export type LimitName = 'steps' | 'repeats' | 'parse-failures' | 'no-progress'

/** How a run ended. Outcomes are values: only misuse rejects. */
export type RunResult =
  | (OfEveryRun & {
      readonly status: 'final'
      /** The answer, with its images where the model gives some. */
      readonly content: Content
      /** The answer as a value, where an `outputSchema` asked for one. */
      readonly output?: unknown
      /** True when the model was cut off by its token limit. */
      readonly truncated?: boolean
    })
  | (OfEveryRun & {
      readonly status: 'limit'
      readonly limit: LimitName
      /** What happened, for people. */
      readonly message: string
    })
  | (OfEveryRun & { readonly status: 'budget'; readonly decision: BudgetDecision; readonly message: string })
  | (OfEveryRun & {
      readonly status: 'cancelled'
      /** The abort signal's own reason. */
      readonly reason: unknown
    })
  | (OfEveryRun & { readonly status: 'failed'; readonly error: LlmError })
