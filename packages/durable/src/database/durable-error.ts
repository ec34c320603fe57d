import { type ErrorCode, LlmError } from '@modelport/core'

/**
 * Why a store, or a run in it, cannot continue.
 *
 * - `newer-schema`: a newer version of the package wrote the store.
 * - `damaged`: the file is not a database, or its content does not decode.
 * - `full`: the disk is full. `read-only`: the store cannot be written.
 * - `unavailable`: the database cannot be reached, or stays locked.
 * - `network-file`: the SQLite file is on a network file system.
 * - `conflict`: another writer was first. `fenced`: another worker has claimed the run since.
 * - `not-found`, `finished`: the run, or a store that is not to be made, does not exist; the run is
 *   over.
 * - `closed`: the store was closed. `unsupported`: this database, or this program, cannot do it.
 */
export type DurableReason =
  | 'newer-schema'
  | 'damaged'
  | 'full'
  | 'read-only'
  | 'unavailable'
  | 'network-file'
  | 'conflict'
  | 'fenced'
  | 'not-found'
  | 'finished'
  | 'closed'
  | 'unsupported'

const codes: Readonly<Record<DurableReason, ErrorCode>> = {
  'newer-schema': 'config',
  damaged: 'protocol',
  full: 'server',
  'read-only': 'permission',
  unavailable: 'network',
  'network-file': 'config',
  conflict: 'invalid-request',
  fenced: 'aborted',
  'not-found': 'not-found',
  finished: 'invalid-request',
  closed: 'aborted',
  unsupported: 'unsupported',
}

/** A failure of a store or of a run in it; `code` is that of the nearest {@link LlmError}. */
export class DurableError extends LlmError {
  /** What went wrong, for programs to act on. */
  readonly reason: DurableReason

  constructor(reason: DurableReason, message: string, options?: ErrorOptions) {
    super(codes[reason], message, options)
    this.reason = reason
  }
}
Object.defineProperty(DurableError.prototype, 'name', { value: 'DurableError' })

/** True for a {@link DurableError}, of this reason when one is given. */
export function isDurableError(error: unknown, reason?: DurableReason): error is DurableError {
  return error instanceof DurableError && (reason === undefined || error.reason === reason)
}
