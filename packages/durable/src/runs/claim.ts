import { randomUUID } from 'node:crypto'
import type { BodyCodec } from '../database/body-codec.js'
import type { Database, Row, SqlValue } from '../database/database.js'
import { isDurableError } from '../database/durable-error.js'
import { giveTurnOfRun } from './session-turns.js'
import { placeInRun, type RunRow, runOf, stoppedResult } from './stored-run.js'

/** Deaths in a row before a run is set aside, so that it is worked on next to suspects only. */
const mostInCompany = 2

/**
 * Deaths in a row after which a run is stopped. The last three happened alone: nobody else can have
 * caused them.
 */
export const mostCrashes = 7

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

/** How often it crashed, after the claim that is about to happen. */
const crashes = `CASE WHEN status <> 'running' THEN crashes WHEN progress > 0 THEN 0
  WHEN alone = 1 OR crashes < ${mostInCompany} THEN crashes + 1 ELSE ${mostInCompany} END`
const isSetAside = `(status = 'running' AND progress = 0 AND ${crashes} BETWEEN ${mostInCompany} AND ${mostCrashes - 1})`

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
  const moved = as ? ', version = ?, fingerprint = ?' : ''
  const result = await database.write([
    {
      sql: `UPDATE runs SET epoch = epoch + 1, updated = ?, progress = 0,
        tries = CASE WHEN status = 'running' THEN tries + 1 ELSE tries END,
        holder = CASE WHEN ${isSetAside} THEN NULL ELSE ? END,
        due = CASE WHEN ${isSetAside} THEN ? + ? * (crashes + 1) ELSE ? END,
        alone = CASE WHEN phase = 2 AND NOT ${isSetAside} THEN ? ELSE 0 END,
        phase = CASE WHEN ${isSetAside} THEN 2 WHEN phase = 2 AND (status <> 'running' OR progress = 0) THEN 2 ELSE 1 END,
        crashes = ${crashes},
        status = CASE WHEN ${isSetAside} THEN 'ready' ELSE 'running' END${moved}
        WHERE ${chosen.where} RETURNING *`,
      params: [
        now,
        holder,
        now,
        Math.round(leaseMs / 4),
        now + leaseMs,
        isAlone ? 1 : 0,
        ...(as ? [as.version, as.fingerprint] : []),
        ...chosen.params,
      ],
    },
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
      where: `id = ? AND status IN ('ready', 'running', 'suspended') AND (due <= ? OR (status = 'ready' AND phase < 2 AND due IS NOT NULL))`,
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
    await database.write([
      {
        sql: `UPDATE runs SET status = 'stopped', holder = NULL, due = NULL, result = ? WHERE id = ? AND epoch = ?`,
        params: [
          codec.encode(
            stoppedResult('protocol', 'damaged', error.message),
            placeInRun(String(row['id']), 'result'),
          ),
          row['id'] ?? null,
          row['epoch'] ?? null,
        ],
      },
      ...giveTurnOfRun(String(row['id']), database.now()),
    ])
    return 'again'
  }
}
