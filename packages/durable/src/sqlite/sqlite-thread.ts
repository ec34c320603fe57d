// The thread that has the SQLite file open. It imports nothing of this package but types: Node runs
// it from source as it is.
import { closeSync, existsSync, openSync, statSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { Row, SqlValue, Statement, WriteResult } from '../database/database.js'

/** The data that the thread is started with. */
export interface ThreadData {
  readonly path: string
  readonly busyMs: number
}

/** A request to the thread. */
export type ThreadRequest =
  | { readonly id: number; readonly kind: 'write'; readonly statements: readonly Statement[] }
  | {
      readonly id: number
      readonly kind: 'read'
      readonly sql: string
      readonly params: readonly SqlValue[]
    }
  | { readonly id: number; readonly kind: 'shrink' }
  | { readonly id: number; readonly kind: 'close' }

/** The thread's reply; `errcode` is SQLite's result code. */
export type ThreadReply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: { readonly message: string; readonly errcode?: number } }

/**
 * Sent when another process changed the file, or when it is not the one that was opened any more.
 */
export type ThreadNews = { readonly changed: true } | { readonly lost: true }

const { path, busyMs } = workerData as ThreadData
const port = parentPort
if (!port) throw new TypeError('sqlite-thread.ts runs in a worker thread')

const prepared = new Map<string, StatementSync>()
let opened: DatabaseSync | undefined

/**
 * Makes a new file that only its owner can read: it holds messages and credentials. SQLite gives
 * its log the same rights.
 */
function makePrivate(): void {
  if (path === ':memory:' || existsSync(path)) return
  try {
    closeSync(openSync(path, 'a', 0o600))
  } catch {
    // Opening the file reports it.
  }
}

/** Opens the file at the first request, so that a failure is the reply to it. */
function database(): DatabaseSync {
  if (opened) return opened
  makePrivate()
  const db = new DatabaseSync(path)
  try {
    db.exec(`PRAGMA busy_timeout = ${busyMs}`)
    // Works for a new file only: later it would need a VACUUM.
    db.exec('PRAGMA auto_vacuum = INCREMENTAL')
    // What is removed from a page is overwritten; whole free pages are given back by `shrink`.
    db.exec('PRAGMA secure_delete = FAST')
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; SELECT 1 FROM sqlite_master')
  } catch (error) {
    db.close()
    throw error
  }
  files = identify()
  return (opened = db)
}

/**
 * Which files were opened. SQLite continues to write to them, whatever their names stand for later.
 */
let files: string
let identifiedAt = 0
const identifyMs = 100

/** The log exists from the first read on, as long as any process has the file open. */
function identify(): string {
  identifiedAt = performance.now()
  const found = [path, `${path}-wal`].map((file) => statSync(file, { throwIfNoEntry: false }))
  return found.map((file) => `${file?.dev}:${file?.ino}`).join(' ')
}

/** Ends the store if the file is not the one that was opened. */
function checkFile(): void {
  if (!opened || performance.now() - identifiedAt < identifyMs || identify() === files) return
  port?.postMessage({ lost: true } satisfies ThreadNews)
  throw new Error('the file is lost')
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function run({ sql, params = [] }: Statement): {
  readonly rows: readonly Row[]
  readonly count: number
} {
  let statement = prepared.get(sql)
  if (!statement) prepared.set(sql, (statement = database().prepare(sql)))
  if (/^(?:SELECT|EXPLAIN)|\bRETURNING\b/.test(sql)) {
    const rows = statement.all(...params) as Row[]
    return { rows, count: rows.length }
  }
  return { rows: [], count: Number(statement.run(...params).changes) }
}

function write(statements: readonly Statement[]): WriteResult {
  checkFile()
  const db = database()
  db.exec('BEGIN IMMEDIATE')
  try {
    const rows: (readonly Row[])[] = []
    for (const [index, statement] of statements.entries()) {
      const result = run(statement)
      if (statement.expect !== undefined && result.count !== statement.expect) {
        db.exec('ROLLBACK')
        return { ok: false, failed: index }
      }
      rows.push(result.rows)
    }
    db.exec('COMMIT')
    return { ok: true, rows }
  } catch (error) {
    // A full disk rolls back by itself.
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/** Gives a part of the free pages back. Short: nobody waits long for it. */
function shrink(): void {
  const db = database()
  db.prepare(`PRAGMA incremental_vacuum(${pagesAtOnce})`).all()
  if (db.prepare('PRAGMA freelist_count').get()?.['freelist_count'] !== 0) return
  // The file becomes smaller once the log is written back into it; whoever reads just now is waited
  // for, but not for long.
  db.exec(
    `PRAGMA busy_timeout = ${checkpointMs}; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA busy_timeout = ${busyMs}`,
  )
}
const checkpointMs = 100
const pagesAtOnce = 500

function handle(request: ThreadRequest): unknown {
  switch (request.kind) {
    case 'write':
      return write(request.statements)
    case 'read':
      return run({ sql: request.sql, params: request.params }).rows
    case 'shrink':
      shrink()
      return undefined
    case 'close':
      opened?.close()
      return undefined
  }
}

function reply(request: ThreadRequest): void {
  const { id } = request
  try {
    port?.postMessage({ id, value: handle(request) } satisfies ThreadReply)
  } catch (error) {
    const { errcode } = error as { readonly errcode?: unknown }
    const code = typeof errcode === 'number' ? { errcode } : {}
    port?.postMessage({ id, error: { message: textOf(error), ...code } } satisfies ThreadReply)
  }
  if (request.kind === 'close') port?.close()
}

let timer: ReturnType<typeof setInterval> | undefined
let version: SqlValue | undefined

/**
 * Looks for changes by other processes: SQLite counts them. Here, so that an idle store costs its
 * process nothing.
 */
function poll(everyMs: number): void {
  clearInterval(timer)
  // Before the first read of whoever watches: a change between the two would go unseen.
  if (everyMs > 0 && version === undefined) look()
  if (everyMs > 0) timer = setInterval(look, everyMs).unref()
}

function look(): void {
  try {
    checkFile()
    const before = version
    version =
      run({ sql: 'SELECT data_version AS version FROM pragma_data_version' }).rows[0]?.[
        'version'
      ] ?? null
    if (before !== undefined && before !== version)
      port?.postMessage({ changed: true } satisfies ThreadNews)
  } catch {
    // The next read or write of the caller reports it.
  }
}

port.on('message', (request: ThreadRequest | { readonly pollMs: number }) => {
  if ('pollMs' in request) poll(request.pollMs)
  else reply(request)
})
