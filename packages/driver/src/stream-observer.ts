import type { LlmError, StreamEvent } from '@modelport/core'

/** Receives what a conversation or an exchange reads. It is set once; each `advance` ends with `onStep` or `onError`, called once. */
export interface StreamObserver {
  /** An event of the reply, during `advance` or between two of them. */
  readonly onEvent: (event: StreamEvent) => void
  /** True: there may be more. False: that was the end. An error rejects the pending reads, and the stream continues. */
  readonly onStep: (more: boolean | LlmError) => void
  /** The stream has failed. */
  readonly onError: (error: unknown) => void
}
