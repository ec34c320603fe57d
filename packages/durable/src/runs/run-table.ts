import { configError } from '@modelport/core'
import type { ResumeDecision } from '@modelport/runtime'
import type { BodyCodec, BodyPlace } from '../database/body-codec.js'
import { checkArguments } from '../database/check-arguments.js'
import type { Database, SqlValue, Statement } from '../database/database.js'
import { DurableError } from '../database/durable-error.js'
import { removeLog } from '../database/event-log.js'
import { type ClaimQuery, claimRun } from './claim.js'
import { taskOfRun } from './session-turns.js'
import {
  type DurableRunStatus,
  decisionId,
  hasCancelableWork,
  isOver,
  itemOf,
  placeInRun,
  type RunRow,
  requestIdOf,
  runOf,
} from './stored-run.js'
import { transition } from './transitions.js'

/** The first values of a new run. */
export interface NewRun {
  readonly id: string
  readonly queue: string
  readonly version: string
  readonly fingerprint: unknown
  readonly input?: unknown
  /** When it can be claimed. `null`: not before something sets it. Default: at once. */
  readonly due?: null
}

/** Log of a run's events. */
export const eventsOf = (id: string): string => `run:${id}`
/** Log of what a run did. */
export const journalOf = (id: string): string => `journal:${id}`
/** Log of the messages that the checkpoint stands on. */
export const transcriptOf = (id: string): string => `transcript:${id}`

/** Notified when a run of the queue may have become due. */
export const queueKey = (queue: string): string => `queue:${queue}`
/** Notified when the run may have changed. */
export const stateKey = (id: string): string => `state:${id}`
/** Notified when somebody decided about the run, or cancelled it. */
export const mailKey = (id: string): string => `mail:${id}`

/** The statements that remove what is kept for a run. */
export const removeRun = (id: string): readonly Statement[] => [
  ...removeLog(eventsOf(id)),
  { sql: 'DELETE FROM entries WHERE log = ?', params: [journalOf(id)] },
  { sql: 'DELETE FROM entries WHERE log = ?', params: [transcriptOf(id)] },
  { sql: 'DELETE FROM inbox WHERE run = ?', params: [id] },
  { sql: 'DELETE FROM runs WHERE id = ?', params: [id] },
]

/**
 * Where a decision is: with what it is about, one attempt of a call, so that it decides nothing
 * else. The checkpoint is not part of it, since a decision may be carried to the next one.
 */
function placeOfDecision({ id, checkpoint }: RunRow, item: string): BodyPlace {
  const asked = checkpoint?.pending.find((one) => one.id === item)
  return ['inbox', id, asked ? requestIdOf(asked) : item]
}

/**
 * The rows of runs. Each change of a run is in one transaction, that is one call of
 * `Database.write`; see {@link transition}.
 */
export class RunTable {
  readonly #database: Database
  readonly #codec: BodyCodec

  constructor(database: Database, codec: BodyCodec) {
    this.#database = database
    this.#codec = codec
  }

  /**
   * Stores the run unless it is there. It can be claimed at once.
   * @returns false if a run of this id is there
   */
  async create(run: NewRun): Promise<boolean> {
    checkArguments('a run', { id: run.id }, { id: 'required' })
    if (taskOfRun(run.id) !== undefined)
      throw configError(`the id of a run must not begin with "task:", as ${JSON.stringify(run.id)}`)
    const { ok } = await this.#database.write([{ ...this.insert(run), expect: 1 }])
    this.#database.notify(queueKey(run.queue))
    return ok
  }

