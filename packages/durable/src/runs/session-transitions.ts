import type { SqlValue, Statement } from '../database/database.js'
import {
  columnsOf,
  compiledOnce,
  paramsOf,
  type Template,
  templateOf,
  type Values,
} from './transition-sql.js'

/** Whether a session is there, and whether anybody has its turn. */
export type SessionStatus = 'absent' | 'free' | 'taken'

/** One change of the row of a session: what may happen to it, and when. */
export interface SessionTransition {
  /** Who does what. */
  readonly when: string
  /** What the session can be before. */
  readonly from: readonly SessionStatus[]
  /** What else has to be true, in words and as SQL; unset: nothing. */
  readonly guard?: { readonly says: string; readonly sql: string }
  /** What becomes of the session, in words. */
  readonly then: string
  /** The columns that change, as SQL. `:name` is a value that the caller gives. Unset: all go. */
  readonly set?: Readonly<Record<string, string>>
  /** Columns of a new life besides its key, for a change that a session can be `absent` before. */
  readonly begin?: Readonly<Record<string, string>>
}

/** Names of the changes. */
export type SessionTransitionName =
  | 'place a task'
  | 'add entries'
  | 'take the turn'
  | 'lock'
  | 'hand on'
  | 'give'
  | 'release'
  | 'expire'
  | 'delete'

const any: readonly SessionStatus[] = ['free', 'taken']
const orNone: readonly SessionStatus[] = ['absent', ...any]

/** The next task of the session that is ready and waits for its turn. */
const nextTask = `(SELECT t.id FROM tasks t JOIN runs r ON r.id = 'task:' || t.id
  WHERE t.generation = sessions.generation AND t.place IS NOT NULL AND r.status = 'ready' AND r.due IS NULL
  ORDER BY t.place LIMIT 1)`

const isHolder = { says: 'the same one has the turn', sql: 'sessions.turn = :holder' }

/**
 * Every change of the row of a session. Nothing else writes one: a test reads the sources. The page
 * of durable agents shows this table.
 */
export const sessionTransitions: Readonly<Record<SessionTransitionName, SessionTransition>> = {
  'place a task': {
    when: 'A message makes a task.',
    from: orNone,
    then: 'The task has the next place. A session that was absent is `free`, and begins a life of its own.',
    begin: { start: '1', places: '1' },
    set: { places: 'sessions.places + 1' },
  },
  'add entries': {
    when: 'Somebody adds to the conversation, or replaces it.',
    from: orNone,
    guard: {
      says: 'nobody has the turn, or whoever adds has it',
      sql: 'COALESCE(sessions.turn, :holder) = :holder',
    },
    then: 'Stays as it is; the conversation begins at what replaced it. A session that was absent is `free`.',
    begin: { start: ':first', places: '0' },
    set: { start: 'COALESCE(:start, sessions.start)' },
  },
  'take the turn': {
    when: 'Somebody who is not a task takes the turn: to compact, reset, fork or prune.',
    from: orNone,
    guard: {
      says: 'nobody has it, the same one has it, or the time of its holder is over',
      sql: '(sessions.turn IS NULL OR sessions.turn = excluded.turn OR sessions.until < :now)',
    },
    then: '`taken`, for five minutes.',
    begin: { start: '1', places: '0', turn: ':holder', until: ':until' },
    set: { turn: 'excluded.turn', until: 'excluded.until' },
  },
  lock: {
    when: 'A transaction is about the session: others that are wait for its end.',
    from: any,
    then: 'Stays as it is.',
    set: { places: 'places' },
  },
  'hand on': {
    when: 'The turn is free, or became so.',
    from: ['free'],
    then: '`taken` by the first task by place that is ready and waits for it; `free` if there is none.',
    set: { turn: nextTask },
  },
  give: {
    when: 'A task that has the turn is over, waits for somebody, or stopped.',
    from: ['taken'],
    guard: isHolder,
    then: '`free`, and handed on.',
    set: { turn: 'NULL' },
  },
  release: {
    when: 'Somebody who is not a task gives the turn back.',
    from: ['taken'],
    guard: isHolder,
    then: '`free`, and handed on.',
    set: { turn: 'NULL', until: 'NULL' },
  },
  expire: {
    when: 'The process of somebody who is not a task died with the turn.',
    from: ['taken'],
    guard: { says: 'the time of its holder is over', sql: 'sessions.until < :now' },
    then: '`free`, and handed on.',
    set: { turn: 'NULL', until: 'NULL' },
  },
  delete: {
    when: 'The session is deleted.',
    from: any,
    then: '`absent`: its open tasks do without a turn, and add nothing to a later life of it.',
  },
}

/** Which session a statement is about. */
export interface WhichSession {
  readonly where: string
  readonly params: readonly SqlValue[]
}

/** What the statuses before mean for a row that is there. */
function conditionsOf({ from, guard }: SessionTransition): readonly string[] {
  const isFree = from.includes('free')
  const isTaken = from.includes('taken')
  return [
    ...(isFree === isTaken ? [] : [isFree ? 'sessions.turn IS NULL' : 'sessions.turn IS NOT NULL']),
    ...(guard ? [guard.sql] : []),
  ]
}

/** The SQL of a change. */
interface Compiled {
  /** What the columns become; undefined: the row goes. */
  readonly changes: Template | undefined
  /** What has to be true, without a `WHERE`; empty: nothing. */
  readonly condition: Template
  /** Columns of a row that is made, and their values. */
  readonly columns: string
  readonly made: Template
}

const key = ['name', 'principal', 'agent', 'id', 'generation']

function compile(one: SessionTransition): Compiled {
  const { set, begin = {} } = one
  return {
    changes: set && columnsOf(set),
    condition: templateOf(conditionsOf(one).join(' AND ')),
    columns: [...key, ...Object.keys(begin)].join(', '),
    made: templateOf([...key.map((column) => `:${column}`), ...Object.values(begin)].join(', ')),
  }
}

const compiledOf = compiledOnce(sessionTransitions, compile)

/**
 * The statement of a change of a session that is there.
 *
 * @param values of each `:name`
 */
export function sessionTransition(
  name: SessionTransitionName,
  which: WhichSession,
  values: Values = {},
): Statement {
  const { changes, condition } = compiledOf(name)
  const what = changes ? `UPDATE sessions SET ${changes.sql}` : 'DELETE FROM sessions'
  const and = condition.sql && ` AND ${condition.sql}`
  return {
    sql: `${what} WHERE ${which.where}${and}`,
    params: [
      ...(changes ? paramsOf(changes, values) : []),
      ...which.params,
      ...paramsOf(condition, values),
    ],
  }
}

/**
 * The statement of a change that makes a session which is absent.
 *
 * @param values of each `:name`, with the key of the session and the `generation` of a new life
 */
export function beginSession(name: SessionTransitionName, values: Values): Statement {
  const { columns, made, changes = templateOf(''), condition } = compiledOf(name)
  const where = condition.sql && ` WHERE ${condition.sql}`
  return {
    sql: `INSERT INTO sessions (${columns}) VALUES (${made.sql})
      ON CONFLICT (name) DO UPDATE SET ${changes.sql}${where}`,
    params: [made, changes, condition].flatMap((part) => paramsOf(part, values)),
  }
}
