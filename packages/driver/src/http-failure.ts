import { type ErrorCode, ProviderError } from '@modelport/core'
import { defined } from './defined.js'
import type { HttpFailure } from './driver.js'
import { retryAfterMs } from './retry-after.js'

/** What a provider's `error` knows better than the status. Unset fields are taken from the response. */
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
  return (
    known[status] ??
    (status >= 500 ? 'server' : status >= 400 ? 'invalid-request' : status >= 300 ? 'redirect-refused' : 'unknown')
  )
}

const requestIdHeaders = ['request-id', 'x-request-id', 'x-goog-request-id', 'x-amzn-requestid', 'cf-ray']

/**
 * The common part of a driver's `error`: code by status, request id, the server's wish to be left alone or asked again, body.
 * The message reads `name: 429 rate-limit: text`.
 */
export function toProviderError(provider: string, failure: HttpFailure, facts: FailureFacts = {}): ProviderError {
  const { status, headers } = failure
  const code = facts.code ?? toErrorCode(status)
  const requestId = facts.requestId ?? requestIdHeaders.map((name) => headers.get(name) ?? '').find((id) => id)
  const wait = facts.retryAfterMs ?? retryAfterMs(headers, Date.now())
  const said = (facts.message ?? failure.text.trim()) || 'no further information'
  // The start of a page says what it is; all of it is in `body`.
  const text = said.startsWith('<') ? said.slice(0, 300) : said
  const details = defined({
    provider,
    status,
    requestId,
    // eslint-disable-next-line @typescript-eslint/prefer-nullish-coalescing -- an empty string carries no information
    type: facts.type || undefined,
    retryAfterMs: wait,
    body: failure.text || undefined,
  })
  const error = new ProviderError(code, `${provider}: ${status} ${code}: ${text}`, details)
  const wish = headers.get('x-should-retry')
  // Not enumerable: a hint for the retry loop, no fact for the caller.
  if (wish === 'true' || wish === 'false') Object.defineProperty(error, 'serverRetry', { value: wish === 'true' })
  return error
}
