import type { BodyCodec, BodyPlace } from './body-codec.js'
import type { Database, SqlValue, Statement } from './database.js'

/** One entry of a log. */
export interface LogEntry {
  /** 1 for the first entry of the log, then without gaps. */
  readonly seq: number
  readonly kind: string
  readonly body: unknown
}

/** An entry before it has a number. */
export type NewLogEntry = Omit<LogEntry, 'seq'>

/** An entry as it is stored. */
export interface EntryRow {
  readonly log: string
  readonly seq: number
  readonly kind: string
  readonly body: string
}

/**
 * Where the body of an entry is. An entry of a session gets its number from the database when it is
 * stored, so that it is bound to the session alone.
 */
export const placeOfEntry = ({ log, seq, kind }: Omit<EntryRow, 'body'>): BodyPlace => [
  'entries',
  log,
  log.startsWith('session:') ? 0 : seq,
  kind,
]

/** Rows of one INSERT: SQLite takes 32,766 parameters. */
const rowsAtOnce = 2000

/** The statements that insert entries, of any number of logs. */
export function insertEntries(rows: readonly EntryRow[]): readonly Statement[] {
  const statements: Statement[] = []
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    const part = rows.slice(from, from + rowsAtOnce)
    statements.push({
      sql: `INSERT INTO entries (log, seq, kind, body) VALUES ${part.map(() => '(?, ?, ?, ?)').join(', ')}`,
      params: part.flatMap(({ log, seq, kind, body }): SqlValue[] => [log, seq, kind, body]),
    })
  }
  return statements
}

/** Append-only logs. */
export class EventLog {
  readonly #database: Database
  readonly #codec: BodyCodec

  constructor(database: Database, codec: BodyCodec) {
    this.#database = database
    this.#codec = codec
  }

  /** The statement that moves the head of a log; it fails if another writer was there. */
  advance(log: string, expected: number, count: number): Statement {
    const last = expected + count
    const head: Statement =
      expected === 0
        ? {
            sql: 'INSERT INTO logs (id, seq, kept) VALUES (?, ?, 0) ON CONFLICT (id) DO NOTHING',
            params: [log, last],
          }
        : { sql: 'UPDATE logs SET seq = ? WHERE id = ? AND seq = ?', params: [last, log, expected] }
    return { ...head, expect: 1 }
  }

  /** The entries that follow a number, encoded. */
  rows(log: string, expected: number, entries: readonly NewLogEntry[]): readonly EntryRow[] {
    return entries.map(({ kind, body }, index) => {
      const row = { log, seq: expected + 1 + index, kind }
      return { ...row, body: this.#codec.encode(body, placeOfEntry(row)) }
    })
  }

  /**
   * The statements that append at an expected number; the first one fails if another writer was
   * there.
   */
  append(log: string, expected: number, entries: readonly NewLogEntry[]): readonly Statement[] {
    return [
      this.advance(log, expected, entries.length),
      ...insertEntries(this.rows(log, expected, entries)),
    ]
  }

  /**
   * Appends at the current end, whoever else writes.
   * @param owner a statement that fails once whatever has the log is gone
   * @returns false if it is gone; nothing was appended then
   */
  async push(log: string, entry: NewLogEntry, owner: Statement): Promise<boolean> {
    for (;;) {
      const [row] = await this.#database.read('SELECT seq FROM logs WHERE id = ?', [log])
      const written = await this.#database.write([
        owner,
        ...this.append(log, Number(row?.['seq'] ?? 0), [entry]),
      ])
      if (written.ok) return true
      if (written.failed === 0) return false
    }
  }

  /** The entries from a number on, in order. */
  async read(log: string, from: number, limit: number = maxEntries): Promise<readonly LogEntry[]> {
    const rows = await this.#database.read(
      'SELECT seq, kind, body FROM entries WHERE log = ? AND seq >= ? ORDER BY seq LIMIT ?',
      [log, Math.max(from, 1), Math.min(limit, maxEntries)],
    )
    return rows.map((row) => {
      const seq = Number(row['seq'])
      const kind = String(row['kind'])
      return { seq, kind, body: this.#codec.decode(row['body'], placeOfEntry({ log, seq, kind })) }
    })
  }

  /**
   * Follows the entries from a number on, until the signal aborts or `isOver` says that nothing
   * follows.
   */
  async *watch(
    log: string,
    from: number,
    isOver: (last: number) => Promise<boolean>,
    signal?: AbortSignal,
  ): AsyncGenerator<LogEntry, void> {
    let next = Math.max(from, 1)
    for (;;) {
      const change = nextChange(this.#database, log, signal)
      try {
        const entries = await this.read(log, next, 256)
        for (const entry of entries) {
          if (signal?.aborted) return
          yield entry
          next = entry.seq + 1
        }
        if (entries.length > 0) continue
        if (signal?.aborted || (await isOver(next - 1))) return
        await change.promise
      } finally {
        change.stop()
      }
    }
  }
}

/**
 * Watches a key. `promise` resolves at the next change under it, when the signal aborts, or when
 * `stop` ends the watch.
 */
export function nextChange(
  database: Database,
  key: string,
  signal: AbortSignal | undefined,
): { readonly promise: Promise<void>; readonly stop: () => void } {
  const { promise, resolve }: PromiseWithResolvers<void> = Promise.withResolvers()
  const stop = (): void => {
    unwatch()
    signal?.removeEventListener('abort', stop)
    resolve()
  }
  const unwatch = database.watch(key, resolve)
  signal?.addEventListener('abort', stop, { once: true })
  return { promise, stop }
}

/** Waits for a change, and not longer than this: a notification may be lost. */
export async function changeWithin(
  ms: number,
  database: Database,
  key: string,
  signal: AbortSignal,
): Promise<void> {
  const { promise, stop } = nextChange(database, key, signal)
  const timer = setTimeout(stop, ms)
  await promise
  clearTimeout(timer)
  stop()
}

/** The statements that remove a log. */
export const removeLog = (log: string): readonly Statement[] => [
  { sql: 'DELETE FROM entries WHERE log = ?', params: [log] },
  { sql: 'DELETE FROM logs WHERE id = ?', params: [log] },
]

const maxEntries = 1_000_000
