import type {
  JournalEntry,
  PendingItem,
  ResumeDecision,
  RunEvent,
  RunResult,
} from '@modelport/runtime'
import type { RunFunction } from './execute-run.js'
import type { RunDefinition } from './run-definition.js'
import type { RunWorker, RunWorkerOptions } from './run-worker.js'
import type { StoredRun } from './stored-run.js'

/** Settings of {@link DurableRuns.run}. */
export interface DurableRunOptions {
  /**
   * Stops the work here, not the run: it stays claimable, and `run` rejects with the signal's
   * reason.
   */
  readonly signal?: AbortSignal | undefined
}

/** An event of a run, as it is stored. */
export type StoredRunEvent = RunEvent & {
  /** 1 for the first event of the run, then without gaps. */
  readonly seq: number
}

/** Runs that continue after their process was killed. */
export interface DurableRuns {
  /**
   * Runs a function to its end, or continues where it was cut. A run that is over returns its
   * stored result, and a waiting run its stored `suspended`, without a call of the function. Calls
   * in several processes are safe: one works, the others wait for its result.
   *
   * @throws {DurableError} `fenced`, `full`, `read-only`, `unavailable`, `damaged` — the run stays
   * claimable
   */
  run<Output>(
    id: string,
    execute: RunFunction<Output>,
    options?: DurableRunOptions,
  ): Promise<RunResult<Output>>

  /**
   * Starts a run that any worker with the same definition executes; see {@link DurableRuns.work}.
   * Starting it again does nothing.
   *
   * @param input plain JSON, given to the definition's function
   */
  start(id: string, definition: RunDefinition, input?: unknown): Promise<void>

  /** Claims and executes runs of these definitions until it is stopped. */
  work(definitions: readonly RunDefinition[], options?: RunWorkerOptions): RunWorker

  /** Waits until a run is over or waits for somebody, and gives its result. */
  result(id: string, options?: DurableRunOptions): Promise<RunResult>

  /**
   * Reopens a run that is `stopped`, or whose model call failed: it continues from its checkpoint,
   * under the given definition. With a definition, also one that is ready, or whose process died,
   * and that waits for a version that nobody serves.
   *
   * @throws {DurableError} `not-found`, `conflict` — it is not such a run
   */
  reopen(id: string, definition?: RunDefinition): Promise<void>

  /**
   * Stores a decision about a pending item. The next `run` applies it; the first decision about an
   * item counts.
   *
   * @param shown the item as whoever decided saw it: a later attempt at the same call is not
   * decided. Default: as it waits now
   * @throws {DurableError} `not-found`, `finished`, `conflict` — the item does not wait, takes no
   * such decision, has another digest, or was
   *   decided before, or an answer does not fit its question; the item stays open
   */
  decide(id: string, decision: ResumeDecision, shown?: PendingItem): Promise<void>

  /**
   * Cancels a run, wherever it is; its holder stops within a second. Nothing happens to one that is
   * over.
   */
  cancel(id: string, reason?: string): Promise<void>

  /** The row of a run. @throws {DurableError} `not-found` */
  get(id: string): Promise<StoredRun>

  /** The runs that are not over, oldest change first. */
  open(): Promise<readonly StoredRun[]>

  /**
   * The stored events of a run, then new ones as they are stored, until it is over, waits for
   * somebody, or the signal aborts. The last event of a run that waits is `run-suspended`, with
   * what it waits for; after a decision read on from the event behind it. A run that waits for a
   * time continues by itself, so its reader waits with it.
   */
  events(id: string, from?: number, signal?: AbortSignal): AsyncGenerator<StoredRunEvent>

  /** Everything the journal has about a run, in order. */
  journal(id: string): Promise<readonly JournalEntry[]>
}
