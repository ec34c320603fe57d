/**
 * The words for a failure in OpenAI's APIs.
 * @see https://developers.openai.com/api/docs/guides/error-codes (read 2026-11-21)
 */
export function errorType(status: number): { readonly type: string; readonly code: string | null } {
  if (status === 401) return { type: 'invalid_request_error', code: 'invalid_api_key' }
  if (status === 404) return { type: 'invalid_request_error', code: 'model_not_found' }
  if (status === 429) return { type: 'requests', code: 'rate_limit_exceeded' }
  return { type: status >= 500 ? 'server_error' : 'invalid_request_error', code: null }
}
