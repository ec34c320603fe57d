import type { LlmError, StreamEvent } from '@modelport/core'
import type { Turn } from '../base/driver.js'

/**
 * Receives what is read: a conversation observes its exchange, a reader observes its conversation.
 * Each `advance` ends with one call of `onStep` or `onError`.
 */
export interface StreamObserver {
  /** An event of the reply, during `advance` or between two of them. */
  readonly onEvent: (event: StreamEvent) => void
  /**
   * An `advance` has completed. True: there may be more. False: that was the end. An error rejects
   * the pending reads, and the stream continues.
   */
  readonly onStep: (more: boolean | LlmError) => void
  /** A further turn begins. */
  readonly onTurn?: (turn: Turn) => void
  readonly onError: (error: unknown) => void
}
