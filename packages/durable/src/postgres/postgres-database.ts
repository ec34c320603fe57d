import { Buffer } from 'node:buffer'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { ChangeListeners } from '../database/change-listeners.js'
import type { Database, Row, SqlValue, Statement, WriteResult } from '../database/database.js'
import { DurableError } from '../database/durable-error.js'
import { channelOf } from './channel.js'
import { ClientPool } from './client-pool.js'
import { CommitMarks, type MarkWriter } from './commit-marks.js'
import { codeOf, isLostConnection, isRetryable, toError } from './postgres-error.js'
import { prepareSchema } from './prepare-schema.js'
import { inTime, isSilent } from './silence.js'
import {
  type CommitMark,
  expectationFailed,
  markTaken,
  moveMark,
  transactionText,
  withNumbers,
  writerText,
} from './transaction-text.js'

/** Settings of a {@link PostgresDatabase}. */
export interface PostgresSettings {
  readonly url: string
  readonly schema: string
  readonly connections: number
  /** How long a lost connection is tried again, in milliseconds. */
  readonly reconnectMs: number
  readonly prepare: boolean
  readonly create: boolean
}

type Sql = ReturnType<typeof postgres>

/** A PostgreSQL database, shared by any number of processes. */
export class PostgresDatabase implements Database {
  readonly lockRows = ' FOR UPDATE SKIP LOCKED'
  readonly #sql: Sql
  readonly #transactions: ClientPool
  readonly #marks = new CommitMarks()
  readonly #settings: PostgresSettings
  readonly #listeners = new ChangeListeners()
  readonly #changed = new Set<string>()
  /**
   * The server's clock minus ours, or a little less: never more, so that this clock is never set
   * back.
   */
  #offset = -Infinity
  #timer: ReturnType<typeof setTimeout> | undefined
  #flushAt = Infinity
  #flushedAt = 0
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
      // Texts are quoted by doubling quotes, whatever the database's own setting is.
      connection: {
        search_path: `"${schema}"`,
        application_name: 'modelport',
        standard_conforming_strings: 'on',
      },
      // BIGINT as number: every one here is a count or a time in milliseconds.
      types: {
        bigint: { to: 20, from: [20], serialize: String, parse: Number },
      },
      // The package asks a new connection for all types of arrays. If the connection breaks then,
      // the rejection is unhandled and ends the process.
      fetch_types: false,
    }
    this.#sql = postgres(url, { ...options, max: Math.ceil(connections / 2) })
    this.#transactions = new ClientPool(Math.ceil(connections / 2), () =>
      postgres(url, { ...options, max: 1 }),
    )
  }

  /**
   * Connects, and makes the schema if `create` is true. A server that stops or starts is tried
   * again for `reconnectMs`.
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
      const writer = this.#marks.acquire()
      const result = await this.#writeBy(writer, statements, until)
      // A mark that is gone was removed because its writer was idle for long: another writer begins
      // anew.
      if (!result) continue
      this.#marks.release(writer)
      return result
    }
  }

  async read(sql: string, params: readonly SqlValue[] = []): Promise<readonly Row[]> {
    return this.#retry(async () => [
      ...(await inTime(this.#sql.unsafe<Row[]>(withNumbers(sql), [...params], { prepare: true }))),
    ])
  }

  now(): number {
    return Math.round(performance.now() + this.#offset)
  }

  notify(key: string): void {
    queueMicrotask(() => this.#listeners.notify(key))
    this.#changed.add(key)
    // Readers of events wait for the next notification if there was one just now; a start, a
    // decision or an end does not.
    const isEvent = /^(?:run|task):/.test(key)
    const at = Math.max(performance.now() + coalesceMs, isEvent ? this.#flushedAt + eventsMs : 0)
    if (at >= this.#flushAt) return
    clearTimeout(this.#timer)
    this.#flushAt = at
    this.#timer = setTimeout(() => void this.#flush(), Math.max(0, at - performance.now())).unref()
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

  /**
   * @throws what keeps it from committing; its outcome may be unknown then, and its writer is not
   * used again
   */
  async #writeBy(
    writer: MarkWriter,
    statements: readonly Statement[],
    until: number,
  ): Promise<WriteResult | undefined> {
    for (;;) {
      this.#checkOpen()
      const mark = writer.next()
      const attempt = await this.#tryWrite(statements, writer, mark)
      if ('result' in attempt) return attempt.result
      const { error, isUnknown } = attempt
      if (codeOf(error) === markTaken) return undefined
      if (!isRetryable(error) || performance.now() > until) throw toError(error)
      await sleep(retryMs)
      if (!isUnknown) continue
      // The connection broke while the server had the transaction: it may have committed it.
      if (await this.#wasCommitted(mark)) return { ok: true, rows: [] }
      writer.skip()
    }
  }

  async #tryWrite(
    statements: readonly Statement[],
    writer: MarkWriter,
    mark: CommitMark,
  ): Promise<Attempt> {
    const client = await this.#transactions.acquire()
    let isBroken = false
    let isSent = false
    try {
      if (!writer.isKnown) await inTime(client.unsafe(writerText(writer.name)))
      writer.isKnown = true
      isSent = true
      const results: unknown = await inTime(client.unsafe(transactionText(statements, mark)))
      const rows = (results as (readonly Row[])[]).slice(2).map((found) => [...found])
      return { result: { ok: true, rows } }
    } catch (error) {
      const { code, message } = error as { readonly code?: string; readonly message?: string }
      isBroken =
        isSilent(error) || (await inTime(client.unsafe('ROLLBACK')).catch(isSilent)) === true
      const isUnknown = isSent && isLostConnection(error)
      // A transaction that was rolled back has left no mark.
      if (!isUnknown) writer.undo()
      if (code === expectationFailed) return { result: { ok: false, failed: Number(message) } }
      return { error, isUnknown }
    } finally {
      if (isBroken) this.#transactions.discard(client)
      else this.#transactions.release(client)
    }
  }

  /**
   * Moves the mark past that of the transaction: if that is possible, it was not committed and
   * never will be.
   */
  async #wasCommitted(mark: CommitMark): Promise<boolean> {
    return this.#retry(async () => {
      await inTime(this.#sql.unsafe(moveMark(mark, mark.counted + 1)))
      const [row] = await inTime(
        this.#sql.unsafe<Row[]>('SELECT counted FROM commits WHERE writer = $1', [mark.writer]),
      )
      return Number(row?.['counted']) === mark.counted
    })
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
    if (this.#settings.create) await prepareSchema(this.#transactions, this.#settings.schema)
    await this.#readClock()
    await inTime(this.#sql.listen(channelOf(this.#settings.schema), (keys) => this.#hear(keys)))
    this.#poll = setInterval(() => void this.#lookAround(), pollMs).unref()
  }

  async #readClock(): Promise<void> {
    const before = performance.now()
    const [row] = await this.read(
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now',
    )
    const now = Number(row?.['now'])
    this.#offset = Math.min(Math.max(this.#offset, now - performance.now()), now - before)
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
    this.#flushAt = Infinity
    this.#flushedAt = performance.now()
    const keys = [...this.#changed].join('\n')
    this.#changed.clear()
    // A payload has at most 8,000 bytes; an empty one means "look at everything".
    const payload = Buffer.byteLength(keys) > 7500 ? '' : keys
    await this.#sql.notify(channelOf(this.#settings.schema), payload).catch(() => undefined)
  }
}

const retryMs = 100
const coalesceMs = 5
const eventsMs = 50
const pollMs = 1000

/**
 * The outcome of one try: a result, or an error and whether the server may still have committed the
 * transaction.
 */
type Attempt =
  | { readonly result: WriteResult }
  | { readonly error: unknown; readonly isUnknown: boolean }
