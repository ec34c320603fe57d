import { AgentError, type TaskQuery } from '@modelport/agent'
import type { SqlValue } from '../database/database.js'

/** The conditions of a query, for rows of tasks that are called `t`. */
export function conditionsOf({ principal, agent, sessionId, state, statusAfter }: TaskQuery): {
  readonly where: string
  readonly params: readonly SqlValue[]
} {
  const conditions: readonly (readonly [string, SqlValue | undefined])[] = [
    ['t.principal = ?', principal],
    ['t.agent = ?', agent],
    ['t.session = ?', sessionId],
    ['t.state = ?', state],
    ['t.at >= ?', statusAfter === undefined ? undefined : Date.parse(statusAfter)],
  ]
  const set = conditions.filter((one): one is readonly [string, SqlValue] => one[1] !== undefined)
  return { where: set.map(([sql]) => sql).join(' AND '), params: set.map(([, value]) => value) }
}

/** Where a page starts. @throws {AgentError} `invalid-params` — the cursor is not of this store */
export function readCursor(cursor: string): { readonly at: number; readonly id: string } {
  try {
    const [at, id] = JSON.parse(atob(cursor)) as [unknown, unknown]
    if (typeof at === 'number' && typeof id === 'string') return { at, id }
  } catch {
    // Reported below.
  }
  throw new AgentError(
    'invalid-params',
    'The page token is not one that this server gave out; start from the first page',
    {
      violations: [{ pointer: '/pageToken', message: 'not a page token of this server' }],
    },
  )
}
