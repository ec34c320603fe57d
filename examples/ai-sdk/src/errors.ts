import { isLlmError, type ProviderError } from '@modelport/core'

/** How the AI SDK knows its errors, also those of another copy of it: `APICallError.isInstance` looks for these. */
const markers = ['vercel.ai.error', 'vercel.ai.error.AI_APICallError']

/**
 * The error as the AI SDK expects it: a failed exchange with a provider becomes an `APICallError`, with ours as its `cause`. Anything else stays as
 * it is: a wrong setting, an exhausted budget, the reason of an abort.
 */
export function toApiCallError(error: unknown): unknown {
  if (!isLlmError(error) || !('provider' in error)) return error
  const { message, code, retryable, url, status, body, retryAfterMs, requestId, type, attempts } =
    error as ProviderError
  const headers = {
    ...(retryAfterMs !== undefined && { 'retry-after-ms': String(retryAfterMs) }),
    ...(requestId !== undefined && { 'x-request-id': requestId }),
  }
  return Object.assign(new Error(message, { cause: error }), {
    name: 'AI_APICallError',
    url: url ?? '',
    requestBodyValues: undefined,
    statusCode: status,
    responseHeaders: headers,
    responseBody: body,
    // What the server says of another attempt, as the driver keeps it.
    isRetryable: (error as { readonly serverRetry?: boolean }).serverRetry ?? retryable,
    data: { code, type, attempts },
    ...Object.fromEntries(markers.map((marker) => [Symbol.for(marker), true])),
  })
}
