import { isLlmError, type ProviderError } from '@modelport/core'
import { defined } from '@modelport/driver'
import type { LastResponse } from './last-response.js'

/**
 * How the AI SDK knows its errors, also those of another copy of it: `APICallError.isInstance`
 * looks for these.
 */
const markers = ['vercel.ai.error', 'vercel.ai.error.AI_APICallError']

/**
 * The error as the AI SDK expects it: a failed exchange with a provider becomes an `APICallError`
 * with the headers of the response, and with ours as its `cause`. Anything else stays as it is: a
 * wrong setting, an exhausted budget, the reason of an abort.
 */
export function toApiCallError(error: unknown, response: LastResponse): unknown {
  if (!isLlmError(error) || !('provider' in error)) return error
  // `serverRetry` is what the server says of another attempt, as the driver keeps it.
  const failure = error as ProviderError & { readonly serverRetry?: boolean }
  const { message, code, retryable, url, status, body, retryAfterMs, requestId, type, attempts } =
    failure
  return Object.assign(new Error(message, { cause: error }), {
    name: 'AI_APICallError',
    url: url ?? '',
    requestBodyValues: undefined,
    statusCode: status,
    responseHeaders: {
      ...response.headers,
      ...defined({ 'retry-after-ms': retryAfterMs?.toString(), 'x-request-id': requestId }),
    },
    responseBody: body,
    isRetryable: failure.serverRetry ?? retryable,
    data: { code, type, attempts },
    ...Object.fromEntries(markers.map((marker) => [Symbol.for(marker), true])),
  })
}