  insert({ id, queue, version, fingerprint, input, due }: NewRun): Statement {
    const now = this.#database.now()
    return {
      sql: `INSERT INTO runs (id, queue, version, status, holder, epoch, due, phase, alone, crashes, tries, progress, checks, mark, journal,
        transcript, events, mail, accepts, trimmed, fingerprint, input, created, updated)
        VALUES (?, ?, ?, 'ready', NULL, 0, ?, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
      params: [
        id,
        queue,
        version,
        due === null ? null : now,
        JSON.stringify(fingerprint ?? null),
        input === undefined ? null : this.#codec.encode(input, placeInRun(id, 'input')),
        now,
        now,
      ],
    }
  }

  /** Says that runs of the queue may have become due. */
  notifyDue({ id, queue }: Pick<RunRow, 'id' | 'queue'>): void {
    this.#notifyState(id)
    this.#database.notify(queueKey(queue))
  }

  /** Also to readers of its events: the run may be over. */
  #notifyState(id: string): void {
    this.#database.notify(stateKey(id))
    this.#database.notify(eventsOf(id))
  }

  /** Claims a run; see `claimRun`. */
  claim(query: ClaimQuery): Promise<RunRow | 'again' | undefined> {
    return claimRun(this.#database, this.#codec, query)
  }

  async find(id: string): Promise<RunRow | undefined> {
    checkArguments('a run', { id }, { id: 'required' })
    const [row] = await this.#database.read('SELECT * FROM runs WHERE id = ?', [id])
    return row && runOf(row, this.#codec)
  }

  /** @throws {DurableError} `not-found` */
  async get(id: string): Promise<RunRow> {
    const run = await this.find(id)
    if (run) return run
    throw new DurableError('not-found', `there is no task or run "${id}" in this store`)
  }

  async list(where: string, params: readonly SqlValue[]): Promise<readonly RunRow[]> {
    const rows = await this.#database.read(`SELECT * FROM runs WHERE ${where}`, params)
    return rows.map((row) => runOf(row, this.#codec))
  }

  /**
   * Fails unless this epoch holds the run. With `leaseMs` it also extends the lease. `set` and
   * `and` add changes and conditions.
   */
  fence(
    { id, epoch }: RunRow,
    leaseMs: number | undefined,
    {
      set = '',
      params = [],
      and = '',
    }: { set?: string; params?: readonly SqlValue[]; and?: string } = {},
  ): Statement {
    const extras = { set, params, and }
    if (leaseMs === undefined) return { ...transition('write', { id, epoch }, extras), expect: 1 }

    const now = this.#database.now()
    return { ...transition('keep', { id, epoch, now, until: now + leaseMs }, extras), expect: 1 }
  }

  /**
   * The statement that ends this epoch's hold, with changes of the counters. A run that waits
   * becomes due at its time, or is `ready` if a decision came that this hold has not seen.
   */
  settle(
    { id, epoch, mail }: RunRow,
    { status, result, wake, phase = 1, set = '', params = [] }: Settlement,
  ): Statement {
    const values = {
      id,
      epoch,
      phase,
      now: this.#database.now(),
      result: result === undefined ? null : this.#codec.encode(result, placeInRun(id, 'result')),
    }
    const statement =
      status === 'suspended'
        ? transition('wait', { ...values, seen: mail, wake: wake ?? null }, { set, params })
        : transition('end', { ...values, status }, { set, params })
    return { ...statement, expect: 1 }
  }

  /**
   * Makes a held run claimable again: at once, or after a while with the failure of its function,
   * which counts as a crash.
   */
  async release(run: RunRow, failure?: unknown): Promise<void> {
    const { id, epoch, crashes } = run
    const now = this.#database.now()
    const values = { id, epoch, now }
    await this.#database.write([
      failure === undefined
        ? transition('give back', values)
        : transition('fail', {
            ...values,
            later: now + 200 * 2 ** crashes,
            result: this.#codec.encode(failure, placeInRun(id, 'result')),
          }),
    ])
    this.notifyDue(run)
  }

  /**
   * Stores a decision about an item that the run's checkpoint asks for. A run that waits is `ready`
   * then, whatever the clock of the next process says. False: the item was decided before; the
   * first decision counts. Undefined: the checkpoint is another one by now, or the run is over.
   */
  async decide(run: RunRow, decision: ResumeDecision): Promise<boolean | undefined> {
    const { id, checks } = run
    const now = this.#database.now()
    const result = await this.#database.write([
      { ...transition('decide', { id, checks, now }), expect: 1 },
      {
        sql: 'INSERT INTO inbox (id, run, about, at, body) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
        params: [
          decisionId(id, checks, decision.id),
          id,
          checks,
          now,
          this.#codec.encode(decision, placeOfDecision(run, decision.id)),
        ],
        expect: 1,
      },
    ])
    if (!result.ok) return result.failed === 1 ? false : undefined
    this.#database.notify(mailKey(id))
    this.notifyDue(run)
    return true
  }

  /** The decisions about what the run's checkpoint asks for, in order. */
  async decisions(run: RunRow): Promise<readonly ResumeDecision[]> {
    if (run.mail === 0) return []
    const rows = await this.#database.read(
      'SELECT id, body FROM inbox WHERE run = ? AND about = ? ORDER BY at, id',
      [run.id, run.checks],
    )
    return rows.map(
      ({ id, body }) =>
        this.#codec.decode(body, placeOfDecision(run, itemOf(String(id)))) as ResumeDecision,
    )
  }

  /**
   * Cancels a run: one that nobody holds is over at once, or can be claimed if it waits for work
   * that a tool can cancel; a holder stops. Nothing happens to one that is over.
   * @returns false if what it waits for changed meanwhile
   */
  async cancel(run: RunRow, reason: string): Promise<boolean> {
    const { id, checks } = run
    if (isOver(run) || run.cancel !== undefined) return true
    const values = {
      id,
      checks,
      now: this.#database.now(),
      work: hasCancelableWork(run) ? 1 : 0,
      cancel: this.#codec.encode(reason, placeInRun(id, 'cancel')),
      result: this.#codec.encode({ status: 'cancelled', reason }, placeInRun(id, 'result')),
    }
    const result = await this.#database.write([{ ...transition('cancel', values), expect: 1 }])
    if (!result.ok) return false
    this.#database.notify(mailKey(id))
    this.notifyDue(run)
    return true
  }

  /**
   * Opens a run that stopped or failed again, or takes one from its holder. It continues from its
   * checkpoint.
   * @param also is part of the transaction
   */
  async reopen(
    run: RunRow,
    { queue, version, fingerprint, acceptsChange }: ReopenOptions,
    also: readonly Statement[] = [],
  ): Promise<boolean> {
    const values = {
      id: run.id,
      epoch: run.epoch,
      status: run.status,
      now: this.#database.now(),
      queue: queue ?? run.queue,
      version: version ?? run.version,
      fingerprint: JSON.stringify(fingerprint ?? run.fingerprint ?? null),
      accepts: acceptsChange ? 1 : 0,
    }
    const statement = { ...transition('reopen', values), expect: 1 }
    const result = await this.#database.write([statement, ...also])
    if (result.ok) this.notifyDue({ id: run.id, queue: queue ?? run.queue })
    return result.ok
  }

  /**
   * Moves one page of the runs of a version to another one: those that stopped or that no process
   * works on can be claimed at once, and continue under the changed settings. Runs that wait for
   * somebody wait on, and continue under it later.
   * @returns how many were moved
   */
  async moveVersion(queue: string, from: string, to: string): Promise<number> {
    const now = this.#database.now()
    const movable = `queue = ? AND version = ?
      AND (status IN ('ready', 'suspended', 'stopped') OR (status = 'running' AND due <= ?))`
    const which = {
      which: `id IN (SELECT id FROM runs WHERE ${movable} LIMIT ${movedAtOnce}${this.#database.lockRows})`,
      whichParams: [queue, from, now],
      returning: ' RETURNING id',
    }
    const result = await this.#database.write([
      transition('move to a version', { now, version: to }, which),
    ])
    const moved = result.ok ? (result.rows[0] ?? []) : []
    for (const { id } of moved) this.#notifyState(String(id))
    this.#database.notify(queueKey(queue))
    return moved.length
  }

