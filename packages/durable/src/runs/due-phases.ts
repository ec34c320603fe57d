import type { Database, SqlValue } from '../database/database.js'

/** The phase of a run or a task that may have ended its process. */
export const suspectPhase = 2

const duePhase = (phase: number): string =>
  `SELECT * FROM (SELECT phase FROM runs WHERE queue = ? AND version = ? AND phase = ${phase} AND due <= ? LIMIT 1) AS p${phase}`
const sql = [suspectPhase, 1, 0].map(duePhase).join(' UNION ALL ')

/** The phases of a queue that have a run which can be claimed: one read, also if there is none. */
export async function duePhases(
  database: Database,
  queue: string,
  version: string,
): Promise<ReadonlySet<number>> {
  const of: readonly SqlValue[] = [queue, version, database.now()]
  const rows = await database.read(sql, [...of, ...of, ...of])
  return new Set(rows.map(({ phase }) => Number(phase)))
}
