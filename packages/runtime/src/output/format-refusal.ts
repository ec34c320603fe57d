import { isLlmError, type LlmError } from '@modelport/core'

/**
 * Describes a refused format for the warnings of a result; level 0 asked for a schema, level 1 for
 * any JSON.
 */
export const describeRefusal = (level: number, { message }: LlmError): string =>
  `the server refused the ${level === 0 ? 'schema' : 'JSON format'}: ${message}`

/**
 * True if the server refused the requested response format: `unsupported`, or an `invalid-request`
 * whose message names the format.
 */
export function isFormatRefusal(error: unknown): error is LlmError {
  if (isLlmError(error, 'unsupported')) return true
  return (
    isLlmError(error, 'invalid-request') &&
    /schema|format|json|strict|grammar|additionalProperties/i.test(error.message)
  )
}
