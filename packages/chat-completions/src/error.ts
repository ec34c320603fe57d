import type { ErrorCode, ProviderError } from '@modelport/core'
import { type HttpFailure, toProviderError } from '@modelport/driver'
import type { WireAnswer } from './wire.js'

/** What servers write of a failure, in whatever place. */
interface WireFailure {
  readonly message?: unknown
  readonly type?: unknown
  readonly error_type?: unknown
  readonly code?: unknown
  readonly status?: unknown
  readonly status_code?: unknown
  readonly detail?: unknown
  readonly error?: unknown
  readonly metadata?: { readonly raw?: unknown } | null
}

/** Words that say it better than the status, matched against the vendor's code and type. First match counts. */
const words: readonly (readonly [RegExp, ErrorCode])[] = [
  [/context_(length|window|size)|exceed_context/, 'context-length'],
  [/insufficient_(quota|balance|credit|funds)|credit_balance|spend_limit|usage_limit_exceeded|billing|current_quota|payment_required/, 'quota-exhausted'],
  [/content_?(filter|policy|moderation)|responsibleaipolicy|data_inspection|moderation_blocked/, 'content-filter'],
  [/model_(not_found|not_exist|not_available)|invalid_model|unknown_model/, 'not-found'],
  [/invalid_api_key|invalid_authentication|incorrect_api_key/, 'auth'],
  [/overload|service_unavailable|capacity_exceeded/, 'overloaded'],
]

/** Types too broad to beat a status: only for a failure that has none. */
const broadWords: readonly (readonly [RegExp, ErrorCode])[] = [
  [/rate_?limit|too_many_requests|tokens/, 'rate-limit'],
  [/authentication/, 'auth'],
  [/permission/, 'permission'],
  [/not_found/, 'not-found'],
  [/timeout/, 'timeout'],
  [/server_?error|internal|api_error|upstream/, 'server'],
  [/invalid|bad_?request|unsupported|tool_use_failed/, 'invalid-request'],
]

/** Wordings of servers that give no usable code; never read with a 429, which speaks of tokens too. */
const wordings: readonly (readonly [RegExp, ErrorCode])[] = [
  [
    /context (length|window|size)|prompt is too long|input is too long|maximum prompt length|reduce the length of the|too many tokens|token limit (exceeded|reached)|exceeded model token limit|input token count.{0,60}exceeds|exceeds the limit of \d+ tokens/i,
    'context-length',
  ],
  [/model.{0,100}(does not exist|not exist|not found)/i, 'not-found'],
  [/(incorrect|invalid) api key|api key not valid/i, 'auth'],
]

/** Names a failure by its status, the vendor's code, or its words. */
export function toChatError(provider: string, failure: HttpFailure): ProviderError {
  const { status, text, inBand } = failure
  const facts = factsOf(failure.body)
  const name = `${facts.code} ${facts.type}`.toLowerCase().replace(/[\s-]+/g, '_')
  const bare = status < 400
  const find = (table: readonly (readonly [RegExp, ErrorCode])[], what: string): ErrorCode | undefined => table.find(([pattern]) => pattern.test(what))?.[1]
  const worded = bare || [400, 404, 413, 422, 500].includes(status)
  return toProviderError(provider, failure, {
    code: find(words, name) ?? (worded ? find(wordings, facts.message) : undefined) ?? (bare ? find(broadWords, name) : undefined) ?? (bare && inBand ? 'server' : undefined),
    message: facts.message || (inBand ? text : undefined),
    type: facts.code && !/^\d+$/.test(facts.code) ? facts.code : facts.type || facts.code || undefined,
  })
}

/** The failure an answer reports, if it does: whole answers and chunks may. */
export function failureIn(answer: WireAnswer): unknown {
  const own = answer.object === 'error' ? answer : undefined
  return [answer.error, answer.x_groq?.error, own].find(Boolean)
}

/** The HTTP status a failure inside an answer stands for. */
export function failureStatus(body: unknown): number | undefined {
  const { status_code, status, code } = failureObject(body)
  return [status_code, status, code].map(Number).find((value) => Number.isInteger(value) && value >= 400 && value < 600)
}

function factsOf(body: unknown): { readonly message: string; readonly type: string; readonly code: string } {
  const failure = failureObject(body)
  const { message, detail, metadata } = failure
  const raw = asWord(metadata?.raw)
  const said = asWord(message) || asWord(detail) || (detail ? JSON.stringify(detail) : '')
  return { message: raw && !said.includes(raw) ? `${said}: ${raw}` : said, type: asWord(failure.type ?? failure.error_type), code: asWord(failure.code) }
}

/** The failure itself: servers wrap it in `error` or a list, or write plain text. */
function failureObject(body: unknown): WireFailure {
  if (Array.isArray(body)) return failureObject(body[0])
  if (typeof body === 'string') return { message: body }
  if (typeof body !== 'object' || body === null) return {}
  const { error, ...rest } = body as WireFailure
  return error ? { ...rest, ...failureObject(error) } : rest
}

const asWord = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')
