import type { BodyCodec } from './body-codec.js'
import type { Database, Statement } from './database.js'

/** One entry of a log. */
export interface LogEntry {
  /** 1 for the first entry of the log, then without gaps. */
  readonly seq: number
  readonly kind: string
  readonly body: unknown
}

/** An entry before it has a number. */
export type NewLogEntry = Omit<LogEntry, 'seq'>

/** Append-only logs. */
export class EventLog {
  readonly #database: Database
  readonly #codec: BodyCodec

  constructor(database: Database, codec: BodyCodec) {
    this.#database = database
    this.#codec = codec
  }

  /** The statements that append at an expected number; the first one fails if another writer was there. */
  append(log: string, expected: number, entries: readonly NewLogEntry[]): readonly Statement[] {
    const last = expected + entries.length
    const head: Statement =
      expected === 0
        ? { sql: 'INSERT INTO logs (id, seq, kept) VALUES (?, ?, 0) ON CONFLICT (id) DO NOTHING', params: [log, last] }
        : { sql: 'UPDATE logs SET seq = ? WHERE id = ? AND seq = ?', params: [last, log, expected] }
    return [{ ...head, expect: 1 }, ...this.#inserts(log, expected, entries)]
  }

  /** The statements that append at the end, whatever its number is; the first returns the new number. */
  push(log: string, entry: NewLogEntry): readonly Statement[] {
    return [
      {
        sql: `INSERT INTO logs (id, seq, kept) VALUES (?, 1, 0)
          ON CONFLICT (id) DO UPDATE SET seq = logs.seq + 1 RETURNING seq`,
        params: [log],
      },
      {
        sql: 'INSERT INTO entries (log, seq, kind, body) SELECT id, seq, ?, ? FROM logs WHERE id = ?',
        params: [entry.kind, this.#codec.encode(entry.body), log],
      },
    ]
  }

  /** Number of the last entry; 0 if there is none. */
  async last(log: string): Promise<number> {
    const [row] = await this.#database.read('SELECT seq FROM logs WHERE id = ?', [log])
    return Number(row?.['seq'] ?? 0)
  }

  /** The entries from a number on, in order. */
  async read(log: string, from: number, limit: number = maxEntries): Promise<readonly LogEntry[]> {
    const rows = await this.#database.read(
      'SELECT seq, kind, body FROM entries WHERE log = ? AND seq >= ? ORDER BY seq LIMIT ?',
      [log, Math.max(from, 1), Math.min(limit, maxEntries)],
    )
    return rows.map(({ seq, kind, body }) => ({
      seq: Number(seq),
      kind: String(kind),
      body: this.#codec.decode(body),
    }))
  }

  /** The entries from a number on as they are stored: until the signal aborts, or `isOver` says that nothing follows. */
  async *watch(
    log: string,
    from: number,
    isOver: (last: number) => Promise<boolean>,
    signal?: AbortSignal,
  ): AsyncGenerator<LogEntry, void> {
    let next = Math.max(from, 1)
    for (;;) {
      const change = this.#nextChange(log, signal)
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

  #nextChange(log: string, signal: AbortSignal | undefined): { promise: Promise<void>; stop: () => void } {
    let stop = (): void => undefined
    const promise = new Promise<void>((resolve) => {
      const wake = (): void => resolve()
      const unwatch = this.#database.watch(log, wake)
      signal?.addEventListener('abort', wake, { once: true })
      stop = () => {
        unwatch()
        signal?.removeEventListener('abort', wake)
      }
    })
    return { promise, stop }
  }

  #inserts(log: string, expected: number, entries: readonly NewLogEntry[]): readonly Statement[] {
    return entries.map(({ kind, body }, index) => ({
      sql: 'INSERT INTO entries (log, seq, kind, body) VALUES (?, ?, ?, ?)',
      params: [log, expected + 1 + index, kind, this.#codec.encode(body)],
    }))
  }
}

/** The statements that remove a log. */
export const removeLog = (log: string): readonly Statement[] => [
  { sql: 'DELETE FROM entries WHERE log = ?', params: [log] },
  { sql: 'DELETE FROM logs WHERE id = ?', params: [log] },
]

const maxEntries = 1_000_000
