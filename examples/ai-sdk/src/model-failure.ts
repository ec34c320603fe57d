import {
  type ErrorCode,
  isLlmError,
  isObject,
  type LlmError,
  ProviderError,
  type ProviderErrorDetails,
} from '@modelport/core'
import { type HttpFailure, toErrorCode, toProviderError, tryParseJson } from '@modelport/driver'

/** What an error of the AI SDK, or of ours below it, says: as JSON, for the middle of a stream. */
type Failure = Partial<ProviderErrorDetails> & { readonly code: ErrorCode; readonly message: string }

/** The fields of an `APICallError` that are read. */
interface ApiCallFields {
  readonly url?: string | undefined
  readonly statusCode?: number | undefined
  readonly responseHeaders?: Readonly<Record<string, string>> | undefined
  readonly responseBody?: string | undefined
  readonly isRetryable?: boolean | undefined
}

/** Names of errors of the AI SDK, and what they mean. */
const codes: readonly (readonly [RegExp, ErrorCode])[] = [
  [/UnsupportedFunctionality|NoSuchModel/, 'unsupported'],
  [/LoadAPIKey|LoadSetting/, 'auth'],
  [/InvalidPrompt|InvalidArgument|TooManyEmbedding/, 'invalid-request'],
  [/JSONParse|TypeValidation|InvalidResponse|EmptyResponse|NoContent/, 'protocol'],
]

/** Our own error below one of the AI SDK. */
function knownIn(error: unknown): LlmError | undefined {
  const { cause } = Object(error) as { readonly cause?: unknown }
  return isLlmError(error) ? error : isLlmError(cause) ? cause : undefined
}

function codeOf(error: Error, { statusCode, isRetryable }: ApiCallFields): ErrorCode {
  const names = [error.name, error.cause instanceof Error ? error.cause.name : ''].join(' ')
  const named = codes.find(([pattern]) => pattern.test(names))?.[1]
  if (statusCode !== undefined && statusCode >= 400) return toErrorCode(statusCode)
  return named ?? (isRetryable ? 'network' : 'unknown')
}

const toError = (error: unknown): Error & ApiCallFields =>
  error instanceof Error ? error : new Error(typeof error === 'string' ? error : JSON.stringify(error))

/** The error of a call that failed before its reply began: by the status that the server gave, with what it says of other attempts. */
export function toCallError(name: string, thrown: unknown): LlmError {
  const known = knownIn(thrown)
  if (known) return known
  const error = toError(thrown)
  const { statusCode: status = 0, responseHeaders = {}, responseBody: text = error.message } = error
  if (status < 400) return new ProviderError(codeOf(error, error), error.message, { provider: name }, { cause: error })
  const headers = new Headers(responseHeaders)
  const failure = nameFailure(name, { status, headers, text, body: tryParseJson(text), inBand: false })
  const { host = '', port = '', protocol = '' } = URL.parse(error.url ?? '') ?? {}
  const contacted = port ? host : `${host}:${protocol === 'http:' ? 80 : 443}`
  return Object.assign(failure, host && { url: error.url, host: contacted })
}

/** The failure in the middle of a stream as JSON. */
export function toFailure(thrown: unknown): Failure {
  const error = knownIn(thrown) ?? toError(thrown)
  if (!isLlmError(error))
    return {
      code: codeOf(error, error),
      message: error.message,
      ...(error.statusCode !== undefined && { status: error.statusCode }),
    }
  const { code, message, status, requestId, type, retryAfterMs, reason } = error as LlmError &
    Partial<ProviderErrorDetails>
  const details = Object.entries({ status, requestId, type, retryAfterMs, reason })
  return { code, message, ...Object.fromEntries(details.filter(([, value]) => value !== undefined)) }
}

/** Names a failure: the `error` of the driver. */
export function nameFailure(provider: string, failure: HttpFailure): ProviderError {
  const { body, inBand } = failure
  if (inBand) {
    const { code, message, ...details } = body as Failure
    return new ProviderError(code, message.startsWith(`${provider}: `) ? message : `${provider}: ${code}: ${message}`, {
      provider,
      ...details,
    })
  }
  const said = isObject(body) ? (isObject(body['error']) ? body['error'] : body) : {}
  return toProviderError(provider, failure, { message: said['message'] as string, type: said['type'] as string })
}
