import { createHash, randomUUID } from 'node:crypto'
import { isObject, type JsonObject } from '@modelport/core'
import { executeRun, type RunFunction } from './execute-run.js'
import { HeldRun, type RunParts } from './held-run.js'
import type { StoredRun } from './run-table.js'

/** A kind of run that any process with the same definition can continue. */
export interface RunDefinition {
  /** Names the kind; a run that was started under another fingerprint of this name is not claimed. */
  readonly name: string
  /** Everything that must be the same in the process that continues: model, tools, prompts, a version. Plain JSON. */
  readonly fingerprint: JsonObject
  /** Does the work; called again in this or another process until the run is over. */
  readonly execute: RunFunction
}

/** Settings of {@link RunWorker}. */
export interface WorkerOptions {
  /** Most runs at once. Default 10. */
  readonly concurrency?: number | undefined
  /** Called for each failure of the database, and for each run whose function rejected: it is claimed again later, five times in a row. Default: nothing. */
  onError?(error: unknown): void
}

/** The queue of a definition: claims never cross it. */
export const queueOf = ({ name, fingerprint }: Pick<RunDefinition, 'name' | 'fingerprint'>): string =>
  `${name}#${createHash('sha256').update(canonical(fingerprint)).digest('hex').slice(0, 16)}`

/** How often a worker looks for runs without being notified, in milliseconds. */
const pollMs = 500

/** Claims and executes runs of its definitions until it is stopped. */
export class RunWorker {
  readonly #parts: RunParts
  readonly #definitions: ReadonlyMap<string, RunDefinition>
  readonly #options: WorkerOptions
  readonly #id = randomUUID()
  readonly #stop = new AbortController()
  readonly #active = new Set<Promise<void>>()
  readonly #loop: Promise<void>
  #wake: () => void = () => undefined
  #beatAt = -Infinity

  constructor(parts: RunParts, definitions: readonly RunDefinition[], options: WorkerOptions) {
    this.#parts = parts
    this.#definitions = new Map(definitions.map((definition) => [queueOf(definition), definition]))
    this.#options = options
    this.#loop = this.#run()
  }

  /** Claims nothing more; runs at hand are stopped and given back, so that other workers continue them. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('the worker was stopped'))
    this.#wake()
    await this.#loop
    await Promise.all(this.#active)
    await this.#parts.database
      .write([{ sql: 'DELETE FROM workers WHERE id = ?', params: [this.#id] }])
      .catch(() => undefined)
  }

  async #run(): Promise<void> {
    const queues = [...this.#definitions.keys()]
    const unwatch = queues.map((queue) => this.#parts.database.watch(`queue:${queue}`, () => this.#wake()))
    const { concurrency = 10 } = this.#options
    while (!this.#stop.signal.aborted) {
      const change = new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pollMs * (0.75 + Math.random() / 2))
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      const found = await this.#look(queues, concurrency).catch(this.#report)
      if (!found || this.#active.size >= concurrency) await change
      this.#wake()
    }
    for (const end of unwatch) end()
  }

  /** True if something was claimed, so that there may be more. */
  async #look(queues: readonly string[], concurrency: number): Promise<boolean> {
    await this.#beat(queues)
    let found = false
    for (const queue of queues) {
      if (this.#active.size >= concurrency || this.#stop.signal.aborted) break
      const held = await HeldRun.claim(this.#parts, queue)
      found ||= held !== undefined
      if (held instanceof HeldRun) this.#start(held, queue)
    }
    return found
  }

  #start(held: HeldRun, queue: string): void {
    const definition = this.#definitions.get(queue)
    if (!definition) return
    const work = executeRun(this.#parts, held, definition.execute, { signal: this.#stop.signal, countsRejection: true })
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted) this.#report(error)
      })
      .finally(() => {
        this.#active.delete(work)
        this.#wake()
      })
    this.#active.add(work)
  }

  readonly #report = (error: unknown): false => {
    this.#options.onError?.(error)
    return false
  }

  /** Says that this worker lives, repairs what a dead process left behind, and stops runs that no live worker can continue. */
  async #beat(queues: readonly string[]): Promise<void> {
    const { leaseMs, database, table } = this.#parts
    if (performance.now() - this.#beatAt < leaseMs / 3) return
    this.#beatAt = performance.now()
    const now = database.now()
    await database.write([
      {
        sql: `INSERT INTO workers (id, queues, seen) VALUES (?, ?, ?)
          ON CONFLICT (id) DO UPDATE SET queues = excluded.queues, seen = excluded.seen`,
        params: [this.#id, JSON.stringify(queues), now],
      },
      { sql: 'DELETE FROM workers WHERE seen < ?', params: [now - leaseMs * 10] },
    ])
    for (const queue of queues) await this.#sweep(queue, now)
    const live = await this.#liveQueues(now)
    const orphans = await table.list(
      `status IN ('ready', 'running', 'suspended') AND updated < ? ORDER BY updated LIMIT 100`,
      [now - leaseMs],
    )
    for (const run of orphans) if (!live.has(run.queue)) await this.#stopOrphan(run)
  }

  /** Runs whose creator died before they were enqueued, and waiting ones whose wake-up was lost. */
  async #sweep(queue: string, now: number): Promise<void> {
    const { table, database, leaseMs } = this.#parts
    const created = await table.list(`queue = ? AND status = 'ready' AND updated < ?`, [queue, now - leaseMs])
    for (const run of created) await table.enqueue(run)
    const waiting = await table.list(
      `queue = ? AND status = 'suspended' AND id IN (SELECT run FROM inbox WHERE taken IS NULL)`,
      [queue],
    )
    for (const run of waiting) await database.engine.wake(queue, run.engine)
  }

  async #liveQueues(now: number): Promise<ReadonlySet<string>> {
    const rows = await this.#parts.database.read('SELECT queues FROM workers WHERE seen >= ?', [
      now - this.#parts.leaseMs * 2,
    ])
    return new Set(rows.flatMap(({ queues }) => JSON.parse(String(queues)) as string[]))
  }

  /** A run of one of our names under a fingerprint that nobody serves any more. */
  async #stopOrphan(run: StoredRun): Promise<void> {
    const name = run.queue.slice(0, run.queue.lastIndexOf('#'))
    const own = [...this.#definitions.values()].filter((definition) => definition.name === name)
    const [definition] = own
    if (!definition || this.#definitions.has(run.queue)) return
    await this.#parts.database.engine.wake(run.queue, run.engine)
    const held = await HeldRun.claim(this.#parts, run.queue)
    if (!(held instanceof HeldRun)) return
    await held.end('stopped', {
      status: 'failed',
      error: {
        code: 'config',
        message: `no live worker has the definition that run "${held.run.id}" was started with; it differs in: ${differences(held.run.fingerprint, definition.fingerprint)}. Start that version again, or reopen the run`,
        details: { reason: 'fingerprint' },
      },
    })
  }
}

/** JSON with sorted keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  )
}

function differences(before: unknown, after: JsonObject): string {
  const old = (before ?? {}) as JsonObject
  const names = [...new Set([...Object.keys(old), ...Object.keys(after)])]
  const changed = names.filter((name) => canonical(old[name]) !== canonical(after[name]))
  return (
    changed.map((name) => `${name} (${show(old[name])} → ${show(after[name])})`).join(', ') || 'nothing that is known'
  )
}

const show = (value: unknown): string => (value === undefined ? 'none' : canonical(value)).slice(0, 80)
