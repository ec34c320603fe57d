import { Buffer } from 'node:buffer'
import { setTimeout as sleep } from 'node:timers/promises'
import { BackendPostgres } from 'openworkflow/postgres'
import postgres from 'postgres'
import { ChangeListeners } from '../database/change-listeners.js'
import type { Database, Row, SqlValue, Statement, WriteResult } from '../database/database.js'
import { DurableError } from '../database/durable-error.js'
import type { DurableEngine } from '../engine/engine.js'
import { backendOf, type EngineBackend, OpenWorkflowEngine } from '../engine/open-workflow-engine.js'
import { ClientPool } from './client-pool.js'
import { CommitMarks } from './commit-marks.js'
import { migrateEngine } from './migrate-engine.js'
import { isForgottenTransaction, isRetryable, toError } from './postgres-error.js'
import { inTime, isSilent, silenceMs } from './silence.js'
import {
  type CommitMark,
  commitText,
  expectationFailed,
  numbered,
  snapshotText,
  toTextArray,
  transactionLost,
  transactionText,
} from './transaction-text.js'

/** Settings of a {@link PostgresDatabase}. */
export interface PostgresSettings {
  readonly url: string
  readonly schema: string
  readonly connections: number
  /** How long a lost connection is tried again, in milliseconds. */
  readonly reconnectMs: number
  readonly prepare: boolean
}

type Sql = ReturnType<typeof postgres>

/** A PostgreSQL database, shared by any number of processes. */
export class PostgresDatabase implements Database {
  readonly engine: DurableEngine
  readonly #sql: Sql
  readonly #transactions: ClientPool
  readonly #marks = new CommitMarks()
  readonly #settings: PostgresSettings
  readonly #listeners = new ChangeListeners()
  readonly #changed = new Set<string>()
  #offset = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #poll: ReturnType<typeof setInterval> | undefined
  #closed = false

  private constructor(settings: PostgresSettings) {
    const { url, schema, connections, prepare } = settings
    this.#settings = settings
    const options = {
      prepare,
      onnotice: () => undefined,
      // Seconds; its own default grows to 20.
      backoff: () => 0.05,
      connect_timeout: 10,
      connection: { search_path: schema, application_name: 'modelport' },
      // BIGINT as number: every one here is a count or a time in milliseconds.
      types: {
        bigint: { to: 20, from: [20], serialize: String, parse: Number },
        // The engine passes ids as an array.
        texts: { to: 1009, from: [], serialize: toTextArray, parse: String },
      },
      // The package asks a new connection for all types of arrays. If the connection breaks then, the rejection is unhandled and ends the process.
      fetch_types: false,
      transform: { column: { from: postgres.toCamel } },
    }
    this.#sql = postgres(url, { ...options, max: Math.ceil(connections / 2) })
    this.#transactions = new ClientPool(Math.ceil(connections / 2), () => postgres(url, { ...options, max: 1 }))
    const client = this.#engineClient()
    this.engine = new OpenWorkflowEngine(
      (queue) => this.#inTime(BackendPostgres.fromPool(client, { namespaceId: queue, schema })),
      this,
    )
  }

  /**
   * Connects, and brings the engine's tables to its newest version. A server that stops or starts is tried again for `reconnectMs`.
   *
   * @throws {DurableError} `unavailable`
   */
  static async connect(settings: PostgresSettings): Promise<PostgresDatabase> {
    const until = performance.now() + settings.reconnectMs
    for (;;) {
      const database = new PostgresDatabase(settings)
      try {
        await database.#open()
        return database
      } catch (error) {
        await database.close()
        if (!isRetryable(error) || performance.now() > until) throw toError(error)
        await sleep(retryMs)
      }
    }
  }

  async write(statements: readonly Statement[]): Promise<WriteResult> {
    const until = performance.now() + this.#settings.reconnectMs
    const writer = this.#marks.acquire()
    try {
      for (;;) {
        this.#checkOpen()
        const mark = writer.next()
        const attempt = await this.#tryWrite(statements, mark)
        if ('result' in attempt) return attempt.result
        if (!isRetryable(attempt.error) || performance.now() > until) throw toError(attempt.error)
        await sleep(retryMs)
        // The connection broke while it committed: the server knows whether it did.
        if (attempt.committing && (await this.#wasCommitted(attempt.committing.id, mark, until)))
          return { ok: true, rows: attempt.committing.rows }
      }
    } finally {
      this.#marks.release(writer)
    }
  }

  async read(sql: string, params: readonly SqlValue[] = []): Promise<readonly Row[]> {
    return this.#retry(async () => [
      ...(await inTime(this.#sql.unsafe<Row[]>(numbered(sql), [...params], { prepare: true }))),
    ])
  }

  async snapshot(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    return this.#retry(async () => {
      const client = await this.#transactions.acquire()
      let isBroken = false
      try {
        const results: unknown = await inTime(client.unsafe(snapshotText(statements)))
        return (results as (readonly Row[])[]).slice(1, -1).map((rows) => [...rows])
      } catch (error) {
        isBroken = isSilent(error) || (await inTime(client.unsafe('ROLLBACK')).catch(isSilent)) === true
        throw error
      } finally {
        if (isBroken) this.#transactions.discard(client)
        else this.#transactions.release(client)
      }
    })
  }

