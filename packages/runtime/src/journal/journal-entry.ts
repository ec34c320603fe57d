import type {
  AssistantMessage,
  Content,
  FinishReason,
  JsonObject,
  ReplyDetails,
  TokenUsage,
} from '@modelport/core'
import type { BudgetDecision } from '../budget/budget.js'
import type { BudgetSnapshot } from '../budget/budget-snapshot.js'
import type { CallMetrics } from '../budget/metrics.js'
import type { BudgetCharge, BudgetSettlement } from '../budget/shared-budget.js'
import type { AgentCallAction, ToolCallAction } from '../reply/action.js'
import type { StoredQuestion } from '../tools/question.js'
import type { StepChoice } from './step-choice.js'

/** The fields that every entry of a journal has. */
export interface JournalEntryFields {
  /**
   * Identifies the effect: key prefix, step, kind and index. An intent and its receipt share it,
   * and so does a repeated attempt.
   */
  readonly key: string
  /** Identifies the run. */
  readonly runId: string
  /** The step of the run; the first is 1. */
  readonly step: number
  /** Number of the attempt at this effect, from 1; higher after a resume that had to repeat it. */
  readonly attempt: number
  /** When, in milliseconds since 1970. */
  readonly at: number
  /** Number of the last event before the entry. */
  readonly seq: number
  /** What the run has spent so far. */
  readonly budget: BudgetSnapshot
  /**
   * In an intent: what the call takes from shared budgets, which the journal takes in the
   * transaction of the entry. Unset: nothing, or it was taken before.
   */
  readonly charge?: BudgetCharge
  /** In a receipt: what its call used of them. */
  readonly settlement?: BudgetSettlement
}

/** Which effect an entry is about. */
export type EffectKind = 'step' | 'model' | 'summary' | 'authorization' | 'tool' | 'agent'

/** The effect that is about to happen. */
export type RunIntent =
  /** A request to the model: `model` for a reply, `summary` for a compaction. */
  | (JournalEntryFields & {
      readonly entry: 'intent'
      readonly kind: 'model' | 'summary'
      readonly provider: string
      readonly model: string
      /** Reserved for one attempt; charged in full if no receipt follows. */
      readonly inputTokens: number
      readonly maxOutputTokens: number
    })
  /** `authorize` is asked about a call. */
  | (JournalEntryFields & {
      readonly entry: 'intent'
      readonly kind: 'authorization'
      readonly callId: string
      readonly action: ToolCallAction | AgentCallAction
    })
  /** A tool or an agent is called, its arguments found valid. */
  | (JournalEntryFields & {
      readonly entry: 'intent'
      readonly kind: 'tool' | 'agent'
      readonly callId: string
      readonly action: ToolCallAction | AgentCallAction
      /** The key the tool gets as `context.run.idempotencyKey`. */
      readonly idempotencyKey: string
      /** `read-only` and `idempotent` calls are repeated if no receipt follows, `once` never. */
      readonly effect: 'read-only' | 'idempotent' | 'once'
    })

/** An error as plain JSON. Restored as an `LlmError` with these fields. */
export interface RecordedError {
  /** Code of the error. */
  readonly code: string
  /** Message of the error. */
  readonly message: string
  /** Other plain fields of the error, such as `status` and `retryAfterMs`. */
  readonly details?: JsonObject
}

/** A model's reply as plain JSON. */
export interface RecordedReply {
  /** The reply of the model. */
  readonly message: AssistantMessage
  /** Why it ended. */
  readonly finishReason: FinishReason
  /** Tokens of the call. */
  readonly usage: TokenUsage
  /** Times and costs of the call. */
  readonly metrics: CallMetrics
  /** Sources, warnings and more; unset if there are none. */
  readonly details?: ReplyDetails
  /** The limit of the budget that the reported tokens passed. */
  readonly overrun?: BudgetDecision
}

/** What was decided about a call. */
export type RecordedDecision =
  | {
      readonly effect: 'allow'
      readonly arguments?: JsonObject
      /** True if a person approved the call. */
      readonly approved?: true
    }
  | { readonly effect: 'deny'; readonly reason: string }
  | { readonly effect: 'require-approval'; readonly reason?: string; readonly expiresAt?: number }

/** The outcome of a call. */
export interface RecordedOutcome {
  /** See `ToolOutcome`; `pending` waits for the work `taskId`. */
  readonly status: 'ok' | 'failed' | 'timeout' | 'cancelled' | 'refused' | 'pending'
  /** What the model is shown. */
  readonly content: Content
  /** True if the content is the JSON of what the tool returned. */
  readonly isJson?: true
  /** Why the call failed; unset if it did not. */
  readonly message?: string
  /** See `ToolOutcome.uncertain`. */
  readonly uncertain?: true
  /** Milliseconds the call took. */
  readonly latencyMs: number
  /** Of `pending`. */
  readonly taskId?: string
  /** Of `pending`. */
  readonly until?: number
  /** Of `pending`: the call ended by asking this; with its answer, once there is one. */
  readonly question?: StoredQuestion
}

/** What happened. */
export type RunReceipt =
  /** What `prepareStep` returned. */
  | (JournalEntryFields & {
      readonly entry: 'receipt'
      readonly kind: 'step'
      readonly choice: StepChoice
    })
  | (JournalEntryFields & {
      readonly entry: 'receipt'
      readonly kind: 'model'
      readonly reply?: RecordedReply
      /** The call failed for good, retries included. */
      readonly error?: RecordedError
    })
  | (JournalEntryFields & {
      readonly entry: 'receipt'
      readonly kind: 'summary'
      readonly text?: string
      /** Tokens of the call; unset for one that failed. */
      readonly usage?: TokenUsage
      /** Times and costs of the call; unset for one that failed. */
      readonly metrics?: CallMetrics
      readonly error?: RecordedError
    })
  | (JournalEntryFields & {
      readonly entry: 'receipt'
      readonly kind: 'authorization'
      readonly callId: string
      readonly decision: RecordedDecision
    })
  | (JournalEntryFields & {
      readonly entry: 'receipt'
      readonly kind: 'tool' | 'agent'
      readonly callId: string
      readonly outcome: RecordedOutcome
    })

/** One line of a journal. Plain JSON. */
export type JournalEntry = RunIntent | RunReceipt
