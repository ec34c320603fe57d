// The thread that has the SQLite file open. It imports nothing of this package but types: Node runs it from source as it is.
import { backup, DatabaseSync, type StatementSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { BackendSqlite } from 'openworkflow/sqlite'
import type { Row, SqlValue, Statement, WriteResult } from '../database/database.js'
import type { EngineBackend } from '../engine/open-workflow-engine.js'

/** What the thread is started with. */
export interface ThreadData {
  readonly path: string
  readonly busyMs: number
}

/** A request to the thread. */
export type ThreadRequest =
  | { readonly id: number; readonly kind: 'write'; readonly statements: readonly Statement[] }
  | { readonly id: number; readonly kind: 'read'; readonly sql: string; readonly params: readonly SqlValue[] }
  | {
      readonly id: number
      readonly kind: 'engine'
      readonly queue: string
      readonly method: keyof EngineBackend
      readonly params: unknown
    }
  | { readonly id: number; readonly kind: 'backup'; readonly file: string }
  | { readonly id: number; readonly kind: 'close' }

/** The thread's reply; `errcode` is SQLite's result code. */
export type ThreadReply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: { readonly message: string; readonly errcode?: number } }

const { path, busyMs } = workerData as ThreadData
const port = parentPort
if (!port) throw new TypeError('sqlite-thread.ts runs in a worker thread')

const prepared = new Map<string, StatementSync>()
let opened: DatabaseSync | undefined

/** Opens the file at the first request, so that a failure is the reply to it. */
function database(): DatabaseSync {
  if (opened) return opened
  const db = new DatabaseSync(path)
  try {
    db.exec(`PRAGMA busy_timeout = ${busyMs}`)
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
    migrateEngine()
  } catch (error) {
    db.close()
    throw error
  }
  return (opened = db)
}

/**
 * The engine migrates only a connection that it opens itself, without a busy time-out. Its migrations may run twice, so a file that
 * another process has locked is tried again until the busy time-out.
 */
function migrateEngine(): void {
  if (path === ':memory:') return
  const until = Date.now() + busyMs
  for (;;) {
    try {
      void BackendSqlite.connect(path).stop()
      return
    } catch (error) {
      if (!textOf(error).includes('locked') || Date.now() > until) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
    }
  }
}

const textOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message} ${error.cause.message}` : error.message
}

/** The engine's methods over this connection: its constructor is private, its state is these two fields. */
function backendOf(queue: string): EngineBackend {
  return Object.create(BackendSqlite.prototype, {
    db: { value: database() },
    namespaceId: { value: queue },
  }) as EngineBackend
}

function run({ sql, params = [] }: Statement): { readonly rows: readonly Row[]; readonly count: number } {
  let statement = prepared.get(sql)
  if (!statement) prepared.set(sql, (statement = database().prepare(sql)))
  if (/^SELECT|\bRETURNING\b/.test(sql)) {
    const rows = statement.all(...params) as Row[]
    return { rows, count: rows.length }
  }
  return { rows: [], count: Number(statement.run(...params).changes) }
}

function write(statements: readonly Statement[]): WriteResult {
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

function callEngine(queue: string, method: keyof EngineBackend, params: unknown): Promise<unknown> {
  const backend = backendOf(queue)
  return (backend[method] as (params: unknown) => Promise<unknown>).call(backend, params)
}

/** One step over a connection of its own: a snapshot that keeps nobody waiting and that no write of others starts again. */
async function backUp(file: string): Promise<void> {
  database()
  const source = new DatabaseSync(path, { readOnly: true })
  try {
    source.exec(`PRAGMA busy_timeout = ${busyMs}`)
    await backup(source, file, { rate: 2 ** 31 - 1 })
  } finally {
    source.close()
  }
}

async function handle(request: ThreadRequest): Promise<unknown> {
  switch (request.kind) {
    case 'write':
      return write(request.statements)
    case 'read':
      return run({ sql: request.sql, params: request.params }).rows
    case 'engine':
      return await callEngine(request.queue, request.method, request.params)
    case 'backup':
      return backUp(request.file)
    case 'close':
      opened?.close()
      return undefined
  }
}

async function reply(request: ThreadRequest): Promise<void> {
  const { id } = request
  try {
    port?.postMessage({ id, value: await handle(request) } satisfies ThreadReply)
  } catch (error) {
    const { errcode } = error as { readonly errcode?: unknown }
    const code = typeof errcode === 'number' ? { errcode } : {}
    port?.postMessage({ id, error: { message: textOf(error), ...code } } satisfies ThreadReply)
  }
  if (request.kind === 'close') port?.close()
}

// The engine's methods run to their end before they return, so requests do not overlap; the queue keeps it so for any later version.
// Only a back-up, which may take long, runs next to the others.
let queue: Promise<void> = Promise.resolve()
port.on('message', (request: ThreadRequest) => {
  if (request.kind === 'backup') void reply(request)
  else queue = queue.then(() => reply(request))
})
