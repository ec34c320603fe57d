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
import { migrateEngine } from './migrate-engine.js'
import { isRetryable, toError } from './postgres-error.js'
import { inTime, isSilent, silenceMs } from './silence.js'
import { commitText, expectationFailed, snapshotText, transactionLost, transactionText } from './transaction-text.js'

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
      types: { bigint: { to: 20, from: [20], serialize: String, parse: Number } },
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
    for (;;) {
      this.#checkOpen()
      const attempt = await this.#tryWrite(statements)
      if ('result' in attempt) return attempt.result
      if (!isRetryable(attempt.error) || performance.now() > until) throw toError(attempt.error)
      await sleep(retryMs)
      // The connection broke while it committed: the server knows whether it did.
      if (attempt.committing && (await this.#wasCommitted(attempt.committing.id, until)))
        return { ok: true, rows: attempt.committing.rows }
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

  async #tryWrite(statements: readonly Statement[]): Promise<Attempt> {
    const client = await this.#transactions.acquire()
    let isBroken = false
    let committing: { id: string; rows: readonly (readonly Row[])[] } | undefined
    try {
      const results: unknown = await inTime(client.unsafe(transactionText(statements)))
      const rows = (results as (readonly Row[])[]).slice(1).map((found) => [...found])
      committing = { id: String(rows.pop()?.[0]?.['id']), rows }
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

  async #wasCommitted(id: string, until: number): Promise<boolean> {
    for (;;) {
      const [row] = await this.read('SELECT pg_xact_status(?::xid8) AS status', [id])
      if (row?.['status'] !== 'in progress') return row?.['status'] === 'committed'
      if (performance.now() > until)
        throw new DurableError('unavailable', 'PostgreSQL does not say whether it committed a transaction')
      await sleep(retryMs)
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

const spelled = new Map<string, string>()

/** `?` as `$1`, `$2`, …; none of our statements has a question mark in a text. */
function numbered(sql: string): string {
  let found = spelled.get(sql)
  if (found === undefined) {
    let index = 0
    spelled.set(sql, (found = sql.replace(/\?/g, () => `$${++index}`)))
  }
  return found
}
