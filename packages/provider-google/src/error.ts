import { type ErrorCode, isObject, type ProviderError } from '@modelport/core'
import {
  firstMatch,
  type HttpFailure,
  listOf,
  toErrorCode,
  toProviderError,
} from '@modelport/driver'
import { providerName } from './model-state.js'
import type { WireErrorDetail, WireStatus } from './wire.js'

/**
 * @see https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto (read 2026-11-21)
 */
const codes = new Map(
  Object.entries<ErrorCode>({
    INVALID_ARGUMENT: 'invalid-request',
    FAILED_PRECONDITION: 'invalid-request',
    OUT_OF_RANGE: 'invalid-request',
    ALREADY_EXISTS: 'invalid-request',
    UNAUTHENTICATED: 'auth',
    PERMISSION_DENIED: 'permission',
    NOT_FOUND: 'not-found',
    RESOURCE_EXHAUSTED: 'rate-limit',
    UNIMPLEMENTED: 'unsupported',
    UNAVAILABLE: 'overloaded',
    DEADLINE_EXCEEDED: 'timeout',
    INTERNAL: 'server',
    DATA_LOSS: 'server',
    CANCELLED: 'server',
  }),
)

/** Reasons of an ErrorInfo that say more than the status does. */
const reasons = new Map(
  Object.entries<ErrorCode>({
    API_KEY_INVALID: 'auth',
    API_KEY_EXPIRED: 'auth',
    ACCESS_TOKEN_EXPIRED: 'auth',
    ACCESS_TOKEN_TYPE_UNSUPPORTED: 'auth',
    CREDENTIALS_MISSING: 'auth',
    API_KEY_SERVICE_BLOCKED: 'permission',
    SERVICE_DISABLED: 'permission',
    BILLING_DISABLED: 'quota-exhausted',
  }),
)

/**
 * Wordings that no field tells apart.
 * @see https://github.com/googleapis/python-genai/issues/1218 for files (read 2026-11-27)
 */
const wordings: readonly (readonly [RegExp, ErrorCode])[] = [
  [
    /input token count\b.{0,200}\b(exceeds|supports? up to)|exceeds the maximum (number of|input) tokens|maximum context length/i,
    'context-length',
  ],
  [/do not have permission to access the file\b.{0,200}\bmay not exist/i, 'not-found'],
  [/unregistered callers|API key (not valid|expired|not found)/i, 'auth'],
  [/user location is not supported|free tier is not available in your country/i, 'permission'],
]

/** Names a failure. The body is a `google.rpc.Status`, alone or in an array. */
export function toGoogleError(failure: HttpFailure): ProviderError {
  const error = readStatus(failure.body)
  const retryDelay = detailsOf(error, 'RetryInfo')
    .map((detail) => toMilliseconds(detail.retryDelay))
    .find((ms) => ms !== undefined)
  return toProviderError(providerName, failure, {
    code: toCode(error, failure),
    message: error.message,
    type: error.status,
    retryAfterMs: retryDelay,
  })
}

function toCode(error: WireStatus, failure: HttpFailure): ErrorCode {
  const codeOfWording = firstMatch(wordings, error.message ?? failure.text)
  if (codeOfWording) return codeOfWording

  const codeOfReason = detailsOf(error, 'ErrorInfo')
    .map((detail) => reasons.get(detail.reason ?? ''))
    .find((code) => code)
  if (codeOfReason) return codeOfReason

  const code = codes.get(error.status ?? '') ?? toErrorCode(failure.status)
  return code === 'rate-limit' && isExhausted(error) ? 'quota-exhausted' : code
}

/** A retry within minutes cannot succeed: the quota is one of the day, or is 0. */
function isExhausted(error: WireStatus): boolean {
  const violations = detailsOf(error, 'QuotaFailure').flatMap((detail) => listOf(detail.violations))
  return violations.some(
    ({ quotaId, quotaValue }) => /PerDay/i.test(quotaId ?? '') || quotaValue === '0',
  )
}

function readStatus(body: unknown): WireStatus {
  const value: unknown = Array.isArray(body) ? body[0] : body
  const error = isObject(value) && 'error' in value ? value['error'] : value
  // Gateways write plain text there.
  if (typeof error === 'string' && error) return { message: error }

  const { code, message, status, details } = (isObject(error) ? error : {}) as WireStatus
  return {
    ...(typeof code === 'number' && { code }),
    ...(typeof message === 'string' && message && { message }),
    ...(typeof status === 'string' && { status }),
    details: listOf(details),
  }
}

const detailsOf = ({ details = [] }: WireStatus, type: string): readonly WireErrorDetail[] =>
  details.filter((detail) => String(detail['@type']).endsWith(`google.rpc.${type}`))

/** A protobuf duration, for example `34.07s`. */
function toMilliseconds(duration: unknown): number | undefined {
  const match = typeof duration === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(duration) : null
  return match ? Math.ceil(Number(match[1]) * 1000) : undefined
}
