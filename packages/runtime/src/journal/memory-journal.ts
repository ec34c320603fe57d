import { type ChatMessage, LlmError } from '@modelport/core'
import type { RunCheckpoint } from './checkpoint.js'
import type { JournalTail, RunJournal } from './journal.js'
import type { JournalEntry } from './journal-entry.js'

/**
 * A run as a journal has it. The request that continues it takes both:
 * `{ ...request, messages, durable: { journal, resume } }`.
 */
export interface ResumableRun {
  /** The last checkpoint. */
  readonly resume: RunCheckpoint
  /** The transcript it stands on. */
  readonly messages: readonly ChatMessage[]
}

/** A journal in memory, for tests and for runs that their own process resumes. */
export interface MemoryJournal extends RunJournal {
  /** The stored state of a run. Undefined: the run never began. */
  load(runId: string): ResumableRun | undefined
  /** Everything written about a run since it began, in order. */
  entries(runId: string): readonly JournalEntry[]
  /** Forgets a run. */
  forget(runId: string): void
}

interface Run {
  checkpoint?: RunCheckpoint
  messages: readonly ChatMessage[]
  entries: JournalEntry[]
  /** Where the entries after the checkpoint begin. */
  tail: number
}

/**
 * Everything is kept as plain JSON, as a store on disk would keep it: what JSON cannot express is
 * lost here too.
 */
export function createMemoryJournal(): MemoryJournal {
  const runs = new Map<string, Run>()
  const runOf = (runId: string): Run => {
    const run = runs.get(runId) ?? { messages: [], entries: [], tail: 0 }
    runs.set(runId, run)
    return run
  }
  const append = (entry: JournalEntry): void => void runOf(entry.runId).entries.push(copy(entry))
  return {
    writeIntent(intent) {
      const { runId, key, attempt } = intent
      const isTaken = runOf(runId).entries.some(
        (entry) => entry.entry === 'intent' && entry.key === key && entry.attempt === attempt,
      )
      if (isTaken)
        throw new LlmError(
          'invalid-request',
          `run "${runId}": ${key} was begun by another resume of this run; let one finish before the next`,
        )
      append(intent)
    },
    writeReceipt: append,
    writeCheckpoint(checkpoint, { keep, add }) {
      const run = runOf(checkpoint.runId)
      run.checkpoint = copy(checkpoint)
      run.messages = [...run.messages.slice(0, keep), ...copy(add)]
      run.tail = run.entries.length
    },
    readTail({ runId }): JournalTail | undefined {
      const run = runs.get(runId)
      return run && { entries: copy(run.entries.slice(run.tail)) }
    },
    load(runId) {
      const run = runs.get(runId)
      return run?.checkpoint && { resume: copy(run.checkpoint), messages: copy(run.messages) }
    },
    entries: (runId) => copy(runs.get(runId)?.entries ?? []),
    forget: (runId) => void runs.delete(runId),
  }
}

const copy = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value
