import type { RunCheckpoint } from '@modelport/runtime'
import type { BodyCodec } from '../database/body-codec.js'
import type { Database, Row, Statement } from '../database/database.js'
import { DurableError } from '../database/durable-error.js'
import { removeLog } from '../database/event-log.js'
import type { Claim } from '../engine/engine.js'

/**
 * Where a run stands. `ready`: it can be claimed. `running`: a worker has claimed it, and may have died since. `suspended`: it waits for a decision or a time. `finished`: it has
 * a result. `canceled`. `stopped`: it cannot continue by itself, see its result.
 */
export type RunStatus = 'ready' | 'running' | 'suspended' | 'finished' | 'canceled' | 'stopped'

/** The row of a run. */
export interface StoredRun {
  /** Id of the run. That of an agent's task is `task:` and the id of the task. */
  readonly id: string
  /** Only workers of this queue claim the run: name and hash of a definition, or the run alone. */
  readonly queue: string
  /** The engine's run; empty until it was started there. */
  readonly engine: string
  /** Raised by each claim; a write with an older one is refused. */
  readonly epoch: number
  /** Claims in a row after which nothing was stored. */
  readonly crashes: number
  /** Number of the last journal entry before the checkpoint. */
  readonly mark: number
  /** Where the run stands. */
  readonly status: RunStatus
  /** What the run was started under; see `RunDefinition`. `null` for `DurableRuns.run`. */
  readonly fingerprint: unknown
  /** What the run was started with. */
  readonly input?: unknown
  /** Where the run continues. Unset: at the beginning. */
  readonly checkpoint?: RunCheckpoint
  /** The stored result of a run that is over or waits, or the failure of its last try. */
  readonly result?: object
  /** The store's time to look again. */
  readonly wake?: number
  /** When the run was stored, in milliseconds since 1970. */
  readonly createdAt: number
  /** The last sign of life: a write, a heartbeat, or a change of the status; in milliseconds since 1970. */
  readonly updatedAt: number
}

/** Claims without a stored receipt or checkpoint after which a run is stopped. */
export const mostCrashes = 5

/** The statements that remove what is kept for a run. */
export const removeRun = (id: string): readonly Statement[] => [
  ...removeLog(`run:${id}`),
  { sql: 'DELETE FROM journal WHERE run = ?', params: [id] },
  { sql: 'DELETE FROM transcript WHERE run = ?', params: [id] },
  { sql: 'DELETE FROM inbox WHERE run = ?', params: [id] },
  { sql: 'DELETE FROM runs WHERE id = ?', params: [id] },
]

const open = `status IN ('ready', 'running', 'suspended')`

/** The rows of runs and their claims. */
export class RunTable {
  readonly #database: Database
  readonly #codec: BodyCodec

  constructor(database: Database, codec: BodyCodec) {
    this.#database = database
    this.#codec = codec
  }

  /** Stores the run unless it is there; it becomes claimable with `enqueue`. */
  async create(id: string, queue: string, fingerprint: unknown, input?: unknown): Promise<StoredRun> {
    await this.#database.write([this.insert(id, queue, fingerprint, input)])
    return this.get(id)
  }

