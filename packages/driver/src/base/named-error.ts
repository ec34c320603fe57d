import { type ErrorCode, LlmError } from '@modelport/core'

/**
 * An error whose message begins with the provider and the code, as messages of calls do: for what
 * is checked outside a call.
 */
export const namedError = (provider: string, code: ErrorCode, why: string): LlmError =>
  new LlmError(code, `${provider}: ${code}: ${why}`)
