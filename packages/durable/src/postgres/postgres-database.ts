import { Buffer } from 'node:buffer'
import { setTimeout as sleep } from 'node:timers/promises'
import { BackendPostgres } from 'openworkflow/postgres'
import postgres from 'postgres'
import { ChangeListeners } from '../database/change-listeners.js'
import type { Database, Row, SqlValue, Statement, WriteResult } from '../database/database.js'
import { DurableError } from '../database/durable-error.js'
import type { DurableEngine } from '../engine/engine.js'
import { OpenWorkflowEngine } from '../engine/open-workflow-engine.js'
import { isLostConnection, isRetryable, toError } from './postgres-error.js'

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
type Connection = Awaited<ReturnType<Sql['reserve']>>

/** A PostgreSQL database, shared by any number of processes. */
export class PostgresDatabase implements Database {
  readonly engine: DurableEngine
  readonly #sql: Sql
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
    this.#sql = postgres(url, {
      max: connections,
      prepare,
      onnotice: () => undefined,
      connection: { search_path: schema, application_name: 'modelport' },
      // BIGINT as number: every one here is a count or a time in milliseconds.
      types: { bigint: { to: 20, from: [20], serialize: String, parse: Number } },
      transform: { column: { from: postgres.toCamel } },
    })
    const backends = new Map<string, BackendPostgres>()
    this.engine = new OpenWorkflowEngine((queue) => {
      const backend = backends.get(queue) ?? BackendPostgres.fromPool(this.#sql, { namespaceId: queue, schema })
      backends.set(queue, backend)
      return backend
    })
  }

  /**
   * Connects, and brings the engine's tables to its newest version.
   *
   * @throws {DurableError} `unavailable`
   */
  static async connect(settings: PostgresSettings): Promise<PostgresDatabase> {
    const database = new PostgresDatabase(settings)
    try {
      await database.#migrateEngine()
      await database.#readClock()
      await database.#sql.listen(channelOf(settings.schema), (keys) => database.#hear(keys))
      database.#poll = setInterval(() => void database.#lookAround(), pollMs).unref()
      return database
    } catch (error) {
      await database.close()
      throw toError(error)
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
    return this.#retry(async () => [...(await this.#sql.unsafe<Row[]>(numbered(sql), [...params], { prepare: true }))])
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
    await this.#sql.end({ timeout: 2 })
  }

  async #tryWrite(statements: readonly Statement[]): Promise<
    | { readonly result: WriteResult }
    | {
        readonly error: unknown
        readonly committing?: { readonly id: string; readonly rows: readonly (readonly Row[])[] }
      }
  > {
    let connection: Connection | undefined
    let committing: { id: string; rows: readonly (readonly Row[])[] } | undefined
    let isOpen = true
    try {
      connection = await this.#sql.reserve()
      const { id, rows, failed } = await sendAll(connection, statements)
      if (failed >= 0) {
        await connection.unsafe('ROLLBACK')
        return { result: { ok: false, failed } }
      }
      committing = { id, rows }
      await connection.unsafe('COMMIT')
      return { result: { ok: true, rows } }
    } catch (error) {
      isOpen = !isLostConnection(error)
      if (isOpen) await connection?.unsafe('ROLLBACK').catch(() => (isOpen = false))
      return { error, ...(committing && { committing }) }
    } finally {
      // A connection that is gone has left the pool by itself.
      if (isOpen) connection?.release()
    }
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

  /** Two processes must not create the schema at once: PostgreSQL reports a duplicate even with IF NOT EXISTS. */
  async #migrateEngine(): Promise<void> {
    const { url, schema } = this.#settings
    const connection = await this.#sql.reserve()
    try {
      await connection`SELECT pg_advisory_lock(hashtext(${`modelport ${schema}`}))`
      try {
        const backend = await BackendPostgres.connect(url, { schema })
        await backend.stop()
      } finally {
        await connection`SELECT pg_advisory_unlock(hashtext(${`modelport ${schema}`}))`
      }
    } finally {
      connection.release()
    }
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

/** Begins a transaction and sends all statements without waiting for each reply. */
async function sendAll(
  connection: Connection,
  statements: readonly Statement[],
): Promise<{ id: string; rows: readonly (readonly Row[])[]; failed: number }> {
  const begin = connection.unsafe('BEGIN')
  const sent = statements.map(({ sql, params = [] }) =>
    connection.unsafe<Row[]>(numbered(sql), [...params], { prepare: params.length > 0 }),
  )
  const transaction = connection.unsafe<{ id: string }[]>('SELECT pg_current_xact_id()::text AS id')
  await Promise.allSettled([begin, ...sent, transaction])
  await begin
  const rows: (readonly Row[])[] = []
  // In order: the statement after one that failed its expectation may have broken a constraint because of that.
  for (const [index, statement] of statements.entries()) {
    const result = await (sent[index] ?? [])
    const count = 'count' in result ? result.count : result.length
    if (statement.expect !== undefined && count !== statement.expect) return { id: '', rows: [], failed: index }
    rows.push([...result])
  }
  return { id: (await transaction)[0]?.id ?? '', rows, failed: -1 }
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