  /** The statement that stores a new run. */
  insert(id: string, queue: string, fingerprint: unknown, input?: unknown): Statement {
    const now = this.#database.now()
    return {
      sql: `INSERT INTO runs (id, queue, engine, claim, epoch, crashes, writes, seen, mark, status, fingerprint, input, created, updated)
        VALUES (?, ?, '', 0, 0, 0, 0, -1, 0, 'ready', ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
      params: [
        id,
        queue,
        JSON.stringify(fingerprint ?? null),
        input === undefined ? null : this.#codec.encode(input),
        now,
        now,
      ],
    }
  }

  /**
   * Makes the run claimable in the engine, unless it is. Safe to call by anyone at any time: it repairs a run whose creator died, or whose engine run is gone.
   */
  async enqueue(run: StoredRun): Promise<void> {
    const { engine } = this.#database
    if (run.engine !== '' && (await engine.isLive(run.queue, run.engine))) return
    const started = await engine.start(run.queue, run.id)
    const result = await this.#database.write([
      {
        sql: `UPDATE runs SET engine = ?, claim = 0 WHERE id = ? AND engine = ? AND queue = ? AND ${open}`,
        params: [started, run.id, run.engine, run.queue],
        expect: 1,
      },
    ])
    if (result.ok) this.#database.notify(`queue:${run.queue}`)
    // Another process started it too, unless a worker has claimed this very run already.
    else if ((await this.find(run.id))?.engine !== started) await engine.cancel(run.queue, started)
  }

  async find(id: string): Promise<StoredRun | undefined> {
    const [row] = await this.#database.read('SELECT * FROM runs WHERE id = ?', [id])
    return row && this.#runOf(row)
  }

  /** @throws {DurableError} `not-found` */
  async get(id: string): Promise<StoredRun> {
    const run = await this.find(id)
    if (run) return run
    throw new DurableError('not-found', `there is no run "${id}" in this store`)
  }

  async list(where: string, params: readonly (string | number)[]): Promise<readonly StoredRun[]> {
    return (await this.#database.read(`SELECT * FROM runs WHERE ${where}`, params)).map((row) => this.#runOf(row))
  }

  /** Raises the epoch of a claimed run, which fences whoever had it before. `undefined`: the run is over, or the engine's run is not its own any more. */
  async take(claim: Claim): Promise<StoredRun | undefined> {
    const result = await this.#database.write([
      {
        sql: `UPDATE runs SET epoch = epoch + 1, engine = ?, claim = ?, status = 'running', updated = ?, seen = writes,
          crashes = CASE WHEN writes = seen THEN crashes + 1 ELSE 0 END
          WHERE id = ? AND (engine = ? OR engine = '') AND claim < ? AND ${open} RETURNING *`,
        // A worker may be faster than the process that starts the run: then the row has no engine's run yet.
        params: [claim.run, claim.attempt, this.#database.now(), claim.key, claim.run, claim.attempt],
      },
    ])
    const row = result.ok ? result.rows[0]?.[0] : undefined
    if (!row) await this.#database.engine.finish(claim)
    return row && this.#runOf(row)
  }

  /** The statement that fails unless this epoch still holds the run. `progress` counts the write as progress. */
  fence({ id, epoch }: StoredRun, progress: boolean): Statement {
    return {
      sql: `UPDATE runs SET updated = ?, writes = writes + ? WHERE id = ? AND epoch = ? AND status = 'running'`,
      params: [this.#database.now(), progress ? 1 : 0, id, epoch],
      expect: 1,
    }
  }

  /** The statement that ends this epoch's hold. */
  settle(run: StoredRun, status: RunStatus, result: unknown, wake?: number): Statement {
    return {
      sql: `UPDATE runs SET status = ?, result = ?, wake = ?, seen = -1, crashes = 0, updated = ?
        WHERE id = ? AND epoch = ? AND status = 'running'`,
      params: [status, this.#codec.encode(result), wake ?? null, this.#database.now(), run.id, run.epoch],
      expect: 1,
    }
  }

  /** Makes a held run `ready`. With the failure of its function it counts as a crash. */
  async release(run: StoredRun, failure: unknown): Promise<void> {
    const where = `WHERE id = ? AND epoch = ? AND status = 'running'`
    await this.#database.write([
      failure === undefined
        ? { sql: `UPDATE runs SET status = 'ready', seen = -1 ${where}`, params: [run.id, run.epoch] }
        : {
            sql: `UPDATE runs SET status = 'ready', result = ? ${where}`,
            params: [this.#codec.encode(failure), run.id, run.epoch],
          },
    ])
  }

  #runOf(row: Row): StoredRun {
    const { checkpoint, result, wake, input } = row
    return {
      id: String(row['id']),
      queue: String(row['queue']),
      engine: String(row['engine']),
      epoch: Number(row['epoch']),
      crashes: Number(row['crashes']),
      mark: Number(row['mark']),
      status: String(row['status']) as RunStatus,
      fingerprint: JSON.parse(String(row['fingerprint'])),
      ...(input !== null && { input: this.#codec.decode(input) }),
      ...(checkpoint !== null && { checkpoint: this.#codec.decode(checkpoint) as RunCheckpoint }),
      ...(result !== null && { result: this.#codec.decode(result) as object }),
      ...(wake !== null && { wake: Number(wake) }),
      createdAt: Number(row['created']),
      updatedAt: Number(row['updated']),
    }
  }
}
