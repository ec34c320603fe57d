import { accessSync, constants, existsSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { ChangeListeners } from '../database/change-listeners.js'
import type { Database, Row, SqlValue, Statement, WriteResult } from '../database/database.js'
import { DurableError, isDurableError } from '../database/durable-error.js'
import type { ThreadNews, ThreadReply, ThreadRequest } from './sqlite-thread.js'
import { startThread, threadError } from './start-thread.js'

/**
 * Magic numbers of file systems on which SQLite's locks, or the shared memory of its log, do not
 * work.
 */
const networkFileSystems: Readonly<Record<number, string>> = {
  0x6969: 'NFS',
  0x517b: 'SMB',
  0xff534d42: 'CIFS',
  0xfe534d42: 'SMB 2',
  0x01021997: '9p',
  0x5346414f: 'AFS',
  0x00c36400: 'Ceph',
}

/** @throws {DurableError} `network-file` */
function refuseNetworkFile(path: string): void {
  let type: number
  try {
    type = statfsSync(dirname(path)).type
  } catch {
    return // The folder is missing, or the platform cannot say; opening the file reports it.
  }
  const name = networkFileSystems[type >>> 0]
  if (name !== undefined)
    throw new DurableError(
      'network-file',
      `"${path}" is on a network file system (${name}), where SQLite loses data; use a local disk, or PostgreSQL`,
    )
}

interface Waiting {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

type Unsent<Request> = Request extends ThreadRequest ? Omit<Request, 'id'> : never

/** A SQLite file, opened in one thread of its own. */
export class SqliteDatabase implements Database {
  readonly lockRows = ''
  readonly #path: string
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  readonly #listeners = new ChangeListeners()
  #lastId = 0
  #closed = false
  #hasReplied = false
  /** Why the thread ended, if nobody closed it. */
  #ended: DurableError | undefined

  /** @throws {DurableError} `network-file`, `unsupported` — the thread cannot start */
  constructor(path: string, thread: URL, busyMs: number) {
    refuseNetworkFile(path)
    this.#path = path
    this.#worker = startThread(thread, { path, busyMs })
    this.#worker.unref()
    this.#worker.on('message', (reply: ThreadReply | ThreadNews) => this.#settle(reply))
    this.#worker.on('error', (error) => this.#stop(error))
    this.#worker.on('exit', () => this.#stop(undefined))
  }

  async write(statements: readonly Statement[]): Promise<WriteResult> {
    return (await this.#ask({ kind: 'write', statements })) as WriteResult
  }

  async read(sql: string, params: readonly SqlValue[] = []): Promise<readonly Row[]> {
    return (await this.#ask({ kind: 'read', sql, params })) as readonly Row[]
  }

  now(): number {
    return Date.now()
  }

  notify(key: string): void {
    queueMicrotask(() => this.#listeners.notify(key))
  }

  watch(key: string, onChange: () => void): () => void {
    const remove = this.#listeners.add(key, onChange)
    if (this.#listeners.size === 1) this.#worker.postMessage({ pollMs })
    return () => {
      remove()
      if (this.#listeners.size === 0) this.#worker.postMessage({ pollMs: 0 })
    }
  }

  async shrink(): Promise<boolean> {
    const [row] = await this.read('SELECT freelist_count AS free FROM pragma_freelist_count')
    if (Number(row?.['free'] ?? 0) === 0) return false
    await this.#ask({ kind: 'shrink' })
    return true
  }

  async close(): Promise<void> {
    if (this.#closed) return
    const closing = this.#ask({ kind: 'close' })
    this.#closed = true
    await closing.catch(() => undefined)
    await this.#worker.terminate()
  }

  /**
   * A file that others keep locked is tried again: SQLite waits unfairly, and a request that found
   * it locked has done nothing.
   */
  async #ask(request: Unsent<ThreadRequest>): Promise<unknown> {
    const until = performance.now() + lockedMs
    for (;;) {
      try {
        return await this.#send(request)
      } catch (error) {
        if (!isDurableError(error, 'unavailable') || !isLocked(error) || performance.now() > until)
          throw error
      }
    }
  }

  #send(request: Unsent<ThreadRequest>): Promise<unknown> {
    if (this.#ended) return Promise.reject(this.#ended)
    if (this.#closed)
      return Promise.reject(new DurableError('closed', `the store "${this.#path}" was closed`))
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#worker.ref()
      this.#worker.postMessage({ id, ...request })
    })
  }

  #settle(reply: ThreadReply | ThreadNews): void {
    if ('changed' in reply) {
      this.#listeners.notifyAll()
      return
    }
    if ('lost' in reply) {
      this.#stop(
        new Error(
          'its file, or the log next to it, was deleted, moved or replaced while it was open',
        ),
      )
      void this.#worker.terminate()
      return
    }
    this.#hasReplied = true
    const waiting = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    // An idle store does not keep the process alive.
    if (this.#waiting.size === 0) this.#worker.unref()
    if ('value' in reply) waiting?.resolve(reply.value)
    else waiting?.reject(toError(reply.error, this.#path))
  }

  #stop(cause: unknown): void {
    if (!this.#closed) this.#ended = threadError(this.#path, cause, this.#hasReplied)
    this.#closed = true
    const error = this.#ended ?? new DurableError('closed', `the store "${this.#path}" was closed`)
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}

/** How long a locked file is tried again, in milliseconds. */
const lockedMs = 10_000
const isLocked = ({ message }: Error): boolean => message.includes('stays locked')

/** How often a process looks for changes that others made, in milliseconds. */
const pollMs = 100

/** SQLite's result codes, and what to do about each. */
function toError({ message, errcode }: { message: string; errcode?: number }, path: string): Error {
  const at = `the store "${path}"`
  const code = errcode === undefined ? undefined : errcode & 0xff
  const is = (number: number, text: RegExp): boolean =>
    code === number || (code === undefined && text.test(message))
  if (is(5, /locked/) || code === 6)
    return new DurableError(
      'unavailable',
      `${at} stays locked by another process; close that process or retry`,
    )
  if (is(8, /readonly/))
    return new DurableError(
      'read-only',
      `${at} is read-only; make the file and its folder writable`,
    )
  if (is(11, /malformed/))
    return new DurableError('damaged', `${at} is damaged (${message}); restore a back-up`)
  if (is(13, /is full/))
    return new DurableError(
      'full',
      `${at}: the disk is full; free space and retry, nothing stored is lost`,
    )
  // SQLite cannot make its log on a read-only file system, and says only that it cannot open it.
  if (is(14, /unable to open/) && !isWritable(dirname(path)))
    return new DurableError(
      'read-only',
      `${at} is read-only; make the file and its folder writable`,
    )
  if (is(14, /unable to open/))
    return new DurableError(
      'unavailable',
      `${at} cannot be opened; its folder must exist and be writable`,
    )
  if (is(26, /not a database/))
    return new DurableError('damaged', `${at} is not a SQLite database; choose another file`)
  if (code === 10) return new DurableError('unavailable', `${at}: the disk failed (${message})`)
  return new Error(message)
}

/** False for a folder that exists and cannot be written. */
function isWritable(folder: string): boolean {
  if (!existsSync(folder)) return true
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
