import type { SqlValue, Statement } from '../database/database.js'
import type { DurableRunStatus } from './stored-run.js'
import {
  columnsOf,
  compiledOnce,
  paramsOf,
  type Template,
  templateOf,
  type Values,
  valueOf,
} from './transition-sql.js'

/** One change of the row of a run: what may happen to it, and when. */
export interface Transition {
  /** Who does what. */
  readonly when: string
  /** The statuses that the run can have before. */
  readonly from: readonly DurableRunStatus[]
  /** What else has to be true, in words and as SQL; unset: nothing. */
  readonly guard?: { readonly says: string; readonly sql: string }
  /** What becomes of the run, in words. */
  readonly then: string
  /** The columns that change, as SQL. `:name` is a value that the caller gives. */
  readonly set: Readonly<Record<string, string>>
}

/** Names of the changes. */
export type TransitionName =
  | 'claim'
  | 'write'
  | 'keep'
  | 'end'
  | 'wait'
  | 'give back'
  | 'fail'
  | 'decide'
  | 'cancel'
  | 'reopen'
  | 'move to a version'
  | 'stop as damaged'
  | 'end with its task'
  | 'wait with its task'
  | 'continue with its task'
  | 'get the turn'
  | 'ask for the turn again'
  | 'look earlier'
  | 'look later'
  | 'trim'

const open: readonly DurableRunStatus[] = ['ready', 'running', 'suspended']
const held: readonly DurableRunStatus[] = ['running']

/** Each claim, and each change by somebody else, raises the epoch: who held the run is fenced. */
const isHolder = { says: 'the epoch is that of the holder', sql: 'epoch = :epoch' }

/** Deaths in a row before a run is set aside, so that it is worked on next to suspects only. */
const mostInCompany = 2

/**
 * Deaths in a row after which a run is stopped. The last three happened alone: nobody else can have
 * caused them.
 */
export const mostCrashes = 7

/** How often the run crashed, after the claim that is about to happen. */
const crashes = `CASE WHEN status <> 'running' THEN crashes WHEN progress > 0 THEN 0
  WHEN alone = 1 OR crashes < ${mostInCompany} THEN crashes + 1 ELSE ${mostInCompany} END`
const isSetAside = `(status = 'running' AND progress = 0 AND ${crashes} BETWEEN ${mostInCompany} AND ${mostCrashes - 1})`

const isWaiting = `status = 'suspended'`
const isHeld = `status = 'running'`
const hasMail = '(mail > :seen OR cancel IS NOT NULL)'
const hasWork = 'CAST(:work AS BIGINT) > 0'

/** What a run that begins a new hold has forgotten. */
const noSuspicion = { alone: '0', crashes: '0', progress: '0' }

/**
 * Every change of the row of a run. Nothing else updates one: a test reads the sources. The page of
 * durable agents shows this table.
 */
