import { setTimeout as sleep } from 'node:timers/promises'
import { nameOfTask } from '../agents/sql-inbox.js'
import { logOf, removeTask } from '../agents/sql-tasks.js'
import { runOfTask } from '../agents/task-run.js'
import { checkArguments } from '../database/check-arguments.js'
import type { Database, Row, SqlValue, Statement } from '../database/database.js'
import { shrink } from '../database/shrink.js'
import type { RunParts } from '../runs/held-run.js'
import { eventsOf, journalOf, removeRun, transcriptOf } from '../runs/run-table.js'
import { transition } from '../runs/transitions.js'

/** What {@link StoreOperations.prune} removes. */
export interface PruneOptions {
  /** Only what was over before this time, in milliseconds since 1970. */
  readonly before: number
  /**
   * `all` removes tasks and runs that are over, with everything about them. `pieces` keeps them and
   * removes the pieces of text and progress of completed ones, whose whole is in later events.
   * Default `all`.
   */
  readonly what?: 'all' | 'pieces' | undefined
  /** True counts and removes nothing. Default false. */
  readonly dryRun?: boolean | undefined
}

/** The counts of {@link StoreOperations.prune}: removed, or to be removed. */
export interface PruneReport {
  /** Tasks of agents, with their events. */
  readonly tasks: number
  /** Runs of `store.runs`. */
  readonly runs: number
  /** Events of tasks and runs that stay. */
  readonly pieces: number
}

/** Tasks or runs of one page, and entries of one transaction: locks stay short. */
const page = 20
const entriesAtOnce = 1000

const pieces = `kind IN ('text-delta', 'reasoning-delta', 'tool-call-delta', 'output-partial', 'progress')`
const overTasks = ['completed', 'failed', 'cancelled', 'rejected'] as const
const overRuns = ['finished', 'cancelled'] as const
const oneOf = (states: readonly string[]): string => states.map((one) => `'${one}'`).join(', ')
const oldTasks = `FROM tasks t WHERE t.state IN (${oneOf(overTasks)}) AND t.at < ?`
const oldRuns = `FROM runs WHERE status IN (${oneOf(overRuns)}) AND updated < ? AND id NOT LIKE 'task:%'`
// The pieces of a failed task may be all there is of its reply.
const wholeTasks = `FROM tasks t JOIN logs l ON l.id = 'task:' || t.id AND l.kept < l.seq WHERE t.state = 'completed' AND t.at < ?`
const wholeRuns = `${oldRuns} AND trimmed = 0`

/** Rows by their state and time: an index has them in this order, so that a page is one look. */
interface Rows {
  /** The columns, and the table. */
  readonly select: string
  readonly state: string
  /** The column of the time. */
  readonly at: string
  readonly id: string
  /** A further condition. Default: none. */
  readonly and?: string
}

const tasksIn = (state: string, rest: Partial<Rows> = {}): Rows => ({
  select: 't.id AS id, t.principal AS principal, t.at AS at FROM tasks t',
  state: `t.state = '${state}'`,
  at: 't.at',
  id: 't.id',
  ...rest,
})

const runsIn = (status: string, and: string = ''): Rows => ({
  select: 'id, updated AS at FROM runs',
  state: `status = '${status}'`,
  at: 'updated',
  id: 'id',
  and: ` AND id NOT LIKE 'task:%'${and}`,
})

/** Removes old rows in short transactions with pauses between them, and gives the space back. */
export async function prune(parts: RunParts, options: PruneOptions): Promise<PruneReport> {
  checkArguments('operations.prune', options, {
    before: 'required',
    what: 'optional',
    dryRun: 'optional',
  })
  const { before, what = 'all', dryRun = false } = options
  if (dryRun) return count(parts.database, before, what)
  const pruning = new Pruning(parts.database)
  const report =
    what === 'all' ? await pruning.removeOld(before) : await pruning.removePieces(before)
  await pruning.removeDead(before)
  await shrink(parts.database)
  return report
}

async function count(
  database: Database,
  before: number,
  what: 'all' | 'pieces',
): Promise<PruneReport> {
  const of = async (sql: string, ...params: readonly SqlValue[]): Promise<number> =>
    Number((await database.read(`SELECT count(*) AS n ${sql}`, params))[0]?.['n'])
  if (what === 'all')
    return { tasks: await of(oldTasks, before), runs: await of(oldRuns, before), pieces: 0 }
  const logs = `SELECT 'task:' || t.id ${wholeTasks} UNION ALL SELECT 'run:' || id ${wholeRuns}`
  return {
    tasks: 0,
    runs: 0,
    pieces: await of(`FROM entries WHERE ${pieces} AND log IN (${logs})`, before, before),
  }
}

