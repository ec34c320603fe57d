import type { HeldTask, TaskKey, TaskLeases } from '@modelport/agent'
import type { SqlValue } from '../database/database.js'
import { HeldRun, type RunParts } from '../runs/held-run.js'
import { LiveWorkers } from '../runs/live-workers.js'
import { servedBy } from '../runs/run-definition.js'
import { releaseExpired } from '../runs/session-turns.js'
import { SqlHeldTask } from './held-task.js'
import { queueOfAgent, runOfTask } from './task-run.js'

/** Maximum tasks that one look gives. */
const pageSize = 100

/** The first and the longest time between two looks at a task that waits, in milliseconds. */
const firstLookMs = 1000
const longestLookMs = 600_000

/** Leases of tasks: each task has a run row, and its lease is the claim of that row. */
export class SqlLeases implements TaskLeases {
  readonly checkMs: number
  readonly #parts: RunParts
  readonly #live: LiveWorkers
  /** Versions of each agent that no live process serves, as of the last beat. */
  readonly #orphaned = new Map<string, readonly string[]>()
  /** Since when a suspect waits until nothing else is worked on here. */
  #suspectSince = Infinity

  constructor(parts: RunParts) {
    this.#parts = parts
    this.checkMs = Math.min(Math.round(parts.leaseMs / 3), 400)
    this.#live = new LiveWorkers(parts.database, parts.leaseMs)
  }

  async hold(key: TaskKey, fingerprint: string): Promise<HeldTask | undefined> {
    const { table, company } = this.#parts
    const id = runOfTask(key.id)
    await company.whenOpen()
    const run = await table.find(id)
    if (!run) return undefined
    const isOther = run.version !== '' && run.version !== fingerprint
    if (isOther && (await this.#live.served()).has(servedBy(run.queue, run.version)))
      return undefined
    for (;;) {
      const as = { version: fingerprint, fingerprint: JSON.stringify(fingerprint) }
      const held = await HeldRun.claim(this.#parts, { from: { id }, as })
      if (held instanceof HeldRun) return new SqlHeldTask(this.#parts, held, key)
      if (held === undefined) return undefined
      // Set aside, or stopped: then an operator lets it continue.
      if ((await table.find(id))?.status !== 'running') return undefined
    }
  }

  async abandoned(agents: ReadonlyMap<string, string>): Promise<readonly TaskKey[]> {
    const names = [...agents].map(
      ([agent, fingerprint]) => [queueOfAgent(agent), fingerprint] as const,
    )
    await this.#beat(names)
    const { company } = this.#parts
    if (company.isReserved) return []
    const found: TaskKey[] = []
    for (const [queue, fingerprint] of names)
      for (const version of [fingerprint, '', ...(this.#orphaned.get(queue) ?? [])]) {
        const suspects = await this.#due(queue, version, 2, 1)
        if (suspects.length > 0) {
          this.#suspectSince = Math.min(this.#suspectSince, performance.now())
          const isImpatient = performance.now() - this.#suspectSince > this.#parts.leaseMs * 2
          if (!company.isEmpty && !isImpatient) continue
          this.#suspectSince = Infinity
          return suspects
        }
        found.push(
          ...(await this.#due(queue, version, 1, pageSize)),
          ...(await this.#due(queue, version, 0, pageSize)),
        )
      }
    return found
  }

  async expired(agents: readonly string[]): Promise<readonly TaskKey[]> {
    const found: TaskKey[] = []
    for (const agent of agents) {
      const queue = queueOfAgent(agent)
      for (const version of await this.#parts.table.versionsOf(queue)) {
        const due = await this.#due(queue, version, 3, pageSize)
        if (due.length > 0) found.push(...(await this.#postpone(due)))
      }
    }
    return found
  }

  async lookAt(key: TaskKey, time: number): Promise<void> {
    await this.#parts.database.write([
      {
        sql: `UPDATE runs SET due = ? WHERE id = ? AND status = 'suspended' AND phase = 3 AND due > ?`,
        params: [time, runOfTask(key.id), time],
      },
    ])
  }

  /** Lets tasks be due again after as long as they have waited. @returns those that it took */
  async #postpone(keys: readonly TaskKey[]): Promise<readonly TaskKey[]> {
    const { database } = this.#parts
    const now = database.now()
    const waited = '(? - updated)'
    const result = await database.write([
      {
        sql: `UPDATE runs SET due = ? + CASE WHEN ${waited} < ${firstLookMs} THEN ${firstLookMs}
            WHEN ${waited} > ${longestLookMs} THEN ${longestLookMs} ELSE ${waited} END
          WHERE due <= ? AND phase = 3 AND id IN (${keys.map(() => '?').join(', ')}) RETURNING id`,
        params: [now, now, now, now, now, ...keys.map(({ id }) => runOfTask(id))],
      },
    ])
    const taken = new Set((result.ok ? (result.rows[0] ?? []) : []).map(({ id }) => id))
    return keys.filter(({ id }) => taken.has(runOfTask(id)))
  }

  /** Gives turns of sessions on whose holder was not a task, and died. */
  async #releaseExpired(): Promise<void> {
    const { database } = this.#parts
    const now = database.now()
    const rows = await database.read('SELECT name FROM sessions WHERE until < ? LIMIT 100', [now])
    for (const { name } of rows) await database.write(releaseExpired(String(name), now))
  }

  /** Tasks that can be claimed, from the index of claims: a page, longest due first. */
  async #due(
    queue: string,
    version: string,
    phase: number,
    limit: number,
  ): Promise<readonly TaskKey[]> {
    const { database } = this.#parts
    const params: readonly SqlValue[] = [queue, version, phase, database.now(), limit]
    const rows = await database.read(
      `SELECT t.id, t.principal FROM (SELECT id, due FROM runs WHERE queue = ? AND version = ? AND phase = ? AND due <= ? ORDER BY due LIMIT ?) r
        JOIN tasks t ON r.id = 'task:' || t.id`,
      params,
    )
    return rows.map(({ id, principal }) => ({ principal: String(principal), id: String(id) }))
  }

  async #beat(names: readonly (readonly [queue: string, version: string])[]): Promise<void> {
    const live = await this.#live.beat(names.map(([queue, version]) => servedBy(queue, version)))
    if (!live) return
    await this.#releaseExpired()
    for (const [queue, own] of names) {
      const versions = await this.#parts.table.versionsOf(queue)
      this.#orphaned.set(
        queue,
        versions.filter(
          (version) => version !== '' && version !== own && !live.has(servedBy(queue, version)),
        ),
      )
    }
  }
}
