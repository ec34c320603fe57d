import type { HeldTask, TaskKey, TaskLeases } from '@modelport/agent'
import type { Row, SqlValue } from '../database/database.js'
import { roomOf } from '../runs/company.js'
import { duePhases, suspectPhase } from '../runs/due-phases.js'
import { HeldRun, type RunParts } from '../runs/held-run.js'
import { LiveWorkers } from '../runs/live-workers.js'
import { servedBy } from '../runs/run-definition.js'
import { releaseExpired } from '../runs/session-turns.js'
import { transition } from '../runs/transitions.js'
import { SqlHeldTask } from './held-task.js'
import { queueOfAgent, runOfTask } from './task-run.js'

/** Maximum tasks that one look gives. */
const pageSize = 100

/** The first and the longest time between two looks at a task that waits, in milliseconds. */
const firstLookMs = 1000
const longestLookMs = 600_000

const keyOf = ({ id, principal }: Row): TaskKey => ({
  principal: String(principal),
  id: String(id),
})

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
    const run = await table.find(id)
    if (!run) return undefined
    const room = roomOf(run.crashes)
    if (run.phase === suspectPhase) await company.whenAdmitted(room, this.#parts.leaseMs * 2)
    else await company.whenOpen()
    const isOther = run.version !== '' && run.version !== fingerprint
    if (isOther && (await this.#live.served()).has(servedBy(run.queue, run.version)))
      return undefined
    for (;;) {
      const as = { version: fingerprint, fingerprint: JSON.stringify(fingerprint) }
      const held = await HeldRun.claim(this.#parts, { from: { id }, as }, room)
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
    const { company, leaseMs } = this.#parts
    const found: TaskKey[] = []
    for (const [queue, fingerprint] of names)
      for (const version of [fingerprint, '', ...(this.#orphaned.get(queue) ?? [])]) {
        const phases = await duePhases(this.#parts.database, queue, version)
        const [suspect] = phases.has(suspectPhase) ? await this.#suspects(queue, version, 1) : []
        if (suspect) {
          this.#suspectSince = Math.min(this.#suspectSince, performance.now())
          const room = roomOf(suspect.crashes)
          const isImpatient = performance.now() - this.#suspectSince > leaseMs * 2
          if (!company.admits(room) && !isImpatient) continue
          this.#suspectSince = Infinity
          const group = await this.#suspects(queue, version, room)
          return group.flatMap(({ key, crashes }) => (roomOf(crashes) === room ? [key] : []))
        }
        if (company.isReserved) continue
        for (const phase of [1, 0])
          if (phases.has(phase)) found.push(...(await this.#due(queue, version, phase, pageSize)))
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
    await this.#parts.database.write([transition('look earlier', { id: runOfTask(key.id), time })])
  }

  /** Lets tasks be due again after as long as they have waited. @returns those that it took */
  async #postpone(keys: readonly TaskKey[]): Promise<readonly TaskKey[]> {
    const { database } = this.#parts
    const now = database.now()
    const values = { now, first: firstLookMs, longest: longestLookMs }
    const result = await database.write([
      transition('look later', values, {
        which: `id IN (${keys.map(() => '?').join(', ')})`,
        whichParams: keys.map(({ id }) => runOfTask(id)),
        returning: ' RETURNING id',
      }),
    ])
    const taken = new Set((result.ok ? (result.rows[0] ?? []) : []).map(({ id }) => id))
    return keys.filter(({ id }) => taken.has(runOfTask(id)))
  }

  /** Tasks that may have ended their process, longest due first. */
  async #suspects(
    queue: string,
    version: string,
    limit: number,
  ): Promise<readonly { readonly key: TaskKey; readonly crashes: number }[]> {
    const rows = await this.#dueRows(queue, version, suspectPhase, limit)
    return rows.map((row) => ({ key: keyOf(row), crashes: Number(row['crashes']) }))
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
    return (await this.#dueRows(queue, version, phase, limit)).map(keyOf)
  }

  #dueRows(queue: string, version: string, phase: number, limit: number): Promise<readonly Row[]> {
    const { database } = this.#parts
    const params: readonly SqlValue[] = [queue, version, phase, database.now(), limit]
    return database.read(
      `SELECT t.id, t.principal, r.crashes FROM (
          SELECT id, due, crashes FROM runs WHERE queue = ? AND version = ? AND phase = ? AND due <= ? ORDER BY due LIMIT ?) r
        JOIN tasks t ON t.id = substr(r.id, ${runOfTask('').length + 1}) ORDER BY r.due`,
      params,
    )
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
