import { removeTask } from '../agents/sql-tasks.js'
import type { Database, Row, Statement } from '../database/database.js'
import type { RunParts } from '../runs/held-run.js'
import { removeRun } from '../runs/run-table.js'

/** What {@link StoreOperations.prune} removes. */
export interface PruneOptions {
  /** Only what was over before this time, in milliseconds since 1970. */
  readonly before: number
  /**
   * `all` removes tasks and runs that are over, with everything about them. `pieces` keeps them and removes the pieces of text and progress of
   * completed ones, whose whole is in later events. Default `all`. Both remove what the engine and the inboxes keep of work that is done.
   */
  readonly what?: 'all' | 'pieces' | undefined
  /** True counts and removes nothing. Default false. */
  readonly dryRun?: boolean | undefined
}

/** What {@link StoreOperations.prune} removed, or would remove. */
export interface PruneReport {
  /** Tasks of agents. */
  readonly tasks: number
  /** Runs of `store.runs`. */
  readonly runs: number
  /** Events of tasks and runs that stay. */
  readonly pieces: number
}

/** Tasks and runs of one transaction: locks stay short. */
const batch = 100

const pieces = `kind IN ('text-delta', 'reasoning-delta', 'tool-call-delta', 'output-partial', 'progress')`
const oldTasks = `SELECT t.id, t.principal, r.queue, r.engine FROM tasks t LEFT JOIN runs r ON r.id = 'task:' || t.id
  WHERE t.state IN ('completed', 'failed', 'canceled', 'rejected') AND t.at < ?`
const oldRuns = `SELECT id FROM runs WHERE id NOT LIKE 'task:%' AND status IN ('finished', 'canceled') AND updated < ?`
// Of a task that failed, the pieces may be all there is of its reply.
const oldPieces = `${pieces} AND log IN (
  SELECT 'task:' || id FROM tasks WHERE state = 'completed' AND at < ? UNION ALL SELECT 'run:' || id FROM (${oldRuns}) AS old)`

/** Removes what is old, in short transactions. */
export async function prune({ database }: RunParts, options: PruneOptions): Promise<PruneReport> {
  const { before, what = 'all', dryRun = false } = options
  const count = async (sql: string, times: number): Promise<number> => {
    const [row] = await database.read(`SELECT count(*) AS n FROM (${sql}) AS found`, Array<number>(times).fill(before))
    return Number(row?.['n'])
  }
  const isAll = what === 'all'
  const report = {
    tasks: isAll ? await count(oldTasks, 1) : 0,
    runs: isAll ? await count(oldRuns, 1) : 0,
    pieces: isAll ? 0 : await count(`SELECT 1 FROM entries WHERE ${oldPieces}`, 2),
  }
  if (dryRun) return report
  if (isAll) {
    await removeEach(database, oldTasks, before, ({ id, principal }) =>
      removeTask({ id: String(id), principal: String(principal) }),
    )
    await removeEach(database, oldRuns, before, ({ id }) => removeRun(String(id)))
  } else await database.write([{ sql: `DELETE FROM entries WHERE ${oldPieces}`, params: [before, before] }])
  await database.write([
    // What the holders of tasks and runs have taken out of their inboxes.
    {
      sql: `DELETE FROM entries WHERE log LIKE 'inbox:%' AND seq <= (SELECT kept FROM logs WHERE logs.id = entries.log)`,
    },
    { sql: 'DELETE FROM inbox WHERE taken < ?', params: [before] },
    { sql: 'DELETE FROM outbox WHERE dead > 0 AND dead < ?', params: [before] },
  ])
  await database.engine.prune(before)
  return report
}

async function removeEach(
  database: Database,
  select: string,
  before: number,
  remove: (row: Row) => readonly Statement[],
): Promise<void> {
  for (;;) {
    const rows = await database.read(`${select} LIMIT ${batch}`, [before])
    if (rows.length > 0) await database.write(rows.flatMap(remove))
    // A task that was canceled while it waited still has a run in the engine.
    for (const { queue, engine } of rows)
      if (queue && engine) await database.engine.cancel(String(queue), String(engine))
    if (rows.length < batch) return
  }
}
