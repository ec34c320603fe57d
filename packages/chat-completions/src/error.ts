import type { ErrorCode, JsonObject, ProviderError } from '@modelport/core'
import { firstMatch, type HttpFailure, toProviderError } from '@modelport/driver'
import { asObject, type WireReply } from './wire.js'

type Names = readonly (readonly [pattern: RegExp, code: ErrorCode])[]

/**
 * What a vendor's code or type says better than the status; `resp_` stands before the numbers of a
 * `base_resp`.
 * @see https://platform.minimax.io/docs/api-reference/errorcode.md (read 2026-11-21)
 */
const codes: Names = [
  [/context_(length|window|size)|too_many_prompt_tokens/, 'context-length'],
  [
    /insufficient_(quota|balance|credit|funds)|credit_balance|spend_limit|usage_limit_exceeded|billing|current_quota|payment_required|arrearage|^1(113|30[89])_|resp_(1008|2056)/,
    'quota-exhausted',
  ],
  [/content_?(filter|policy)|moderation|data_?inspection|^1301_|resp_102[67]/, 'content-filter'],
  [/model_not_(found|exist|available)|(invalid|unknown)_model/, 'not-found'],
  [/(invalid|incorrect)_(api_key|authentication)|resp_(1004|2049)/, 'auth'],
  [/overload|service_unavailable|capacity_exceeded/, 'overloaded'],
]

/**
 * Wordings of servers that give no usable code. Not read with a 429, which speaks of tokens and
 * quotas in other senses.
 */
const wordings: Names = [
  [
    /context (length|window|size)|(prompt|input) (is too long|exceeds max length)|maximum prompt length|reduce the length of the|range of input length|too many tokens|token limit (exceeded|reached)|model token limit|input token count|exceeds the limit of \d+ tokens/i,
    'context-length',
  ],
  [/new_sensitive/, 'content-filter'],
  [/model.{0,100}(does not exist|not exist|not found)/i, 'not-found'],
  [/(incorrect|invalid) api key|api key not valid/i, 'auth'],
]

/** Types too broad to beat a status: for a failure inside a reply, which may have none. */
const broadCodes: Names = [
  [/rate_?limit|too_many_requests|tokens|resp_(1002|1039|1041|2045)/, 'rate-limit'],
  [/authentication/, 'auth'],
  [/permission/, 'permission'],
  [/not_found/, 'not-found'],
  [/timeout|resp_1001/, 'timeout'],
  [/invalid|bad_?request|unsupported|tool_use_failed|resp_(1042|2013)/, 'invalid-request'],
  [/(?:)/, 'server'],
]

/**
 * Names a failure: by the vendor's code, its words, then the status. xAI has one code, with a 429,
 * for too many requests and for no money left. `quotaRecovers`: a 429 speaks of the quota of this
 * minute.
 * @see https://github.com/continuedev/continue/issues/10373 (read 2026-11-21)
 */
export function toChatError(
  provider: string,
  failure: HttpFailure,
  quotaRecovers?: boolean,
): ProviderError {
  const { status, body, text, inBand } = failure
  const { message, type, code } = factsOf(body)
  const name = `${code} ${type}`.toLowerCase().replace(/[\s-]+/g, '_')
  const hasWords = [200, 400, 404, 413, 422, 500].includes(status)

  const codeOf = (): ErrorCode | undefined => {
    if (quotaRecovers && status === 429) return 'rate-limit'
    if (message.slice(0, 4096).includes('used all available credits')) return 'quota-exhausted'
    return (
      firstMatch(codes, name) ??
      (hasWords ? firstMatch(wordings, message || text) : undefined) ??
      (status < 300 ? firstMatch(broadCodes, name) : undefined)
    )
  }

  return toProviderError(provider, failure, {
    code: codeOf(),
    message: message || (inBand ? text : undefined),
    type: /^\d*$/.test(code) ? type || code || undefined : code,
  })
}

/** The failure a reply reports, if it does. */
export function failureIn(reply: Partial<WireReply>): unknown {
  if (reply.error) return reply.error
  const nested = reply.x_groq && asObject(reply.x_groq)['error']
  if (nested) return nested
  // Some servers send the failure as it is, with nothing around it.
  const failed = reply.base_resp && Number(asObject(reply.base_resp)['status_code'])
  return failed ||
    reply.object === 'error' ||
    (!reply.choices && asWord(reply.message ?? reply.error_message))
    ? reply
    : undefined
}

/** The HTTP status a failure inside a reply stands for. */
export function failureStatus(body: unknown): number | undefined {
  const { status_code, http_status_code, http_code, status, code } = failureOf(body)
  return [status_code, http_status_code, http_code, status, code]
    .map(Number)
    .find((value) => value >= 400 && value < 600)
}

function factsOf(body: unknown): {
  readonly message: string
  readonly type: string
  readonly code: string
} {
  const {
    error_message,
    message = error_message,
    detail,
    metadata,
    type,
    error_type,
    code,
  } = failureOf(body)
  const { raw: behind, error_type: upstream } = asObject(metadata)
  const text = asWord(message) || asWord(detail) || (detail ? JSON.stringify(detail) : '')
  // What the server behind a router said.
  const raw = asWord(behind)
  return {
    message: text.includes(raw) ? text : `${text}: ${raw}`,
    type: asWord(type ?? error_type ?? upstream),
    code: asWord(code),
  }
}

/** The failure itself: servers wrap it in `error`, `base_resp` or a list, or write plain text. */
function failureOf(body: unknown): JsonObject {
  if (Array.isArray(body)) return failureOf(body[0])
  if (typeof body === 'string') return { message: body }
  const { error, base_resp, ...rest } = asObject(body)
  const { status_code, status_msg } = asObject(base_resp)
  if (status_code) return { ...rest, message: status_msg, code: `base_resp_${asWord(status_code)}` }
  return error ? { ...rest, ...failureOf(error) } : rest
}

const asWord = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''
