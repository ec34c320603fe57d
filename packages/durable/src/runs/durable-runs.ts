import type { ChatMessage } from '@modelport/core'
import type { JournalEntry, ResumeDecision, RunEvent, RunResult } from '@modelport/runtime'
import { DurableError } from '../database/durable-error.js'
import { EventLog } from '../database/event-log.js'
import { executeRun, readJournal, type RunFunction } from './execute-run.js'
import { HeldRun, type RunParts, stateKey } from './held-run.js'
import type { StoredRun } from './run-table.js'
import { queueOf, type RunDefinition, RunWorker, type WorkerOptions } from './run-worker.js'
import { fromStoredResult } from './stored-result.js'

/** Settings of {@link DurableRuns.run}. */
export interface RunOptions {
  /** Stops the work here, not the run: it stays claimable, and `run` rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** An event of a run, as it is stored. */
export type StoredRunEvent = RunEvent & {
  /** 1 for the first event of the run, then without gaps. */
  readonly seq: number
}

/** How often a call that waits for another worker tries to claim, in milliseconds. */
const retryMs = 200

/** Runs that continue after their process was killed. */
export class DurableRuns {
  readonly #parts: RunParts
  readonly #log: EventLog

  constructor(parts: RunParts) {
    this.#parts = parts
    this.#log = new EventLog(parts.database, parts.codec)
  }

