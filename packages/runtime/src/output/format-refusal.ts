import { isLlmError, type LlmError } from '@modelport/core'

/** True if the server refused the requested response format: `unsupported`, or an `invalid-request` whose message names the format. */
export function isFormatRefusal(error: unknown): error is LlmError {
  if (isLlmError(error, 'unsupported')) return true
  return isLlmError(error, 'invalid-request') && /schema|format|json|strict|grammar/i.test(error.message)
}