  now(): number {
    return Math.round(performance.now() + this.#offset)
  }

  notify(key: string): void {
    queueMicrotask(() => this.#listeners.notify(key))
    this.#changed.add(key)
    this.#timer ??= setTimeout(() => void this.#flush(), coalesceMs).unref()
  }

  watch(key: string, onChange: () => void): () => void {
    return this.#listeners.add(key, onChange)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    clearTimeout(this.#timer)
    clearInterval(this.#poll)
    await Promise.all([this.#sql.end({ timeout: 2 }), this.#transactions.close(2)])
  }

  async #tryWrite(statements: readonly Statement[], mark: CommitMark): Promise<Attempt> {
    const client = await this.#transactions.acquire()
    let isBroken = false
    let committing: { id: string; rows: readonly (readonly Row[])[] } | undefined
    try {
      const results: unknown = await inTime(client.unsafe(transactionText(statements, mark)))
      const found = (results as (readonly Row[])[]).slice(1).map((rows) => [...rows])
      const rows = found.slice(0, statements.length)
      committing = { id: String(found.at(-1)?.[0]?.['id']), rows }
      await inTime(client.unsafe(commitText(committing.id)))
      return { result: { ok: true, rows } }
    } catch (error) {
      const { code, message } = error as { readonly code?: string; readonly message?: string }
      isBroken = isSilent(error) || (await inTime(client.unsafe('ROLLBACK')).catch(isSilent)) === true
      if (code === expectationFailed) return { result: { ok: false, failed: Number(message) } }
      return { error, ...(committing && code !== transactionLost && { committing }) }
    } finally {
      if (isBroken) this.#transactions.discard(client)
      else this.#transactions.release(client)
    }
  }

  /** The engine's methods, each retried like a read. A repeated call that had succeeded leaves a run or a wait that the next claim removes. */
  #inTime(backend: EngineBackend): EngineBackend {
    return backendOf((method, params) =>
      this.#retry(() => inTime((backend[method] as (given: unknown) => Promise<unknown>).call(backend, params))),
    )
  }

  /** The pool for the engine, whose transactions run on our clients of one connection. */
  #engineClient(): Sql {
    const reserve = async (): Promise<Sql> => {
      const client = await this.#transactions.acquire()
      let isHeld = true
      const end = (close: () => void) => () => {
        clearTimeout(timer)
        if (isHeld) close()
        isHeld = false
      }
      // A query that is never replied to never releases its client.
      const timer = setTimeout(
        end(() => this.#transactions.discard(client)),
        silenceMs,
      )
      return Object.assign(new Proxy(client, {}), { release: end(() => this.#transactions.release(client)) })
    }
    return new Proxy(this.#sql, {
      get: (target, name, receiver: unknown) =>
        (name === 'reserve' ? reserve : Reflect.get(target, name, receiver)) as unknown,
    })
  }

  async #wasCommitted(id: string, { writer, counted }: CommitMark, until: number): Promise<boolean> {
    while (await this.#isInProgress(id)) {
      if (performance.now() > until)
        throw new DurableError('unavailable', 'PostgreSQL does not say whether it committed a transaction')
      await sleep(retryMs)
    }
    const marks = await this.read('SELECT 1 AS found FROM commits WHERE writer = ? AND counted = ?', [writer, counted])
    return marks.length > 0
  }

  async #isInProgress(id: string): Promise<boolean> {
    try {
      const [row] = await this.read('SELECT pg_xact_status(?::xid8) AS status', [id])
      return row?.['status'] === 'in progress'
    } catch (error) {
      if (isForgottenTransaction(error)) return false
      throw error
    }
  }

  async #retry<Result>(run: () => Promise<Result>): Promise<Result> {
    const until = performance.now() + this.#settings.reconnectMs
    for (;;) {
      this.#checkOpen()
      try {
        return await run()
      } catch (error) {
        if (!isRetryable(error) || performance.now() > until) throw toError(error)
        await sleep(retryMs)
      }
    }
  }

  #checkOpen(): void {
    if (this.#closed) throw new DurableError('closed', 'the store was closed')
  }

  async #open(): Promise<void> {
    await migrateEngine(this.#transactions, this.#settings)
    await this.#readClock()
    await inTime(this.#sql.listen(channelOf(this.#settings.schema), (keys) => this.#hear(keys)))
    this.#poll = setInterval(() => void this.#lookAround(), pollMs).unref()
  }

  async #readClock(): Promise<void> {
    const before = performance.now()
    const [row] = await this.read('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now')
    this.#offset = Number(row?.['now']) - (before + performance.now()) / 2
  }

  #hear(keys: string): void {
    if (keys === '') this.#listeners.notifyAll()
    else for (const key of keys.split('\n')) this.#listeners.notify(key)
  }

  /** Behind the notifications: a pooler may swallow them, and a connection may have been away. */
  async #lookAround(): Promise<void> {
    this.#listeners.notifyAll()
    await this.#readClock().catch(() => undefined)
  }

  async #flush(): Promise<void> {
    this.#timer = undefined
    const keys = [...this.#changed].join('\n')
    this.#changed.clear()
    // A payload has at most 8,000 bytes; an empty one means "look at everything".
    const payload = Buffer.byteLength(keys) > 7500 ? '' : keys
    await this.#sql.notify(channelOf(this.#settings.schema), payload).catch(() => undefined)
  }
}

const channelOf = (schema: string): string => `modelport_${schema}`
const retryMs = 100
const coalesceMs = 5
const pollMs = 1000

/** What came of one try: a result, or an error with the transaction whose commit may have reached the server. */
type Attempt =
  | { readonly result: WriteResult }
  | {
      readonly error: unknown
      readonly committing?: { readonly id: string; readonly rows: readonly (readonly Row[])[] }
    }