  /**
   * Runs a function to its end, or continues where it was cut. A run that is over gives its stored result, and one that waits its stored `suspended`, without calling the function. Calls
   * in several processes are safe: one works, the others wait for its result.
   *
   * @throws {DurableError} `fenced`, `full`, `read-only`, `unavailable`, `damaged` — the run stays claimable
   */
  async run<Output>(id: string, execute: RunFunction<Output>, { signal }: RunOptions = {}): Promise<RunResult<Output>> {
    const { table, database, inbox } = this.#parts
    const queue = ownQueue(id)
    await table.create(id, queue, null)
    for (;;) {
      signal?.throwIfAborted()
      const run = await table.get(id)
      if (isOver(run)) return this.#resultOf<Output>(run)
      if (run.status === 'suspended') {
        if ((await inbox.pending(id)).length > 0) await database.engine.wake(queue, run.engine)
        else if (run.wake === undefined || run.wake > database.now()) return this.#resultOf<Output>(run)
      }
      await table.enqueue(run)
      const held = await HeldRun.claim(this.#parts, queue)
      if (held === undefined) await this.#changeOf(id, signal)
      if (!(held instanceof HeldRun)) continue
      await executeRun(this.#parts, held, execute, signal ? { signal } : {})
      const now = await table.get(id)
      // Also with a deadline that is over already: the caller decides when to look again.
      if (now.status === 'suspended') return this.#resultOf<Output>(now)
    }
  }

  /**
   * Starts a run that any worker with the same definition executes; see {@link DurableRuns.work}. Starting it again does nothing.
   *
   * @param input plain JSON, given to the definition's function
   */
  async start(id: string, definition: RunDefinition, input?: unknown): Promise<void> {
    const { table } = this.#parts
    const run = await table.create(id, queueOf(definition), definition.fingerprint, input)
    if (run.engine === '') await table.enqueue(run)
  }

  /** Claims and executes runs of these definitions until it is stopped. */
  work(definitions: readonly RunDefinition[], options: WorkerOptions = {}): RunWorker {
    return new RunWorker(this.#parts, definitions, options)
  }

  /** Waits until a run is over or waits for somebody, and gives its result. */
  async result(id: string, { signal }: RunOptions = {}): Promise<RunResult> {
    for (;;) {
      signal?.throwIfAborted()
      const run = await this.get(id)
      if (isOver(run) || run.status === 'suspended') return this.#resultOf(run)
      await this.#changeOf(id, signal)
    }
  }

  /**
   * Opens a run again that is `stopped`, or whose model call failed: it continues from its checkpoint, under the given definition.
   *
   * @throws {DurableError} `not-found`, `conflict` — it is not such a run
   */
  async reopen(id: string, definition?: RunDefinition): Promise<void> {
    const { table, database } = this.#parts
    const run = await table.get(id)
    const { status } = (run.result ?? {}) as { readonly status?: string }
    if (run.status !== 'stopped' && !(run.status === 'finished' && status === 'failed'))
      throw new DurableError(
        'conflict',
        `run "${id}" is ${run.status}; only one that stopped or failed can be opened again`,
      )
    const queue = definition ? queueOf(definition) : run.queue
    await database.write([
      {
        sql: `UPDATE runs SET status = 'ready', queue = ?, engine = '', crashes = 0, seen = -1, result = NULL, fingerprint = ?
          WHERE id = ? AND epoch = ? AND status = ?`,
        params: [queue, JSON.stringify(definition?.fingerprint ?? run.fingerprint), id, run.epoch, run.status],
      },
    ])
    await table.enqueue(await table.get(id))
  }

  /**
   * Stores a decision about a pending item. The next `run` applies it; the first decision about an item counts.
   *
   * @throws {DurableError} `not-found`, `finished`, `conflict` — the item does not wait, or was decided before
   */
  async decide(id: string, decision: ResumeDecision): Promise<void> {
    const { table, inbox, database } = this.#parts
    const run = await table.get(id)
    const pending = run.checkpoint?.pending ?? []
    if (isOver(run)) throw new DurableError('finished', `run "${id}" is ${run.status}: nothing can be decided`)
    if (!pending.some((item) => item.id === decision.id))
      throw new DurableError(
        'conflict',
        `run "${id}" does not wait for "${decision.id}"; it waits for: ${pending.map((item) => item.id).join(', ') || 'nothing'}`,
      )
    if (!(await inbox.put(id, { kind: 'decision', decision })))
      throw new DurableError('conflict', `"${decision.id}" of run "${id}" was decided before`)
    await database.engine.wake(run.queue, run.engine)
    database.notify(`queue:${run.queue}`)
  }

  /** Cancels a run, wherever it is; its holder stops within a second. Nothing happens to one that is over. */
  async cancel(id: string, reason: string = 'no reason was given'): Promise<void> {
    const { table, inbox, database } = this.#parts
    await inbox.put(id, { kind: 'cancel', reason })
    const run = await table.get(id)
    if (run.status === 'running') return
    if (isOver(run)) return
    const { sql, params } = cancelIdle(run, database.now(), this.#parts.codec.encode({ status: 'cancelled', reason }))
    const result = await database.write([{ sql, params, expect: 1 }])
    if (!result.ok) return // A worker claimed it meanwhile, and sees the cancel.
    await database.engine.cancel(run.queue, run.engine)
    database.notify(stateKey(id))
  }

  /** The row of a run. @throws {DurableError} `not-found` */
  get(id: string): Promise<StoredRun> {
    return this.#parts.table.get(id)
  }

  /** The runs that are not over, oldest change first. */
  open(): Promise<readonly StoredRun[]> {
    return this.#parts.table.list(`status IN ('ready', 'running', 'suspended') ORDER BY updated, id`, [])
  }

  /** The stored events of a run, then new ones as they are stored, until it is over or the signal aborts. */
  async *events(id: string, from: number = 1, signal?: AbortSignal): AsyncGenerator<StoredRunEvent> {
    const over = async (): Promise<boolean> => isOver(await this.get(id))
    for await (const { seq, body } of this.#log.watch(`run:${id}`, from, over, signal))
      yield { ...(body as RunEvent), seq }
  }

  /** Everything the journal has about a run, in order. */
  journal(id: string): Promise<readonly JournalEntry[]> {
    return readJournal(this.#parts, id)
  }

  async #resultOf<Output>(run: StoredRun): Promise<RunResult<Output>> {
    const { database, codec } = this.#parts
    const rows = await database.read('SELECT body FROM transcript WHERE run = ? ORDER BY seq', [run.id])
    const transcript = rows.map(({ body }) => codec.decode(body) as ChatMessage)
    return fromStoredResult(run.result ?? {}, transcript) as RunResult<Output>
  }

  #changeOf(id: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        unwatch()
        signal?.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, retryMs)
      const unwatch = this.#parts.database.watch(stateKey(id), done)
      signal?.addEventListener('abort', done, { once: true })
    })
  }
}

const ownQueue = (id: string): string => `run:${id}`

/** True for a run that nothing changes any more. */
export const isOver = ({ status }: StoredRun): boolean =>
  status === 'finished' || status === 'canceled' || status === 'stopped'

const cancelIdle = (run: StoredRun, now: number, result: string): { sql: string; params: (string | number)[] } => ({
  sql: `UPDATE runs SET status = 'canceled', epoch = epoch + 1, result = ?, updated = ?
    WHERE id = ? AND epoch = ? AND status IN ('ready', 'suspended')`,
  params: [result, now, run.id, run.epoch],
})
