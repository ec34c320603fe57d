import { type ErrorCode, isLlmError, type LlmError, ProviderError } from '@modelport/core'
import { tryParseJson } from '@modelport/core/text'
import { toProviderError } from '@modelport/driver'

/** The fields of an `APICallError` that are read. */
interface ApiCallFields {
  readonly url?: string | undefined
  readonly statusCode?: number | undefined
  readonly responseHeaders?: Readonly<Record<string, string>> | undefined
  readonly responseBody?: unknown
  readonly isRetryable?: boolean | undefined
}

/** Names of errors of the AI SDK, and what they mean. */
const codes: readonly (readonly [RegExp, ErrorCode])[] = [
  [/UnsupportedFunctionality|NoSuchModel/, 'unsupported'],
  [/LoadAPIKey|LoadSetting/, 'auth'],
  [/InvalidPrompt|InvalidArgument|TooManyEmbedding/, 'invalid-request'],
  [/JSONParse|TypeValidation|InvalidResponse|EmptyResponse|NoContent/, 'protocol'],
]

/**
 * An error of the AI SDK as one of ours: the one below it, or one by the status that the server
 * gave, or by its name.
 */
export function toCallError(provider: string, thrown: unknown): LlmError {
  const { cause } = Object(thrown) as { readonly cause?: unknown }
  const known = [thrown, cause].find((error) => isLlmError(error))
  if (known) return known
  const error = toError(thrown)
  const { message, statusCode: status = 0, responseHeaders, responseBody, url = '' } = error
  if (status < 400) {
    const names = `${error.name} ${cause instanceof Error ? cause.name : ''}`
    const named = codes.find(([pattern]) => pattern.test(names))?.[1]
    // A reply that began and was not read to its end was cut.
    const code = named ?? (error.isRetryable ? (status ? 'truncated' : 'network') : 'unknown')
    return new ProviderError(
      code,
      `${provider}: ${code}: ${message}`,
      { provider },
      { cause: error },
    )
  }
  const text = typeof responseBody === 'string' ? responseBody.slice(0, maxText) : message
  const body = tryParseJson(text)
  const { error: said = body } = Object(body) as { readonly error?: unknown }
  const { message: reason, type } = Object(said) as {
    readonly message?: string
    readonly type?: string
  }
  const failure = { status, headers: new Headers(responseHeaders), text, body, inBand: false }
  const { host = '', port = '', protocol = '' } = URL.parse(url) ?? {}
  const contacted = port ? host : `${host}:${protocol === 'http:' ? 80 : 443}`
  const named = toProviderError(provider, failure, { message: reason, type })
  return Object.assign(named, host && { url, host: contacted })
}

/** Maximum characters that are kept of the body of an error. */
const maxText = 64 * 1024

/** A failure in the middle of a stream is an object, with the fields of an error. */
function toError(thrown: unknown): Error & ApiCallFields {
  if (thrown instanceof Error) return thrown
  const fields = Object(thrown) as ApiCallFields & { readonly message?: unknown }
  const message = typeof fields.message === 'string' ? fields.message : JSON.stringify(thrown)
  return Object.assign(new Error(message), fields, { message })
}
