import { errorText } from '@modelport/core/text'
import { DurableError, isDurableError } from '../database/durable-error.js'

/** The code of an error, or of its cause. */
export function codeOf(error: unknown): string {
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: unknown }
  if (typeof code === 'string') return code
  return cause === undefined ? '' : codeOf(cause)
}

/** True when the connection or the server went away, so that a new connection may succeed. */
export function isLostConnection(error: unknown): boolean {
  const code = codeOf(error)
  if (/^(?:CONNECTION_(?:CLOSED|ENDED|DESTROYED)|CONNECT_TIMEOUT)$/.test(code)) return true
  if (/^(?:ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/.test(code))
    return true
  // Class 08 is the connection; 57P01 to 57P03 is a server that stops or starts; 53300 has no
  // connection left.
  return /^(?:08|57P0[123]|53300)/.test(code)
}

/**
 * True when the same transaction may succeed later: also after a deadlock, a failed serialization,
 * or on a new connection.
 */
export function isRetryable(error: unknown): boolean {
  return isLostConnection(error) || /^(?:40001|40P01)$/.test(codeOf(error))
}

/** An error of PostgreSQL or of its client, with what to do. */
export function toError(error: unknown): Error {
  if (isDurableError(error)) return error
  const code = codeOf(error)
  const text = errorText(error)
  if (isLostConnection(error))
    return new DurableError(
      'unavailable',
      `PostgreSQL cannot be reached (${text}); start it, or check the address`,
    )
  if (code === '53100')
    return new DurableError('full', `PostgreSQL's disk is full; free space and retry`)
  if (code === '42501')
    return new DurableError(
      'read-only',
      `PostgreSQL: ${text}; let the user make the schema and write its tables`,
    )
  if (code === '25006')
    return new DurableError('read-only', `PostgreSQL is read-only: connect to the primary server`)
  if (code.startsWith('XX'))
    return new DurableError('damaged', `PostgreSQL reports damaged data: ${text}`)
  if (/^(?:28|3D)/.test(code))
    return new DurableError(
      'unavailable',
      `PostgreSQL refuses the connection: ${text}; check user, password and database`,
    )
  return error instanceof Error ? error : new Error(text)
}
