import { isLlmError, type LlmError, type ProviderErrorDetails } from '@modelport/core'

/** True if the server, or its provider, refused a request because it offers tools. */
export const isToolRefusal = (error: unknown): error is LlmError =>
  isLlmError(error, 'unsupported') && (error as Partial<ProviderErrorDetails>).reason === 'tools'
