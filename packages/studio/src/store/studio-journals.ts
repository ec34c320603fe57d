import type { ChatMessage } from '@modelport/core'
import type { JournalEntry, RunCheckpoint, RunJournal, TranscriptChange } from '@modelport/runtime'
import type { RunSettings, StudioEvent } from '../protocol/protocol.js'

/** One thing that a run writes to its journal. */
export type JournalRecord =
  | { readonly type: 'entry'; readonly entry: JournalEntry }
  | {
      readonly type: 'checkpoint'
      readonly checkpoint: RunCheckpoint
      readonly change: TranscriptChange
    }

/** What a run continues from. */
export interface StoredJournal {
  /** What the run was started with. */
  readonly settings: RunSettings
  /** The last checkpoint. */
  readonly resume: RunCheckpoint
  /** The transcript of the checkpoint. */
  readonly messages: readonly ChatMessage[]
  /** Everything recorded after the checkpoint, in order. */
  readonly entries: readonly JournalEntry[]
}

/**
 * Keeps what runs need to continue after the process that ran them has ended. A journal is deleted
 * with its run, or when the run has ended.
 */
export interface StudioJournals {
  /**
   * Makes this store the only writer of the run: from now on, writes of other processes for this
   * run reject.
   */
  claim(runId: string, settings: RunSettings): Promise<void>
  /** Writes a record, and the events that happened before it, in one transaction. */
  write(runId: string, events: readonly StudioEvent[], record: JournalRecord): Promise<void>
  /** What the run continues from; undefined if it has no checkpoint. */
  read(runId: string): Promise<StoredJournal | undefined>
}

/**
 * The journal of one run, for `infer`. After a failed write nothing more is recorded, so the run
 * continues only up to its next tool call: the file still has every call that was started.
 */
export function toRunJournal(
  write: (record: JournalRecord) => Promise<void>,
  read: () => Promise<StoredJournal | undefined>,
): RunJournal {
  let failure: Error | undefined
  const record = async (one: JournalRecord): Promise<void> => {
    try {
      if (!failure) await write(one)
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error))
    }
    const isCall =
      one.type === 'entry' &&
      one.entry.entry === 'intent' &&
      ['tool', 'agent'].includes(one.entry.kind)
    if (failure && isCall)
      throw new Error(
        `the tool was not called, because this run cannot be saved: ${failure.message}; free space, or run it again off the record`,
        { cause: failure },
      )
  }
  return {
    writeIntent: (entry) => record({ type: 'entry', entry }),
    writeReceipt: (entry) => record({ type: 'entry', entry }),
    writeCheckpoint: (checkpoint, change) => record({ type: 'checkpoint', checkpoint, change }),
    readTail: async () => {
      const stored = await read()
      return stored && { entries: withoutUnusedApprovals(stored.entries) }
    },
  }
}

/** Leaves out approvals whose call was never started: whoever continues the run is asked again. */
function withoutUnusedApprovals(entries: readonly JournalEntry[]): JournalEntry[] {
  const started = new Set(
    entries.flatMap((entry) =>
      entry.kind === 'tool' || entry.kind === 'agent' ? [entry.callId] : [],
    ),
  )
  const unused = new Set(
    entries.flatMap((entry) => {
      if (
        entry.kind !== 'authorization' ||
        entry.entry !== 'receipt' ||
        entry.decision.effect !== 'allow'
      )
        return []
      return started.has(entry.callId) ? [] : [entry.callId]
    }),
  )
  return entries.filter((entry) => entry.kind !== 'authorization' || !unused.has(entry.callId))
}
