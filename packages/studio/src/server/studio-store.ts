/* eslint-disable @typescript-eslint/require-await -- the interface is asynchronous; memory never waits */
import type { Exchange, RunRecord, RunSummary, StudioEvent } from '../protocol/protocol.js'
import type { StudioJournals } from './studio-journals.js'

/** Where runs are kept. Methods may be called in any order for one run; events arrive in order. */
export interface StudioStore {
  /** Writes a run anew, or over its earlier form. */
  save(run: RunRecord): Promise<void>
  /** Adds events to a run. */
  append(runId: string, events: readonly StudioEvent[]): Promise<void>
  /** Keeps the requests and responses of a run. */
  keepExchanges(runId: string, exchanges: readonly Exchange[], cassette: unknown): Promise<void>
  /** The run, or undefined. */
  run(runId: string): Promise<RunRecord | undefined>
  /** Events with a number above `after`, in order. */
  events(runId: string, after: number): Promise<readonly StudioEvent[]>
  /** The requests and responses of a run. */
  exchanges(runId: string): Promise<readonly Exchange[]>
  /** The cassette of a run, or undefined. */
  cassette(runId: string): Promise<unknown>
  /** The newest runs first. */
  list(limit: number): Promise<readonly RunSummary[]>
  /** Deletes the run with all that belongs to it. */
  delete(runId: string): Promise<void>
  /** How runs of this store continue after a crash. Unset: they cannot be continued. */
  readonly journals?: StudioJournals | undefined
  /** Closes the store; no method may be called after it. */
  close(): Promise<void>
}

interface Kept {
  run: RunRecord
  readonly events: StudioEvent[]
  exchanges: readonly Exchange[]
  cassette: unknown
}

/** A run that was under way when the studio ended. */
export const toInterrupted = (run: RunRecord, canContinue: boolean): RunRecord => ({
  ...run,
  status: 'cancelled',
  error: {
    code: 'interrupted',
    message: canContinue
      ? 'The studio ended during this run. Continue it, or run it again.'
      : 'The studio ended during this run. Run it again: tools that had run will run again, after a new approval.',
  },
  ...(canContinue && { canContinue }),
})

/** The summary of a run: the record without its messages. */
export function toSummary(run: RunRecord): RunSummary {
  const { messages: _messages, transcript: _transcript, settings: _settings, logprobs: _logprobs, ...summary } = run
  return summary
}

/** Keeps runs in memory until the process ends. */
export function createMemoryStore(): StudioStore {
  const kept = new Map<string, Kept>()
  const of = (runId: string): Kept => {
    const found = kept.get(runId)
    if (!found) throw new Error(`no run ${runId}`)
    return found
  }
  return {
    save: async (run) => {
      const found = kept.get(run.id)
      if (found) found.run = run
      else kept.set(run.id, { run, events: [], exchanges: [], cassette: undefined })
    },
    append: async (runId, events) => void of(runId).events.push(...events),
    keepExchanges: async (runId, exchanges, cassette) => void Object.assign(of(runId), { exchanges, cassette }),
    run: async (runId) => kept.get(runId)?.run,
    events: async (runId, after) => (kept.get(runId)?.events ?? []).slice(after),
    exchanges: async (runId) => kept.get(runId)?.exchanges ?? [],
    cassette: async (runId) => kept.get(runId)?.cassette,
    list: async (limit) => {
      const newest = [...kept.values()].reverse().slice(0, limit)
      return newest.map(({ run }) => toSummary(run))
    },
    delete: async (runId) => void kept.delete(runId),
    close: async () => undefined,
  }
}
