import { randomUUID } from 'node:crypto'
import { type HeldTask, isTerminal, type StoredTurn, type TaskKey, type TaskLeases } from '@modelport/agent'
import type { Statement } from '../database/database.js'
import { isDurableError } from '../database/durable-error.js'
import { HeldRun, type RunParts } from '../runs/held-run.js'
import type { StoredRun } from '../runs/run-table.js'
import { logOf, SqlTasks } from './sql-tasks.js'

const runOf = (id: string): string => `task:${id}`
const queueOf = (agent: string, fingerprint: string): string => `${agent}#${fingerprint}`

/** Leases of tasks: each task has a run row and, while it is worked on, a run in the engine. */
export class SqlLeases implements TaskLeases {
  readonly checkMs: number
  readonly #parts: RunParts
  readonly #worker = randomUUID()

  constructor(parts: RunParts) {
    this.#parts = parts
    this.checkMs = Math.min(Math.round(parts.leaseMs / 3), 2000)
  }

  async hold(key: TaskKey, fingerprint: string): Promise<HeldTask | undefined> {
    const { table } = this.#parts
    const id = runOf(key.id)
    const run = await table.create(id, id, fingerprint)
    if (run.fingerprint !== fingerprint && (await this.#isServed(key, run.fingerprint))) return undefined
    await table.enqueue(run)
    for (;;) {
      const held = await HeldRun.claim(this.#parts, id)
      if (held instanceof HeldRun) return new SqlHeldTask(this.#parts, held, key)
      if (held === undefined) return undefined
      const stopped = await table.get(id)
      if (stopped.status === 'stopped') return this.#fail(key, stopped)
    }
  }

  /** True while a live process has the version of the agent that began the task: that one continues it. */
  async #isServed({ id }: TaskKey, begun: unknown): Promise<boolean> {
    const [row] = await this.#parts.database.read('SELECT agent FROM tasks WHERE id = ?', [id])
    return row !== undefined && (await this.#liveQueues()).has(queueOf(String(row['agent']), String(begun)))
  }

  async #liveQueues(): Promise<ReadonlySet<string>> {
    const { database, leaseMs } = this.#parts
    const alive = await database.read('SELECT queues FROM workers WHERE seen >= ?', [database.now() - leaseMs * 2])
    return new Set(alive.flatMap((row) => JSON.parse(String(row['queues'])) as string[]))
  }

  /** A task that ends its process each time it runs is over. */
  async #fail(key: TaskKey, { result }: StoredRun): Promise<undefined> {
    const { database, codec } = this.#parts
    const tasks = new SqlTasks(database, codec)
    const head = await tasks.head(key)
    const { error } = (result ?? {}) as { readonly error?: { readonly message: string } }
    const metadata = { error: error?.message ?? 'the task cannot continue', error_reason: 'crash-loop' }
    const at = new Date(database.now()).toISOString()
    if (head && !isTerminal(head.state))
      await tasks.append(key, head.seq, [{ type: 'status', state: 'failed', metadata, at, attempt: 1 }])
    return undefined
  }

  async abandoned(agents: ReadonlyMap<string, string>): Promise<readonly TaskKey[]> {
    const { database, leaseMs } = this.#parts
    const now = database.now()
    const queues = [...agents].map(([agent, fingerprint]) => queueOf(agent, fingerprint))
    await database.write([
      {
        sql: `INSERT INTO workers (id, queues, seen) VALUES (?, ?, ?)
          ON CONFLICT (id) DO UPDATE SET queues = excluded.queues, seen = excluded.seen`,
        params: [this.#worker, JSON.stringify(queues), now],
      },
      { sql: 'DELETE FROM workers WHERE seen < ?', params: [now - leaseMs * 10] },
    ])
    const live = await this.#liveQueues()
    const rows = await database.read(
      `SELECT t.id, t.principal, t.agent, r.fingerprint FROM tasks t LEFT JOIN runs r ON r.id = 'task:' || t.id
        WHERE t.state IN ('submitted', 'working') AND t.at < ? AND (r.id IS NULL OR r.updated < ? OR r.status = 'ready')
        ORDER BY t.at, t.id LIMIT 100`,
      [now - this.checkMs, now - leaseMs],
    )
    return rows
      .filter((row) => {
        const own = agents.get(String(row['agent']))
        if (own === undefined) return false
        const begun = row['fingerprint'] === null ? own : (JSON.parse(String(row['fingerprint'])) as string)
        return begun === own || !live.has(queueOf(String(row['agent']), begun))
      })
      .map((row) => ({ principal: String(row['principal']), id: String(row['id']) }))
  }

  async expired(agents: readonly string[]): Promise<readonly TaskKey[]> {
    const { database } = this.#parts
    const rows = await database.read(
      `SELECT id, principal, agent FROM tasks WHERE state = 'input-required' AND due <= ? ORDER BY due, id LIMIT 100`,
      [database.now()],
    )
    return rows
      .filter(({ agent }) => agents.includes(String(agent)))
      .map(({ id, principal }) => ({ principal: String(principal), id: String(id) }))
  }
}

class SqlHeldTask implements HeldTask {
  readonly tasks: SqlTasks
  readonly #parts: RunParts
  readonly #held: HeldRun
  readonly #ended = new AbortController()
  readonly #key: TaskKey
  readonly #unwatch: () => void

  constructor(parts: RunParts, held: HeldRun, key: TaskKey) {
    this.#parts = parts
    this.#held = held
    this.#key = key
    this.tasks = new SqlTasks(parts.database, parts.codec, () => [this.#fence(held.run)])
    this.#unwatch = parts.database.watch(logOf(key.id), () => void this.#look(key))
  }

  get signal(): AbortSignal {
    return AbortSignal.any([this.#held.signal, this.#ended.signal])
  }

  async open(runId: string): Promise<StoredTurn> {
    const { run, journal } = this.#held
    const isOther = run.checkpoint !== undefined && run.checkpoint.runId !== runId
    if (isOther) await journal.restart()
    const { checkpoint } = run
    return checkpoint === undefined || isOther
      ? { journal, messages: [] }
      : { journal, resume: checkpoint, messages: await journal.messages() }
  }

  /** Of a task that is over, the run ends too: its transcript is in the conversation, and the engine has nothing to wait for. */
  async release(): Promise<void> {
    this.#unwatch()
    const head = await this.tasks.head(this.#key).catch(() => undefined)
    if (!head || !isTerminal(head.state)) return this.#held.release()
    const { id } = this.#held.run
    try {
      const statements = [{ sql: 'DELETE FROM transcript WHERE run = ?', params: [id] }]
      await this.#held.end('finished', { status: head.state }, { statements })
    } catch (error) {
      // Another process took it over: it ends the run.
      if (!isDurableError(error, 'fenced')) throw error
    }
  }

  #fence(run: StoredRun): Statement {
    return this.#parts.table.fence(run, false)
  }

  async #look(key: TaskKey): Promise<void> {
    const head = await this.tasks.head(key).catch(() => undefined)
    if (head && isTerminal(head.state)) this.#ended.abort(new Error(`the task is ${head.state}`))
  }
}