export const transitions: Readonly<Record<TransitionName, Transition>> = {
  claim: {
    when: 'A worker takes a run that is due.',
    from: open,
    then: '`running`, held until its lease is over. A run whose process died twice without progress is set aside instead: `ready`, due later, for a process that works on such runs only.',
    set: {
      epoch: 'epoch + 1',
      updated: ':now',
      progress: '0',
      tries: `CASE WHEN ${isHeld} THEN tries + 1 ELSE tries END`,
      holder: `CASE WHEN ${isSetAside} THEN NULL ELSE :holder END`,
      due: `CASE WHEN ${isSetAside} THEN :now + :pause * (crashes + 1) ELSE :until END`,
      alone: `CASE WHEN phase = 2 AND NOT ${isSetAside} THEN :alone ELSE 0 END`,
      phase: `CASE WHEN ${isSetAside} THEN 2 WHEN phase = 2 AND (status <> 'running' OR progress = 0) THEN 2 ELSE 1 END`,
      crashes,
      status: `CASE WHEN ${isSetAside} THEN 'ready' ELSE 'running' END`,
    },
  },
  write: {
    when: 'The holder stores what it did.',
    from: held,
    guard: isHolder,
    then: 'Stays `running`.',
    // The columns that have an index are left alone.
    set: { epoch: 'epoch' },
  },
  keep: {
    when: 'The holder stores something, or nothing, when a sixth of its lease is over.',
    from: held,
    guard: isHolder,
    then: 'Stays `running`; the lease begins again.',
    // A write that was overtaken by a later one leaves the lease as it is.
    set: { updated: ':now', due: 'CASE WHEN due > :until THEN due ELSE :until END' },
  },
  end: {
    when: 'The holder ends the run.',
    from: held,
    guard: isHolder,
    then: '`finished`, `cancelled` or `stopped`, with its result.',
    set: {
      status: ':status',
      result: ':result',
      updated: ':now',
      due: 'NULL',
      holder: 'NULL',
      phase: ':phase',
      tries: '0',
      ...noSuspicion,
    },
  },
  wait: {
    when: 'The holder lets the run wait for somebody.',
    from: held,
    guard: isHolder,
    then: '`suspended`, due at the time when it is looked at; `ready` at once if a decision or a cancel came that the holder has not read.',
    set: {
      status: `CASE WHEN ${hasMail} THEN 'ready' ELSE 'suspended' END`,
      result: ':result',
      updated: ':now',
      due: `CASE WHEN ${hasMail} THEN :now ELSE CAST(:wake AS BIGINT) END`,
      holder: 'NULL',
      phase: ':phase',
      tries: '0',
      ...noSuspicion,
    },
  },
  'give back': {
    when: 'The holder gives the run back unfinished: its process is stopped.',
    from: held,
    guard: isHolder,
    then: '`ready`, due at once.',
    set: {
      status: `'ready'`,
      holder: 'NULL',
      due: ':now',
      updated: ':now',
      crashes: '0',
      phase: '1',
      alone: '0',
    },
  },
  fail: {
    when: 'The function of the run rejects.',
    from: held,
    guard: isHolder,
    then: '`ready`, due a little later, with the failure; this counts as a death.',
    set: {
      status: `'ready'`,
      holder: 'NULL',
      due: ':later',
      updated: ':now',
      crashes: 'CASE WHEN progress > 0 THEN 1 ELSE crashes + 1 END',
      result: ':result',
    },
  },
  decide: {
    when: 'Somebody decides about what the run waits for.',
    from: open,
    guard: {
      says: 'the checkpoint is the one that asked, and nobody cancelled the run',
      sql: 'checks = :checks AND cancel IS NULL',
    },
    then: 'One decision more. A run that waits is `ready`, due at once; a holder reads the decision.',
    set: {
      mail: 'mail + 1',
      due: `CASE WHEN ${isWaiting} THEN :now ELSE due END`,
      status: `CASE WHEN ${isWaiting} THEN 'ready' ELSE status END`,
    },
  },
  cancel: {
    when: 'Somebody cancels the run.',
    from: open,
    guard: {
      says: 'nobody cancelled it before; what it waits for is what the caller read',
      sql: `cancel IS NULL AND (${isHeld} OR checks = :checks)`,
    },
    then: '`cancelled` if nobody holds it; else its holder reads why, and ends it. One that waits for work that a tool can cancel is `ready`, due at once: whoever claims it cancels the work, and ends it.',
    set: {
      cancel: ':cancel',
      updated: ':now',
      result: `CASE WHEN ${isHeld} OR ${hasWork} THEN result ELSE :result END`,
      due: `CASE WHEN ${isHeld} THEN due WHEN ${hasWork} THEN :now ELSE NULL END`,
      epoch: `CASE WHEN ${isHeld} THEN epoch ELSE epoch + 1 END`,
      status: `CASE WHEN ${isHeld} THEN status WHEN ${hasWork} THEN 'ready' ELSE 'cancelled' END`,
    },
  },
  reopen: {
    when: 'An operator lets a run continue that stopped, or takes one from its holder.',
    from: ['ready', 'running', 'finished', 'stopped'],
    guard: { says: 'it is as the operator read it', sql: 'epoch = :epoch AND status = :status' },
    then: '`ready`, due at once, from its checkpoint.',
    set: {
      status: `'ready'`,
      holder: 'NULL',
      epoch: 'epoch + 1',
      due: ':now',
      updated: ':now',
      phase: '1',
      tries: 'tries + 1',
      result: 'NULL',
      queue: ':queue',
      version: ':version',
      fingerprint: ':fingerprint',
      accepts: ':accepts',
      ...noSuspicion,
    },
  },
  'move to a version': {
    when: 'An operator lets the runs of a version continue under another one.',
    from: ['ready', 'suspended', 'stopped', 'running'],
    guard: {
      says: 'nobody holds it: its lease is over if it is `running`',
      sql: `(status <> 'running' OR due <= :now)`,
    },
    then: '`ready`, due at once, of the new version. A run that waits waits on.',
    set: {
      version: ':version',
      accepts: '1',
      epoch: 'epoch + 1',
      updated: ':now',
      holder: 'NULL',
      due: `CASE WHEN ${isWaiting} THEN due ELSE :now END`,
      phase: `CASE WHEN ${isWaiting} THEN phase ELSE 1 END`,
      result: `CASE WHEN ${isWaiting} THEN result ELSE NULL END`,
      status: `CASE WHEN ${isWaiting} THEN status ELSE 'ready' END`,
      ...noSuspicion,
    },
  },
  'stop as damaged': {
    when: 'A worker cannot read the row that it claimed.',
    from: held,
    guard: isHolder,
    then: '`stopped`, with what is damaged.',
    set: { status: `'stopped'`, holder: 'NULL', due: 'NULL', result: ':result' },
  },
  'end with its task': {
    when: 'Somebody who does not hold a task ends it: a cancel, or an operator.',
    from: ['ready', 'running', 'suspended', 'cancelled', 'stopped'],
    then: '`finished`; who held it is fenced.',
    set: {
      status: `'finished'`,
      holder: 'NULL',
      due: 'NULL',
      epoch: 'epoch + 1',
      updated: ':now',
    },
  },
  'wait with its task': {
    when: 'Somebody who does not hold a task lets it wait.',
    from: ['ready', 'running'],
    then: '`suspended`; who held it is fenced.',
    set: {
      status: `'suspended'`,
      holder: 'NULL',
      epoch: 'epoch + 1',
      phase: '3',
      due: 'CAST(:wake AS BIGINT)',
      updated: ':now',
    },
  },
  'continue with its task': {
    when: 'A message or a decision arrives for a task that waits.',
    from: ['suspended'],
    then: '`ready`, due when it has the turn of its session; a little later if the session was deleted.',
    set: {
      status: `'ready'`,
      phase: '1',
      tries: '0',
      updated: ':now',
      due: `CASE WHEN EXISTS (SELECT 1 FROM sessions s JOIN tasks t ON t.generation = s.generation WHERE t.id = :task)
        THEN CAST(NULL AS BIGINT) ELSE :later END`,
    },
  },
  'get the turn': {
    when: 'The turn of a session passes to the next task, or its session is deleted.',
    from: ['ready'],
    guard: { says: 'it is not due', sql: 'due IS NULL' },
    then: 'Stays `ready`, and is due.',
    set: { due: ':due' },
  },
  'ask for the turn again': {
    when: 'An operator lets a task continue while another one has the turn of their session.',
    from: ['ready'],
    guard: {
      says: 'its session is there, and the turn is not its own',
      sql: `EXISTS (SELECT 1 FROM sessions WHERE generation = (SELECT generation FROM tasks WHERE id = :task) AND COALESCE(turn, '') <> :task)`,
    },
    then: 'Stays `ready`, and is not due before it has the turn.',
    set: { due: 'NULL' },
  },
  'look earlier': {
    when: 'A process looks at a task that waits for another agent.',
    from: ['suspended'],
    guard: { says: 'it waits until a later time', sql: 'phase = 3 AND due > :time' },
    then: 'Stays `suspended`, due at that time.',
    set: { due: ':time' },
  },
  'look later': {
    when: 'The time is over until which a task waits.',
    from: ['suspended'],
    guard: { says: 'it is due', sql: 'phase = 3 AND due <= :now' },
    then: 'Stays `suspended`, due again after as long as it has waited, from one second to ten minutes.',
    set: {
      due: `:now + CASE WHEN (:now - updated) < :first THEN :first
        WHEN (:now - updated) > :longest THEN :longest ELSE (:now - updated) END`,
    },
  },
  trim: {
    when: '`prune` removes the pieces of text of a run that is over.',
    from: ['finished', 'cancelled', 'stopped'],
    then: 'Stays as it is, and is not looked at again.',
    set: { trimmed: '1' },
  },
}

