import type { PendingItem, RunCheckpoint } from '@modelport/runtime'
import type { BodyCodec, BodyPlace } from '../database/body-codec.js'
import type { Row, SqlValue } from '../database/database.js'
import { DurableError, isDurableError } from '../database/durable-error.js'

/**
 * Where a run stands. `ready`: it can be claimed. `running`: a worker has claimed it, and may have
 * died since. `suspended`: it waits for a decision or a time. `finished`: it has a result.
 * `cancelled`. `stopped`: it cannot continue by itself, see its result.
 */
export type DurableRunStatus =
  | 'ready'
  | 'running'
  | 'suspended'
  | 'finished'
  | 'cancelled'
  | 'stopped'

/** The row of a run. */
export interface StoredRun {
  /** Id of the run. The id of the run of an agent's task is `task:` and the id of the task. */
  readonly id: string
  /** Name of its definition or agent; empty for `DurableRuns.run`. */
  readonly queue: string
  /** Hash of the fingerprint; only workers of the same name and version claim the run. */
  readonly version: string
  /** Raised by each claim; a write with an older one is refused. */
  readonly epoch: number
  /** How often in a row its process died before it stored anything new. */
  readonly crashes: number
  /** Where the run stands. */
  readonly status: DurableRunStatus
  /**
   * The fingerprint that the run was started under; see `RunDefinition`. `null` for
   * `DurableRuns.run`.
   */
  readonly fingerprint: unknown
  /** What the run was started with. */
  readonly input?: unknown
  /** Where the run continues. Unset: at the beginning. */
  readonly checkpoint?: RunCheckpoint
  /** The stored result of a run that is over or waits, or the failure of its last try. */
  readonly result?: object
  /**
   * The store's time from which the run can be claimed: the end of its lease while it is `running`.
   * Unset: not before somebody decides.
   */
  readonly due?: number
  /** When the run was stored, in milliseconds since 1970. */
  readonly createdAt: number
  /**
   * The last change of the status, or the last time that the lease was extended, in milliseconds
   * since 1970.
   */
  readonly updatedAt: number
}

/** A row with what only its holder needs. */
export interface RunRow extends StoredRun {
  /**
   * 0: never claimed. 1: begun. 2: it may have ended its process, and is worked on alone. 3: an
   * agent's task that waits until a time.
   */
  readonly phase: number
  /** True if it may have ended its process, and the holder works on nothing but such runs. */
  readonly isAlone: boolean
  /** Claims since the last one that ended properly. */
  readonly tries: number
  /** Checkpoints stored so far: decisions belong to one of them. */
  readonly checks: number
  /** Number of the last journal entry before the checkpoint. */
  readonly mark: number
  readonly journal: number
  readonly transcript: number
  readonly events: number
  /** Decisions stored so far. */
  readonly mail: number
  /** True if an operator lets it continue under changed settings. */
  readonly acceptsChange: boolean
  /** Why it was cancelled; unset if it was not. */
  readonly cancel?: string
}

const statuses: ReadonlySet<unknown> = new Set<DurableRunStatus>([
  'ready',
  'running',
  'suspended',
  'finished',
  'cancelled',
  'stopped',
])

/** @throws {DurableError} `damaged` — nothing would ever change a run in such a state. */
function statusOf(value: unknown): DurableRunStatus {
  if (!statuses.has(value))
    throw new DurableError(
      'damaged',
      `its status is ${JSON.stringify(String(value))}, which this version does not know`,
    )
  return value as DurableRunStatus
}

/** The columns of a run's row that hold bodies. */
type RunColumn = 'input' | 'checkpoint' | 'result' | 'cancel'

/** A body of a run's row. The number of a checkpoint is how many were stored before it, and it. */
export const placeInRun = (id: string, column: RunColumn, number = 0): BodyPlace => [
  'runs',
  id,
  column,
  number,
]

/** The content of a row. @throws {DurableError} `damaged`, with the id */
export function runOf(row: Row, codec: BodyCodec): RunRow {
  const number = (name: string): number => Number(row[name])
  const { checkpoint = null, result = null, due, input = null, cancel = null } = row
  const read = (body: SqlValue, column: RunColumn, of = 0): unknown =>
    codec.decode(body, placeInRun(String(row['id']), column, of))
  try {
    return {
      id: String(row['id']),
      queue: String(row['queue']),
      version: String(row['version']),
      epoch: number('epoch'),
      crashes: number('crashes'),
      status: statusOf(row['status']),
      fingerprint: JSON.parse(String(row['fingerprint'])),
      ...(input !== null && { input: read(input, 'input') }),
      ...(checkpoint !== null && {
        checkpoint: read(checkpoint, 'checkpoint', number('checks')) as RunCheckpoint,
      }),
      ...(result !== null && { result: read(result, 'result') as object }),
      ...(typeof due === 'number' && { due }),
      createdAt: number('created'),
      updatedAt: number('updated'),
      phase: number('phase'),
      isAlone: number('alone') === 1,
      tries: number('tries'),
      checks: number('checks'),
      mark: number('mark'),
      journal: number('journal'),
      transcript: number('transcript'),
      events: number('events'),
      mail: number('mail'),
      acceptsChange: number('accepts') === 1,
      ...(cancel !== null && { cancel: String(read(cancel, 'cancel')) }),
    }
  } catch (error) {
    const why = isDurableError(error) ? error.message : String(error)
    throw new DurableError('damaged', `run "${String(row['id'])}": ${why}`, { cause: error })
  }
}

/**
 * Names an item in decisions: of a call whose outcome is unknown, one attempt, so that no decision
 * settles a later one.
 */
export const requestIdOf = (item: PendingItem): string =>
  item.type === 'uncertain' && item.attempt !== undefined ? `${item.id}#${item.attempt}` : item.id

/** Names a decision about an item that a checkpoint asks for: the first one counts. */
export const decisionId = (run: string, checks: number, item: string): string =>
  JSON.stringify([run, checks, item])

/** The item of the id that `decisionId` made; empty if it made none. */
export function itemOf(id: string): string {
  try {
    const [, , item] = JSON.parse(id) as readonly unknown[]
    return typeof item === 'string' ? item : ''
  } catch {
    return ''
  }
}

/** True for a run that nothing changes any more. */
export const isOver = ({ status }: Pick<StoredRun, 'status'>): boolean =>
  status === 'finished' || status === 'cancelled' || status === 'stopped'

/** True for a run that nothing but a decision or a result from outside continues. */
export function waitsForSomebody({ status, due, checkpoint }: StoredRun): boolean {
  if (status !== 'suspended') return false
  if (due === undefined) return true
  // The time of an approval or a question is when it expires.
  return (checkpoint?.pending ?? []).some(({ type }) => type !== 'wait' && type !== 'task')
}

/** True for a run that waits for work that a tool can cancel. */
export const hasCancelableWork = ({ checkpoint }: Pick<StoredRun, 'checkpoint'>): boolean =>
  (checkpoint?.pending ?? []).some((item) => item.type === 'wait' && item.cancelable)

/** The failure of a run that cannot continue by itself, as it is stored. */
export const stoppedResult = (code: string, reason: string, message: string): object => ({
  status: 'failed',
  error: { code, message, details: { reason } },
})

/** Why a stored run stopped; undefined if it did not. */
export function whyStopped({
  status,
  result,
}: Pick<StoredRun, 'status' | 'result'>): string | undefined {
  if (status !== 'stopped') return undefined
  const { error } = (result ?? {}) as { readonly error?: { readonly message?: string } }
  return error?.message ?? 'nobody recorded why'
}
