import { type ErrorCode, isLlmError } from '@modelport/core'
import { exitCodes, Interrupted, UsageError } from './exit-codes.js'

const byErrorCode: Readonly<Record<ErrorCode, number>> = {
  config: 3,
  'invalid-base-url': 3,
  auth: 4,
  permission: 4,
  'not-found': 5,
  'invalid-request': 6,
  'context-length': 7,
  'content-filter': 8,
  'rate-limit': 9,
  'quota-exhausted': 10,
  'budget-exceeded': 11,
  overloaded: 12,
  server: 12,
  network: 13,
  timeout: 14,
  truncated: 15,
  protocol: 16,
  'limit-exceeded': 16,
  'redirect-refused': 16,
  unsupported: 17,
  aborted: exitCodes.interrupted,
  unknown: exitCodes.unknown,
}

/** The exit code of a failure. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return exitCodes.usage
  if (error instanceof Interrupted) return exitCodes.interrupted
  return isLlmError(error) ? byErrorCode[error.code] : exitCodes.unknown
}