class Pruning {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async removeOld(before: number): Promise<PruneReport> {
    const tasks = await this.#each(
      overTasks.map((state) => tasksIn(state)),
      before,
      async (rows) => {
        const keys = rows.map(({ id, principal }) => ({
          id: String(id),
          principal: String(principal),
        }))
        await this.#entries(
          keys.flatMap((key) => [
            logOf(key.id),
            `inbox:${nameOfTask(key)}`,
            ...logsOf(runOfTask(key.id)),
          ]),
        )
        await this.#write(keys.flatMap(removeTask))
      },
    )
    const runs = await this.#each(
      overRuns.map((status) => runsIn(status)),
      before,
      async (rows) => {
        const ids = rows.map(({ id }) => String(id))
        await this.#entries(ids.flatMap(logsOf))
        await this.#write(ids.flatMap(removeRun))
      },
    )
    return { tasks, runs, pieces: 0 }
  }

  async removePieces(before: number): Promise<PruneReport> {
    let removed = 0
    const untrimmed = {
      and: ` AND EXISTS (SELECT 1 FROM logs l WHERE l.id = 'task:' || t.id AND l.kept < l.seq)`,
    }
    await this.#each([tasksIn('completed', untrimmed)], before, async (rows) => {
      const logs = rows.map(({ id }) => logOf(String(id)))
      removed += await this.#entries(logs, ` AND ${pieces}`)
      // Each task is checked only once.
      await this.#write(
        logs.map((log) => ({ sql: 'UPDATE logs SET kept = seq WHERE id = ?', params: [log] })),
      )
    })
    await this.#each(
      overRuns.map((status) => runsIn(status, ' AND trimmed = 0')),
      before,
      async (rows) => {
        removed += await this.#entries(
          rows.map(({ id }) => eventsOf(String(id))),
          ` AND ${pieces}`,
        )
        await this.#write(rows.map(({ id }) => transition('trim', { id: id ?? null })))
      },
    )
    return { tasks: 0, runs: 0, pieces: removed }
  }

  /** Notifications and cancels that were given up. */
  async removeDead(before: number): Promise<void> {
    await this.#each(
      [{ select: 'id, dead AS at FROM outbox', state: 'dead > 0', at: 'dead', id: 'id' }],
      before,
      async (rows) => {
        await this.#write(
          rows.map(({ id }) => ({ sql: 'DELETE FROM outbox WHERE id = ?', params: [id ?? null] })),
        )
      },
    )
  }

  /**
   * Goes through rows in the order of their index, each page behind the one before: what is left is
   * not looked at again.
   */
  async #each(
    kinds: readonly Rows[],
    before: number,
    remove: (rows: readonly Row[]) => Promise<void>,
  ): Promise<number> {
    let found = 0
    for (const { select, state, at, id, and = '' } of kinds) {
      let last: readonly [at: number, id: string] = [-1, '']
      for (;;) {
        const rows = await this.#database.read(
          `SELECT ${select} WHERE ${state} AND (${at}, ${id}) > (?, ?) AND ${at} < ?${and}
            ORDER BY ${at}, ${id} LIMIT ${page}`,
          [...last, before],
        )
        if (rows.length > 0) await remove(rows)
        found += rows.length
        const end = rows.at(-1)
        if (!end || rows.length < page) break
        last = [Number(end['at']), String(end['id'])]
      }
    }
    return found
  }

  /** Removes the entries of these logs, some at a time. */
  async #entries(logs: readonly string[], and: string = ''): Promise<number> {
    const marks = logs.map(() => '?').join(', ')
    let removed = 0
    for (;;) {
      const rows = await this.#write([
        {
          sql: `DELETE FROM entries WHERE (log, seq) IN (SELECT log, seq FROM entries WHERE log IN (${marks})${and} LIMIT ${entriesAtOnce}) RETURNING seq`,
          params: logs,
        },
      ])
      removed += rows
      if (rows < entriesAtOnce) return removed
    }
  }

  /** Writes, then leaves the database to others for as long as that took. */
  async #write(statements: readonly Statement[]): Promise<number> {
    const beganAt = performance.now()
    const result = await this.#database.write(statements)
    await sleep(Math.min(performance.now() - beganAt, 1000))
    return result.ok ? (result.rows[0]?.length ?? 0) : 0
  }
}

const logsOf = (run: string): readonly string[] => [
  eventsOf(run),
  journalOf(run),
  transcriptOf(run),
]
