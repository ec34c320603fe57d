import type {
  AssistantMessage,
  ChatMessage,
  Content,
  FinishReason,
  JsonObject,
  ReplyDetails,
  TokenUsage,
} from '@modelport/core'
import type { BudgetSnapshot } from '../budget/budget-snapshot.js'
import type { BudgetDecision } from '../budget/budget.js'
import type { CallMetrics } from '../loop/metrics.js'
import type { AgentCallAction, ToolCallAction } from '../reply/action.js'
import type { RunCheckpoint } from './checkpoint.js'

/** What every entry of a journal has. */
interface OfEntry {
  /** Identifies the effect: key prefix, step, kind and index. An intent and its receipt share it, and so does a repeated attempt. */
  readonly key: string
  readonly runId: string
  readonly step: number
  /** Which attempt at this effect, from 1; higher after a resume that had to repeat it. */
  readonly attempt: number
  /** When, in milliseconds since 1970. */
  readonly at: number
  /** Number of the last event before the entry. */
  readonly seq: number
  /** What the run has spent so far. */
  readonly budget: BudgetSnapshot
}

/** Which effect an entry is about. */
export type EffectKind = 'model' | 'summary' | 'authorization' | 'tool' | 'agent'

/** What is about to happen. */
export type RunIntent =
  /** A request to the model: `model` for a reply, `summary` for a compaction. */
  | (OfEntry & {
      readonly entry: 'intent'
      readonly kind: 'model' | 'summary'
      readonly provider: string
      readonly model: string
      /** Reserved for one attempt; charged in full if no receipt follows. */
      readonly inputTokens: number
      readonly maxOutputTokens: number
    })
  /** `authorize` is asked about a call. */
  | (OfEntry & {
      readonly entry: 'intent'
      readonly kind: 'authorization'
      readonly callId: string
      readonly action: ToolCallAction | AgentCallAction
    })
  /** A tool or an agent is called, its arguments found valid. */
  | (OfEntry & {
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
  readonly code: string
  readonly message: string
  /** Other plain fields of the error, such as `status` and `retryAfterMs`. */
  readonly details?: JsonObject
}

/** A model's reply as plain JSON. */
export interface RecordedReply {
  readonly message: AssistantMessage
  readonly finishReason: FinishReason
  readonly usage: TokenUsage
  readonly metrics: CallMetrics
  readonly details?: ReplyDetails
  /** The limit of the budget that the reported tokens passed. */
  readonly overrun?: BudgetDecision
}

/** What was decided about a call. */
export type RecordedDecision =
  | { readonly effect: 'allow'; readonly arguments?: JsonObject }
  | { readonly effect: 'deny'; readonly reason: string }
  | { readonly effect: 'require-approval'; readonly reason?: string; readonly expiresAt?: number }

/** What came of a call. */
export interface RecordedOutcome {
  /** See `ToolOutcome`; `pending` waits for the work `taskId`. */
  readonly status: 'ok' | 'failed' | 'timeout' | 'cancelled' | 'refused' | 'pending'
  /** What the model is shown. */
  readonly content: Content
  readonly message?: string
  readonly latencyMs: number
  /** Of `pending`. */
  readonly taskId?: string
  /** Of `pending`. */
  readonly until?: number
}

/** What happened. */
export type RunReceipt =
  | (OfEntry & {
      readonly entry: 'receipt'
      readonly kind: 'model'
      readonly reply?: RecordedReply
      /** The call failed for good, retries included. */
      readonly error?: RecordedError
    })
  | (OfEntry & {
      readonly entry: 'receipt'
      readonly kind: 'summary'
      readonly text?: string
      readonly error?: RecordedError
    })
  | (OfEntry & {
      readonly entry: 'receipt'
      readonly kind: 'authorization'
      readonly callId: string
      readonly decision: RecordedDecision
    })
  | (OfEntry & {
      readonly entry: 'receipt'
      readonly kind: 'tool' | 'agent'
      readonly callId: string
      readonly outcome: RecordedOutcome
    })

/** One line of a journal. Plain JSON. */
export type JournalEntry = RunIntent | RunReceipt

/** What changed in the transcript since the checkpoint before. */
export interface TranscriptChange {
  /** Keep so many messages of the stored transcript, in front. Smaller than their number after a compaction. */
  readonly keep: number
  /** Add these after them. */
  readonly add: readonly ChatMessage[]
}

/** What a journal has stored after a checkpoint. */
export interface JournalTail {
  /** Everything recorded since the checkpoint, in the order it was written. */
  readonly entries: readonly JournalEntry[]
  /** Number of the last event that was stored, where events are stored too. Default: that of the last entry. */
  readonly seq?: number
}

/**
 * Where a run writes down what it does, before and after it does it, so that another process can continue it. `infer` calls every method itself and waits for
 * it: resolve once the data is stored. A method that throws or rejects stops the run, as `failed` with the error as `cause`; nothing starts that is not
 * recorded. Calls of parallel tools overlap: `writeIntent` and `writeReceipt` of one key never do, those of different keys may.
 */
export interface RunJournal {
  /**
   * Called before each effect: a model request (also for the summary of a compaction), an authorization, a tool call, an agent call. The effect starts after it
   * resolves.
   */
  writeIntent(intent: RunIntent): void | Promise<void>
  /** Called after each effect, before its result is used, shown to the model or told as an event. */
  writeReceipt(receipt: RunReceipt): void | Promise<void>
  /**
   * Called when the run begins, at the end of each step, after a compaction, and when the run suspends. Store both arguments in one transaction. Entries
   * written before are not needed any more.
   */
  writeCheckpoint(checkpoint: RunCheckpoint, change: TranscriptChange): void | Promise<void>
  /**
   * Called once when a run resumes: gives what was recorded after this checkpoint; `undefined` if the journal does not know the run, which is then stored as a
   * whole.
   */
  readTail(checkpoint: RunCheckpoint): JournalTail | undefined | Promise<JournalTail | undefined>
}
