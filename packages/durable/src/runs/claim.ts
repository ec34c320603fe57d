import { randomUUID } from 'node:crypto'
import type { BodyCodec } from '../database/body-codec.js'
import type { Database, Row, SqlValue } from '../database/database.js'
import { isDurableError } from '../database/durable-error.js'
import { giveTurnOfRun } from './session-turns.js'
import { placeInRun, type RunRow, runOf, stoppedResult } from './stored-run.js'
import { transition } from './transitions.js'

/** Rejections in a row after which a run is stopped. */
export const mostRejections = 5

/** Which run is claimed. */
export interface ClaimQuery {
  /**
   * The next run of a queue in this version, or in any version for a task that nobody has begun.
   */
  readonly from:
    | {
        readonly queue: string
        readonly version: string
        readonly suspects?: boolean
        /** True takes a run that nobody has begun, if there is one. */
        readonly newFirst?: boolean
      }
    | { readonly id: string }
  readonly leaseMs: number
  /** True if this process works on nothing but suspects, and on no more than the run allows. */
  readonly isAlone: boolean
  /** Moves the run to this version: another agent takes a task over. */
  readonly as?: { readonly version: string; readonly fingerprint: string }
}

/**
 * Claims a run in one transaction, which raises its epoch and so fences whoever had it before.
 *
 * A run may itself be why its process died, if that happened again and again before anything new
 * was stored. Such a run is set aside, and a little later a process that does nothing else can
 * claim it. `'again'`: this run was set aside, or stopped because its row cannot be read.
 */
export async function claimRun(
  database: Database,
  codec: BodyCodec,
  query: ClaimQuery,
): Promise<RunRow | 'again' | undefined> {
  const holder = randomUUID()
  const now = database.now()
  const { leaseMs, isAlone, as } = query
  const chosen = choose(database, query, now)
  const values = {
    now,
    holder,
    pause: Math.round(leaseMs / 4),
    until: now + leaseMs,
    alone: isAlone ? 1 : 0,
  }
  const result = await database.write([
    transition('claim', values, {
      ...(as && { set: ', version = ?, fingerprint = ?', params: [as.version, as.fingerprint] }),
      which: chosen.where,
      whichParams: chosen.params,
      returning: ' RETURNING *',
    }),
  ])
  if (!result.ok) return undefined
  const row = result.rows.length > 0 ? result.rows[0]?.[0] : await findHeld(database, holder)
  if (!row) return undefined
  if (row['status'] !== 'running') return 'again'
  return readClaimed(database, codec, row)
}

function choose(
  { lockRows }: Database,
  { from }: ClaimQuery,
  now: number,
): { readonly where: string; readonly params: readonly SqlValue[] } {
  if ('id' in from)
    return {
      where: `id = ? AND (due <= ? OR (status = 'ready' AND phase < 2 AND due IS NOT NULL))`,
      params: [from.id, now],
    }
  const { queue, version, suspects = false, newFirst = false } = from
  const next = `(SELECT id FROM runs WHERE queue = ? AND version = ? AND phase = ? AND due <= ? ORDER BY due LIMIT 1${lockRows})`
  const of = (phase: number): readonly SqlValue[] => [queue, version, phase, now]
  if (suspects) return { where: `id = ${next}`, params: of(2) }
  // Runs that were begun come before new ones, so a backlog does not delay them.
  const [first, second] = newFirst ? [0, 1] : [1, 0]
  return { where: `id = COALESCE(${next}, ${next})`, params: [...of(first), ...of(second)] }
}

/** The commit succeeded, and its reply was lost. */
async function findHeld(database: Database, holder: string): Promise<Row | undefined> {
  return (await database.read('SELECT * FROM runs WHERE holder = ?', [holder]))[0]
}

/**
 * A row that cannot be read is stopped, so that it does not block the others. Its checkpoint stays
 * as it is.
 */
async function readClaimed(
  database: Database,
  codec: BodyCodec,
  row: Row,
): Promise<RunRow | 'again'> {
  try {
    return runOf(row, codec)
  } catch (error) {
    if (!isDurableError(error, 'damaged')) throw error
    const id = String(row['id'])
    await database.write([
      transition('stop as damaged', {
        id,
        epoch: row['epoch'] ?? null,
        result: codec.encode(
          stoppedResult('protocol', 'damaged', error.message),
          placeInRun(id, 'result'),
        ),
      }),
      ...giveTurnOfRun(id, database.now()),
    ])
    return 'again'
  }
}
