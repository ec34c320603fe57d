import { nameOfSession, type SessionKey, type TaskRecord } from '@modelport/agent'
import type { SqlValue, Statement } from '../database/database.js'
import { transition } from './transitions.js'

/** The task of a run row; undefined for another run. */
export const taskOfRun = (run: string): string | undefined =>
  run.startsWith('task:') ? run.slice('task:'.length) : undefined

/** The session that a task belongs to. */
export const sessionOf = ({ principal, agent, sessionId }: TaskRecord): SessionKey => ({
  principal,
  agent,
  id: sessionId,
})

/** The log of a session. */
export const logOfSession = (name: string): string => `session:${name}`

/** Notified when the turn of a session moves. */
export const turnKey = (key: SessionKey): string => `turn:${nameOfSession(key)}`

/** Which session a statement is about. */
interface Which {
  readonly where: string
  readonly params: readonly SqlValue[]
}

const byTask = (id: string): Which => ({
  where: 'generation = (SELECT generation FROM tasks WHERE id = ?)',
  params: [id],
})

const byName = (name: string): Which => ({ where: 'name = ?', params: [name] })

/**
 * Locks a session, before anything else of the transaction: two of them that are about one session
 * then follow one another, and each statement after this one sees what the other did.
 */
export const lockSession = (id: string): Statement => {
  const { where, params } = byTask(id)
  return { sql: `UPDATE sessions SET places = places WHERE ${where}`, params }
}

/**
 * The next task that is ready gets a turn that nobody has, and its run becomes due. A run that
 * waits for its turn is ready, and never due.
 */
function handOn({ where, params }: Which, due: number): readonly Statement[] {
  return [
    {
      sql: `UPDATE sessions SET turn = (SELECT t.id FROM tasks t JOIN runs r ON r.id = 'task:' || t.id
          WHERE t.generation = sessions.generation AND t.place IS NOT NULL AND r.status = 'ready' AND r.due IS NULL
          ORDER BY t.place LIMIT 1)
        WHERE ${where} AND turn IS NULL`,
      params,
    },
    transition(
      'get the turn',
      { due },
      {
        which: `id = (SELECT 'task:' || turn FROM sessions WHERE ${where})`,
        whichParams: params,
      },
    ),
  ]
}

/** A ready task gets the turn of its session, if nobody has it and nobody waits before it. */
export const askForTurn = (id: string, due: number): readonly Statement[] => handOn(byTask(id), due)

/** Gives the turn of a task on, if it has it. */
export function giveTurn(id: string, now: number): readonly Statement[] {
  const session = byTask(id)
  return [
    {
      sql: `UPDATE sessions SET turn = NULL WHERE ${session.where} AND turn = ?`,
      params: [...session.params, id],
    },
    ...handOn(session, now),
  ]
}

/** A task whose run stopped gives the turn of its session on; another run has none. */
export function giveTurnOfRun(run: string, now: number): readonly Statement[] {
  const task = taskOfRun(run)
  return task === undefined ? [] : giveTurn(task, now)
}

/** Gives a turn on that was taken for something that is not a task. */
export function releaseTurn(name: string, holder: string, now: number): readonly Statement[] {
  return [
    {
      sql: 'UPDATE sessions SET turn = NULL, until = NULL WHERE name = ? AND turn = ?',
      params: [name, holder],
    },
    ...handOn(byName(name), now),
  ]
}

/** Gives every turn on whose holder is not a task and died. */
export const releaseExpired = (name: string, now: number): readonly Statement[] => [
  {
    sql: 'UPDATE sessions SET turn = NULL, until = NULL WHERE name = ? AND until < ?',
    params: [name, now],
  },
  ...handOn(byName(name), now),
]

/**
 * A task whose run an operator let continue waits for its turn, unless it has it, or its session
 * was deleted.
 */
export const askAgain = (id: string, now: number): readonly Statement[] => [
  lockSession(id),
  transition('ask for the turn again', { id: `task:${id}`, task: id }),
  ...handOn(byTask(id), now),
]

/** Nobody waits for the turn of a session that is deleted: its open tasks do without. */
export const wakeAll = (name: string, now: number): readonly Statement[] => [
  { sql: 'UPDATE sessions SET places = places WHERE name = ?', params: [name] },
  transition(
    'get the turn',
    { due: now },
    {
      which: `id IN (SELECT 'task:' || t.id FROM tasks t JOIN sessions s ON s.generation = t.generation
      WHERE s.name = ? AND t.place IS NOT NULL)`,
      whichParams: [name],
    },
  ),
]

/**
 * Adds an entry to the conversation of a task's session, if the task has its turn. A session that
 * was deleted stays deleted.
 */
export function sayInSession(id: string, body: string): readonly Statement[] {
  const isMine = `${byTask(id).where} AND turn = ?`
  return [
    {
      sql: `INSERT INTO logs (id, seq, kept) SELECT 'session:' || name, 1, 0 FROM sessions WHERE ${isMine}
        ON CONFLICT (id) DO UPDATE SET seq = logs.seq + 1`,
      params: [id, id],
    },
    {
      sql: `INSERT INTO entries (log, seq, kind, body)
        SELECT l.id, l.seq, 'messages', ? FROM sessions s JOIN logs l ON l.id = 'session:' || s.name WHERE ${isMine}`,
      params: [body, id, id],
    },
  ]
}