/** What a transition changes, and when. */
interface Compiled {
  readonly changes: Template
  readonly condition: Template
}

function compile({ from, guard, set }: Transition): Compiled {
  const status = `status IN (${from.map((one) => `'${one}'`).join(', ')})`
  return {
    changes: columnsOf(set),
    condition: templateOf(guard ? `${status} AND ${guard.sql}` : status),
  }
}

const compiledOf = compiledOnce(transitions, compile)

/** What a statement has besides its transition. */
interface Extras {
  /** Further columns, beginning with a comma; `?` for {@link params}. */
  readonly set?: string
  readonly params?: readonly SqlValue[]
  /** Which rows; `?` for {@link whichParams}. Default: the one with the value `id`. */
  readonly which?: string
  readonly whichParams?: readonly SqlValue[]
  /** A further condition without values, beginning with `AND`. */
  readonly and?: string
  /** What the statement gives back, such as ` RETURNING id`. */
  readonly returning?: string
}

/**
 * The statement of a transition. Whether it happened is in the number of rows that it changed.
 *
 * @param values of each `:name`
 */
export function transition(
  name: TransitionName,
  values: Values,
  {
    set = '',
    params = [],
    which = 'id = ?',
    whichParams = [valueOf(values, 'id')],
    and = '',
    returning = '',
  }: Extras = {},
): Statement {
  const { changes, condition } = compiledOf(name)
  return {
    sql: `UPDATE runs SET ${changes.sql}${set} WHERE ${which} AND ${condition.sql}${and}${returning}`,
    params: [
      ...paramsOf(changes, values),
      ...params,
      ...whichParams,
      ...paramsOf(condition, values),
    ],
  }
}
