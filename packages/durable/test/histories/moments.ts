// What has to hold at every moment, whoever works and whatever has just died: questions to the
// tables, each of which nobody may be able to answer. And the moments themselves: a move may wait
// for one, so that it meets what happens then.
import type { Statement, WriteResult } from '../../src/database/database.js'
import { isOfHolder, mayClaim, type Rows } from './virtual-database.js'

/** What a move may wait for; a new one does not compile until the cluster notes it. */
export const moments = [
  'a call is begun',
  'a call is sent',
  'a model is asked',
  'an agent is called',
  'something waits',
  'somebody decides',
  'work is claimed',
  'work ends',
] as const
export type Moment = (typeof moments)[number]

/** The moment at which a transaction was stored, if it is one. */
export function momentOf(
  statements: readonly Statement[],
  result: WriteResult,
): Moment | undefined {
  if (!result.ok) return undefined
  const has = (value: string): boolean =>
    statements.some(({ params = [] }) => params.includes(value))
  if (claimIn(statements, result)) return 'work is claimed'
  if (has('intent tool') || has('intent agent')) return 'a call is begun'
  if (has('input-required') || statements.some(({ sql }) => sql.includes("ELSE 'suspended' END")))
    return 'something waits'
  return ['completed', 'failed', 'cancelled', 'finished'].some(has) ? 'work ends' : undefined
}

/** The run that a transaction claimed. */
export function claimIn(statements: readonly Statement[], result: WriteResult): string | undefined {
  if (!result.ok || !mayClaim(statements)) return undefined
  const row = result.rows[0]?.[0]
  return row?.['status'] === 'running' ? String(row['id']) : undefined
}

/** The tasks that a transaction makes. */
export const createdIn = (statements: readonly Statement[]): readonly string[] =>
  statements.flatMap(({ sql, params = [] }) =>
    sql.startsWith('INSERT INTO tasks') ? [String(params[0])] : [],
  )

/** The run whose holder stored something. */
export function heldRunIn(
  statements: readonly Statement[],
  result: WriteResult,
): string | undefined {
  const found = result.ok ? statements.find(isOfHolder) : undefined
  // Its condition has the id and the epoch, in this order, in front of what is added.
  const [id] = found?.params?.slice(-2) ?? []
  return typeof id === 'string' ? id : undefined
}

const over = `('completed', 'failed', 'cancelled', 'rejected')`
const waits = `('input-required', 'auth-required')`

/** What no row may be, and how it is said. */
const forbidden: Readonly<Record<string, string>> = {
  'the turn of a session is with a task that is over or waits': `SELECT s.id || ' ' || t.id || ' ' || t.state AS what
    FROM sessions s JOIN tasks t ON t.id = s.turn AND t.generation = s.generation
    WHERE t.state IN ${over} OR t.state IN ${waits}`,
  'a task waits for a turn that nobody has': `SELECT s.id || ' ' || t.id AS what
    FROM sessions s JOIN tasks t ON t.generation = s.generation JOIN runs r ON r.id = 'task:' || t.id
    WHERE s.turn IS NULL AND t.place IS NOT NULL AND r.status = 'ready' AND r.due IS NULL`,
  'a task waits for the turn of a session that is gone': `SELECT t.id AS what
    FROM tasks t JOIN runs r ON r.id = 'task:' || t.id
    WHERE r.status = 'ready' AND r.due IS NULL AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.generation = t.generation)`,
  'a task waits, and its run does not': `SELECT t.id || ' ' || r.status AS what
    FROM tasks t JOIN runs r ON r.id = 'task:' || t.id
    WHERE t.state IN ${waits} AND r.status NOT IN ('suspended', 'stopped')`,
  'a task is over, and its run is not': `SELECT t.id || ' ' || r.status AS what
    FROM tasks t JOIN runs r ON r.id = 'task:' || t.id
    WHERE t.state IN ${over} AND r.status <> 'finished'`,
  'a task is worked on, and its run is over or waits': `SELECT t.id || ' ' || r.status AS what
    FROM tasks t JOIN runs r ON r.id = 'task:' || t.id
    WHERE t.state IN ('submitted', 'working') AND r.status IN ('suspended', 'finished', 'cancelled')`,
  'a run waits, and has a decision that nobody will read': `SELECT i.id AS what
    FROM inbox i JOIN runs r ON r.id = i.run WHERE r.status = 'suspended' AND i.about <= r.checks`,
  'a budget holds more than was taken from it': `SELECT b.id || ' ' || b.usedcalls AS what FROM budgets b
    WHERE b.usedcalls < (SELECT COALESCE(SUM(calls), 0) FROM reservations r WHERE r.budget = b.id AND r.start = b.start)`,
  'a budget is spent less than nothing': `SELECT id || ' ' || usedcalls || ' ' || usedtokens AS what FROM budgets
    WHERE usedcalls < 0 OR usedtokens < 0`,
}

const all = Object.entries(forbidden)
  .map(([says, sql]) => `SELECT '${says}' AS says, what FROM (${sql})`)
  .join(' UNION ALL ')

/** What is wrong in rows right now, one sentence each. Rows that answer later are not asked. */
export function wrongIn(rows: Rows): readonly string[] {
  const found = rows.look?.(all) ?? []
  return found.map(({ says, what }) => `${String(says)}: ${String(what)}`)
}

/** False for the heartbeat of a process that has no work. */
export const isNews = (statements: readonly Statement[]): boolean =>
  statements.some(({ sql }) => !sql.includes(' workers '))

/** True if somebody works in these rows, or is about to. */
export function isBusy(rows: Rows): boolean {
  const found = rows.look?.(`SELECT 1 FROM runs WHERE status IN ('ready', 'running') LIMIT 1`)
  return found === undefined || found.length > 0
}

/** Work that is due since before a time, and that nobody takes. */
export function leftIn(rows: Rows, before: number): readonly string[] {
  const found = rows.look?.('SELECT id, status FROM runs WHERE due < ?', [before]) ?? []
  return found.map(({ id, status }) => `nobody takes what is due: ${String(id)}, ${String(status)}`)
}
