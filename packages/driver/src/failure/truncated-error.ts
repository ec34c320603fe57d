import { LlmError } from '@modelport/core'

/** The body ended, or the connection failed with `cause`, before the reply was whole. */
export const truncatedError = (bytes: number, cause?: unknown): LlmError =>
  new LlmError(
    'truncated',
    `the connection ended before the reply did (${bytes} bytes read)`,
    cause === undefined ? undefined : { cause },
  )
