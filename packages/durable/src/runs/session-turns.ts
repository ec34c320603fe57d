import { randomUUID } from 'node:crypto'
import { nameOfSession, type SessionKey, type TaskRecord } from '@modelport/agent'
import type { Statement } from '../database/database.js'
import { sessionTransition, type WhichSession } from './session-transitions.js'
import type { Values } from './transition-sql.js'
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

/** The key of a session, and the generation of a life that it begins if it is absent. */
export const newLifeOf = (key: SessionKey): Values => ({
  name: nameOfSession(key),
  principal: key.principal,
  agent: key.agent,
  id: key.id,
  generation: randomUUID(),
})

/** The log of a session. */
export const logOfSession = (name: string): string => `session:${name}`

/** Notified when the turn of a session moves. */
export const turnKey = (key: SessionKey): string => `turn:${nameOfSession(key)}`

const byTask = (id: string): WhichSession => ({
  where: 'generation = (SELECT generation FROM tasks WHERE id = ?)',
  params: [id],
})

const byName = (name: string): WhichSession => ({ where: 'name = ?', params: [name] })

/**
 * Locks a session, before anything else of the transaction: two of them that are about one session
 * then follow one another, and each statement after this one sees what the other did.
 */
export const lockSession = (id: string): Statement => sessionTransition('lock', byTask(id))

/**
 * The next task that is ready gets a turn that nobody has, and its run becomes due. A run that
 * waits for its turn is ready, and never due.
 */
function handOn(session: WhichSession, due: number): readonly Statement[] {
  return [
    sessionTransition('hand on', session),
    transition(
      'get the turn',
      { due },
      {
        which: `id = (SELECT 'task:' || turn FROM sessions WHERE ${session.where})`,
        whichParams: session.params,
      },
    ),
  ]
}

/** A ready task gets the turn of its session, if nobody has it and nobody waits before it. */
export const askForTurn = (id: string, due: number): readonly Statement[] => handOn(byTask(id), due)

/** Gives the turn of a task on, if it has it. */
export function giveTurn(id: string, now: number): readonly Statement[] {
  const session = byTask(id)
  return [sessionTransition('give', session, { holder: id }), ...handOn(session, now)]
}

/** A task whose run stopped gives the turn of its session on; another run has none. */
export function giveTurnOfRun(run: string, now: number): readonly Statement[] {
  const task = taskOfRun(run)
  return task === undefined ? [] : giveTurn(task, now)
}

/** Gives a turn on that was taken for something that is not a task. */
export function releaseTurn(name: string, holder: string, now: number): readonly Statement[] {
  return [sessionTransition('release', byName(name), { holder }), ...handOn(byName(name), now)]
}

/** Gives every turn on whose holder is not a task and died. */
export const releaseExpired = (name: string, now: number): readonly Statement[] => [
  sessionTransition('expire', byName(name), { now }),
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

/** Deletes a session. Nobody waits for its turn any more: its open tasks do without. */
export const deleteSession = (name: string, now: number): readonly Statement[] => [
  sessionTransition('lock', byName(name)),
  transition(
    'get the turn',
    { due: now },
    {
      which: `id IN (SELECT 'task:' || t.id FROM tasks t JOIN sessions s ON s.generation = t.generation
      WHERE s.name = ? AND t.place IS NOT NULL)`,
      whichParams: [name],
    },
  ),
  sessionTransition('delete', byName(name)),
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
