import { type ErrorCode, ProviderError } from '@modelport/core'
import { defined } from '../base/defined.js'
import type { Driver, HttpFailure } from '../base/driver.js'
import { maxErrorBytes } from '../base/limits.js'
import { refusesImages } from './image-refusal.js'
import { retryAfterMs } from './retry-after.js'
import { refusesTools } from './tool-refusal.js'

/**
 * Facts that a provider's `error` knows better than the status. Fields that are unset, or of the
 * wrong type since they come from the wire, are taken from the response.
 */
export interface FailureFacts {
  /** Default: by the status. */
  readonly code?: ErrorCode | undefined
  /** The vendor's message, without the provider's name. */
  readonly message?: string | undefined
  /** The vendor's error type or code. */
  readonly type?: string | undefined
  /** Default: from the usual headers. */
  readonly requestId?: string | undefined
  /** A wait the vendor asks for in the body. */
  readonly retryAfterMs?: number | undefined
}

/** The error code an HTTP status stands for when nothing else is known. */
export function toErrorCode(status: number): ErrorCode {
  const known: Record<number, ErrorCode> = {
    401: 'auth',
    402: 'quota-exhausted',
    403: 'permission',
    404: 'not-found',
    407: 'auth',
    408: 'timeout',
    425: 'server',
    429: 'rate-limit',
    501: 'unsupported',
    503: 'overloaded',
    529: 'overloaded',
  }
  const code = known[status]
  if (code) return code
  if (status >= 500) return 'server'
  if (status >= 400) return 'invalid-request'
  return status >= 300 ? 'redirect-refused' : 'unknown'
}

/**
 * The driver's error for a failure. If `error` throws, since the server can send anything, the
 * status alone makes the error.
 */
export function nameFailure(
  driver: Pick<Driver, 'name' | 'error'>,
  failure: HttpFailure,
): ProviderError {
  try {
    return driver.error(failure)
  } catch {
    return toProviderError(driver.name, failure)
  }
}

/**
 * A copy of JSON with strings cut to 64 KiB, since patterns are matched against them, and without
 * values nested very deeply.
 */
export function clipStrings(value: unknown, levels = 64): unknown {
  if (typeof value === 'string') return value.slice(0, maxErrorBytes)
  if (typeof value !== 'object' || value === null) return value
  if (!levels) return undefined
  if (Array.isArray(value)) return value.map((item) => clipStrings(item, levels - 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, clipStrings(item, levels - 1)]),
  )
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined
const finiteOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined

/**
 * Codes with which a server refuses tools or images that it does not have. Some of them would be
 * tried again, so the message is searched for such a refusal.
 */
const refusalCodes: ReadonlySet<ErrorCode> = new Set([
  'invalid-request',
  'not-found',
  'server',
  'unknown',
  'unsupported',
])

const requestIdHeaders = [
  'request-id',
  'x-request-id',
  'x-goog-request-id',
  'x-amzn-requestid',
  'cf-ray',
]

function refusedInput(message: string): 'images' | 'tools' | undefined {
  if (refusesImages(message)) return 'images'
  return refusesTools(message) ? 'tools' : undefined
}

/**
 * The common part of a driver's `error`: code by status, request id, the `x-should-retry` header,
 * body. The message reads `name: 429 rate-limit: text`.
 */
export function toProviderError(
  provider: string,
  failure: HttpFailure,
  facts: FailureFacts = {},
): ProviderError {
  const { status, headers } = failure
  const message = (textOf(facts.message) ?? failure.text.trim()) || 'no further information'
  const reportedCode = facts.code ?? toErrorCode(status)
  const reason = refusalCodes.has(reportedCode) ? refusedInput(message) : undefined
  const code = reason ? 'unsupported' : reportedCode
  const requestId =
    textOf(facts.requestId) ??
    requestIdHeaders.map((name) => headers.get(name) ?? '').find((id) => id)
  const wait = finiteOf(facts.retryAfterMs) ?? retryAfterMs(headers, Date.now())
  // The message has only the start of a page; `body` has all of it.
  const shown = message.startsWith('<') ? message.slice(0, 300) : message
  const text = reason === 'images' ? `this model takes no images: ${shown}` : shown
  const details = defined({
    provider,
    status,
    requestId,
    // oxlint-disable-next-line typescript/prefer-nullish-coalescing -- an empty string carries no information
    type: textOf(facts.type) || undefined,
    retryAfterMs: wait,
    reason,
    body: failure.text || undefined,
  })
  const error = new ProviderError(code, `${provider}: ${status} ${code}: ${text}`, details)
  const shouldRetry = headers.get('x-should-retry')
  // Not enumerable: a hint for the retry loop, not for the caller.
  if (shouldRetry === 'true' || shouldRetry === 'false')
    Object.defineProperty(error, 'serverRetry', { value: shouldRetry === 'true' })
  return error
}
