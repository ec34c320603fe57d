import { isLlmError, type LlmError } from '@modelport/core'

/** True if the server, or its provider, refused a request because it offers tools: `unsupported`, with a message that names them. */
export const isToolRefusal = (error: unknown): error is LlmError =>
  isLlmError(error, 'unsupported') && /tool|function/i.test(error.message)
