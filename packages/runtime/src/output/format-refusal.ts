import { isLlmError, type LlmError } from '@modelport/core'

/** True for a call that was refused because of the form that was asked for: by this code, or by a server that names the form. */
export function isFormatRefusal(error: unknown): error is LlmError {
  if (isLlmError(error, 'unsupported')) return true
  return isLlmError(error, 'invalid-request') && /schema|format|json|strict/i.test(error.message)
}
