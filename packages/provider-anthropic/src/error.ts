import type { ErrorCode, ProviderError } from '@modelport/core'
import { firstMatch, type HttpFailure, stringOf, toProviderError } from '@modelport/driver'
import type { WireFailure } from './wire.js'

/** {@link Provider.name} of this provider, also the `origin` of its messages. */
export const providerName = 'anthropic'

/**
 * Error types with the status and the code each stands for; inside a stream only the type is there.
 * @see https://platform.claude.com/docs/en/api/errors (read 2026-11-21)
 */
const types = new Map(
  Object.entries<readonly [status: number, code: ErrorCode]>({
    invalid_request_error: [400, 'invalid-request'],
    authentication_error: [401, 'auth'],
    billing_error: [402, 'quota-exhausted'],
    permission_error: [403, 'permission'],
    not_found_error: [404, 'not-found'],
    conflict_error: [409, 'invalid-request'],
    request_too_large: [413, 'invalid-request'],
    rate_limit_error: [429, 'rate-limit'],
    api_error: [500, 'server'],
    timeout_error: [504, 'server'],
    overloaded_error: [529, 'overloaded'],
    // llama-server's own.
    exceed_context_size_error: [400, 'context-length'],
  }),
)

/** Wordings that say more than the type, of the API and of compatible servers. */
const wordings: readonly (readonly [RegExp, ErrorCode])[] = [
  [
    /prompt is too long|exceeds? (the )?(model's )?(maximum )?context|context (window|limit|length)|exceed_context_size/i,
    'context-length',
  ],
  [/credit balance is too low|spend(ing)? limit/i, 'quota-exhausted'],
  [/content filtering policy/i, 'content-filter'],
]

/** Limits of money, which no waiting lifts; they come as 402 or 429. */
const spentCodes = /spend_limit_reached$|billing_unavailable$/

/** The failure. Google writes its own in an array. */
const failureOf = (body: unknown): WireFailure =>
  ((Array.isArray(body) ? body[0] : body) ?? {}) as WireFailure

const errorOf = (body: unknown): Exclude<WireFailure['error'], string | null | undefined> => {
  const { error } = failureOf(body)
  return typeof error === 'object' && error !== null ? error : {}
}

/**
 * The status that a failure without one stands for, in a stream or a batch; undefined if its type
 * is not known.
 */
export const statusOf = (body: unknown): number | undefined =>
  types.get(String(errorOf(body).type))?.[0]

/** Names a failure: the code by wording, then by type, then by status. */
export function toAnthropicError(failure: HttpFailure): ProviderError {
  const body = failureOf(failure.body)
  const error = errorOf(body)
  const type = stringOf(error.type) ?? stringOf(error.status)
  const message = stringOf(error.message) ?? stringOf(body.error) ?? stringOf(body.message)
  return toProviderError(providerName, failure, {
    code: codeOf(failure, type, message),
    message,
    type,
    requestId: stringOf(body.request_id),
  })
}

function codeOf(
  { status, body, text }: HttpFailure,
  type: string | undefined,
  message = text,
): ErrorCode | undefined {
  if (spentCodes.test(String(errorOf(body).details?.error_code))) return 'quota-exhausted'

  const codeOfWording = status < 500 ? firstMatch(wordings, message) : undefined
  if (codeOfWording) return codeOfWording

  const [usualStatus, code] = types.get(type ?? '') ?? []
  if (usualStatus === undefined || usualStatus === status || status < 400) return code
  // Behind a gateway the status may say more than a type that was passed through. Only 400 is too
  // general for that: the type of another client error says more.
  return status === 400 && usualStatus < 500 ? code : undefined
}
