import type { Exchange, RunRecord, RunSummary, RunTree, StudioEvent } from '../protocol/protocol.js'
import type { RunGrouping, RunGroupTotals, RunNames, RunQuery } from '../protocol/run-query.js'
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
  /** The newest runs that match, the newest first. */
  list(limit: number, query?: RunQuery): Promise<readonly RunSummary[]>
  /**
   * Sums over all runs that match, by group in ascending order; without grouping one entry, or none
   * if no run matches.
   */
  totals(query: RunQuery, by?: RunGrouping): Promise<readonly RunGroupTotals[]>
  /** The sums of a run and of all runs in it; undefined if there is none in it. */
  tree(runId: string): Promise<RunTree | undefined>
  /** The programs, models, tools and errors of all runs. */
  names(): Promise<RunNames>
  /**
   * Deletes all runs of studios that are over but the newest. Runs of other programs are neither
   * counted nor deleted.
   */
  prune(keep: number): Promise<void>
  /** Deletes the run with all that belongs to it. */
  delete(runId: string): Promise<void>
  /**
   * Deletes the runs of these tasks of agents, with the runs in them and those that continue one
   * of them; nothing of them is left in the bytes of a file.
   * @returns how many runs
   * @throws {LlmError} `config` — one of them is under way in another process, and none is deleted
   */
  forget(tasks: readonly string[]): Promise<number>
  /** How runs of this store continue after a crash. Unset: they cannot be continued. */
  readonly journals?: StudioJournals | undefined
  /** Closes the store; no method may be called after it. */
  close(): Promise<void>
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