  /**
   * The versions of a queue that have runs which can become due: one look into the index for each.
   */
  async versionsOf(queue: string): Promise<readonly string[]> {
    const found: string[] = []
    for (let last: string | undefined; found.length < mostVersions; found.push(last)) {
      const [row] = await this.#database.read(
        `SELECT version FROM runs WHERE queue = ? AND due IS NOT NULL${last === undefined ? '' : ' AND version > ?'} ORDER BY version LIMIT 1`,
        last === undefined ? [queue] : [queue, last],
      )
      if (!row) break
      last = String(row['version'])
    }
    return found
  }
}

/** Runs that one transaction moves to another version. */
const movedAtOnce = 1000

/** Versions of one agent or definition that are looked at. */
const mostVersions = 100

/** How a hold ends. */
export interface Settlement {
  readonly status: Exclude<DurableRunStatus, 'running' | 'ready'>
  readonly result?: unknown
  /** When a run that waits becomes claimable. */
  readonly wake?: number | undefined
  /** Default 1; see `RunRow`. */
  readonly phase?: number
  readonly set?: string
  readonly params?: readonly SqlValue[]
}

/** The definition under which a run is reopened; default: the one that it was started under. */
export interface ReopenOptions {
  readonly queue?: string
  readonly version?: string
  readonly fingerprint?: unknown
  readonly acceptsChange: boolean
}
