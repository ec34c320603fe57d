import type { ChatMessage } from '@modelport/core'
import type { BudgetDesk } from '../budget/shared-budget.js'
import type { RunCheckpoint } from './checkpoint.js'
import type { JournalEntry, RunIntent, RunReceipt } from './journal-entry.js'

/** The changes of the transcript since the previous checkpoint. */
export interface TranscriptChange {
  /**
   * Keep so many messages of the stored transcript, in front. Smaller than their number after a
   * compaction.
   */
  readonly keep: number
  /** Add these after them. */
  readonly add: readonly ChatMessage[]
}

/** The entries that a journal stored after a checkpoint. */
export interface JournalTail {
  /** Everything recorded since the checkpoint, in the order it was written. */
  readonly entries: readonly JournalEntry[]
  /**
   * Number of the last event that was stored, where events are stored too. Default: that of the
   * last entry.
   */
  readonly seq?: number
}

/**
 * Records each effect of a run before and after it happens, so that another process can continue
 * the run. `infer` calls every method itself and waits for it: resolve once the data is stored. A
 * method that throws or rejects stops the run, as `failed` with the error as `cause`; nothing
 * starts that is not recorded. Calls of parallel tools overlap: `writeIntent` and `writeReceipt` of
 * one key never do, those of different keys may.
 */
export interface RunJournal {
  /**
   * The shared budgets of the same store: `writeIntent` takes the `charge` of an entry, and
   * `writeReceipt` settles its `settlement`, each in the transaction of the entry. An intent that
   * does not fit rejects with `BudgetExceededError`. Unset: both are transactions of their own.
   */
  readonly budgets?: BudgetDesk
  /**
   * Called before each effect: a model request (also for the summary of a compaction), an
   * authorization, a tool call, an agent call. The effect starts after it resolves. Reject an
   * intent whose `key` and `attempt` are stored already: a second resume of the run, at the same
   * time, is about to make the same effect.
   *
   * @param signal ends the wait for room in a budget: the run was cancelled, and nothing is written
   */
  writeIntent(intent: RunIntent, signal?: AbortSignal): void | Promise<void>
  /**
   * Called after each effect, before its result is used, shown to the model or reported as an
   * event.
   */
  writeReceipt(receipt: RunReceipt): void | Promise<void>
  /**
   * Called when the run begins, at the end of each step, after a compaction, and when the run
   * suspends. Store both arguments in one transaction. Entries written before are not needed any
   * more.
   */
  writeCheckpoint(checkpoint: RunCheckpoint, change: TranscriptChange): void | Promise<void>
  /**
   * Called once when a run resumes: gives what was recorded after this checkpoint; `undefined` if
   * the journal does not know the run, which is then stored as a whole.
   */
  readTail(checkpoint: RunCheckpoint): JournalTail | undefined | Promise<JournalTail | undefined>
}
