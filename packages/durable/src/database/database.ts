/** A value that both databases store as it is. */
export type SqlValue = string | number | null

/** A row; every column has a name of one word, so that both databases spell it alike. */
export type Row = Readonly<Record<string, SqlValue>>

/** One statement, with `?` for each parameter. */
export interface Statement {
  readonly sql: string
  readonly params?: readonly SqlValue[]
  /** Rows that it must change or return; another number rolls the transaction back. */
  readonly expect?: number
}

/**
 * The result of a transaction: the rows of each statement, or the first statement whose expectation
 * failed.
 */
export type WriteResult =
  | { readonly ok: true; readonly rows: readonly (readonly Row[])[] }
  | { readonly ok: false; readonly failed: number }

/** The parts of SQLite or PostgreSQL that the durable layer needs. */
export interface Database {
  /**
   * Ends a SELECT whose rows are about to be changed: PostgreSQL skips those that another
   * transaction has locked. SQLite has one writer.
   */
  readonly lockRows: ' FOR UPDATE SKIP LOCKED' | ''
  /**
   * Runs the statements in one transaction; no other function opens a transaction that writes.
   * After a lost connection it tries again, as long as it is certain that nothing was committed. If
   * a commit turns out to have succeeded although its reply was lost, `rows` is empty.
   * @throws {DurableError} `full`, `read-only`, `damaged`, `unavailable`, `closed`
   */
  write(statements: readonly Statement[]): Promise<WriteResult>
  /** @throws {DurableError} `damaged`, `unavailable`, `closed` */
  read(sql: string, params?: readonly SqlValue[]): Promise<readonly Row[]>
  /**
   * The store's time, in milliseconds since 1970: the same for every machine, whatever its own
   * clock says.
   */
  now(): number
  /** Reports that something changed under `key`: to this process at once, to others soon. */
  notify(key: string): void
  /** Calls back when something changed, or may have changed, under `key`. */
  watch(key: string, onChange: () => void): () => void
  /**
   * Gives space of removed rows back, a part of it at each call; true if there may be more. Unset:
   * the database does so by itself.
   */
  shrink?(): Promise<boolean>
  close(): Promise<void>
}
