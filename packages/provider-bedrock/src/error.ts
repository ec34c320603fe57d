import type { ErrorCode, ProviderError } from '@modelport/core'
import { firstMatch, type HttpFailure, stringOf, toProviderError } from '@modelport/driver'

/** {@link Provider.name} of this provider, also the `origin` of its messages. */
export const providerName = 'bedrock'

/**
 * Exceptions with the status and the code each stands for; within a stream only the name is there.
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html (as
 * in @aws-sdk/client-bedrock-runtime 3.1164.0, read 2026-11-27)
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html
 * (read 2026-11-27)
 */
const exceptions = new Map(
  Object.entries<readonly [status: number, code: ErrorCode]>({
    InternalServerException: [500, 'server'],
    ModelErrorException: [424, 'server'],
    // The model is being loaded; the same request works later.
    ModelNotReadyException: [429, 'overloaded'],
    ModelStreamErrorException: [424, 'server'],
    ModelTimeoutException: [408, 'timeout'],
    ServiceQuotaExceededException: [400, 'quota-exhausted'],
    ServiceUnavailableException: [503, 'overloaded'],
    ThrottlingException: [429, 'rate-limit'],
    ValidationException: [400, 'invalid-request'],
  }),
)

/** Exceptions about the caller's credentials. */
const authExceptions =
  /^(ExpiredToken|IncompleteSignature|InvalidSignature|InvalidClientToken|MissingAuth|UnrecognizedClient)/

/** Wordings that say more than the exception. */
const wordings: readonly (readonly [RegExp, ErrorCode])[] = [
  [
    /input is too long|prompt is too long|too many input tokens|exceeds? the (model's )?(maximum )?context|context (window|limit|length)|input tokens exceeded|tokens exceeds maximum length/i,
    'context-length',
  ],
  [/tokens per day/i, 'quota-exhausted'],
  [/API key is (not )?valid|security token included in the request is (invalid|expired)/i, 'auth'],
  [/model identifier is invalid/i, 'not-found'],
  // Nova and Llama say this of `outputConfig` and of tools.
  [/model doesn't support (the \S+ field|tool use)/i, 'unsupported'],
]

/**
 * The name of an exception: `ThrottlingException` for `ThrottlingException:http://…`,
 * `ns#ThrottlingException` and `throttlingException`.
 */
export function exceptionName(type: unknown): string {
  const name = (typeof type === 'string' ? type : '').replace(/:.*$/s, '').replace(/^.*#/s, '')
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** The status an exception stands for; undefined where it is not known. */
export const statusOf = (name: string): number | undefined => exceptions.get(name)?.[0]

/** Names a failure: the code by wording, then by exception, then by status. */
export function toBedrockError(failure: HttpFailure): ProviderError {
  const body = (failure.body ?? {}) as Readonly<Record<string, unknown>>
  const type = exceptionName(failure.headers.get('x-amzn-errortype') ?? body['__type'])
  const message = stringOf(body['message']) ?? stringOf(body['Message'])
  const codeOfWording =
    failure.status < 500 ? firstMatch(wordings, message ?? failure.text) : undefined
  const codeOfException = authExceptions.test(type) ? 'auth' : exceptions.get(type)?.[1]
  // An error inside a response has no status of its own.
  const codeOfRest = failure.inBand ? 'server' : undefined
  return toProviderError(providerName, failure, {
    code: codeOfWording ?? codeOfException ?? codeOfRest,
    message,
    type,
    requestId: failure.headers.get('x-amzn-requestid') ?? undefined,
  })
}
