import { type ErrorCode, LlmError, type ProviderErrorDetails } from '@modelport/core'
import type { PendingItem, RunCheckpoint, RunResult } from '@modelport/runtime'
import type { Dialog } from '../dialog/dialog.js'
import type { CallState } from './states.js'
import type { CallTrace } from './trace.js'

/** Which limit ended a call. */
export type CallLimit =
  | 'parse-retries'
  | 'tool-rounds'
  | 'repeats'
  | 'no-progress'
  | 'steps'
  | 'length'

/**
 * A call that waits for decisions: nothing is lost, and `call(error.dialog, { resume, decisions })`
 * continues it.
 */
export interface CallSuspension {
  /** What the call waits for. */
  readonly pending: readonly PendingItem[]
  /** Plain JSON; store it with the dialog. */
  readonly checkpoint: RunCheckpoint
}

/** The details of a call that failed. */
export type CallFailure = Pick<
  AgentCallError,
  'state' | 'dialog' | 'trace' | 'limit' | 'suspension' | 'runResult'
>

/**
 * An agent call that ended in `failure`. `code` says why: `protocol` the parser refused every
 * reply, `limit-exceeded` another limit, `aborted` the signal or a suspension, `timeout` the
 * deadline, else the code of `cause`. Printing it shows neither the dialog nor the trace: read the
 * fields.
 */
export class AgentCallError extends LlmError {
  /** The state the call was in before it failed. */
  readonly state: CallState
  /** The dialog with everything that was said; it can be called again. */
  readonly dialog: Dialog
  /** What the call did. */
  readonly trace: CallTrace
  /** The limit that ended the call. Unset: something else did. */
  readonly limit?: CallLimit
  /** Set when the call waits for decisions. */
  readonly suspension?: CallSuspension
  /**
   * The run behind the call, as far as it came. Unset: the call failed before it, or in the middle
   * of a recall.
   */
  readonly runResult?: RunResult
  /**
   * The reason of a network failure that caused this: it decides whether the same call may succeed
   * later.
   */
  readonly reason?: ProviderErrorDetails['reason'] & string

  constructor(code: ErrorCode, message: string, failure: CallFailure, options?: ErrorOptions) {
    super(code, message, options)
    this.state = failure.state
    this.dialog = failure.dialog
    this.trace = failure.trace
    if (failure.limit !== undefined) this.limit = failure.limit
    if (failure.suspension !== undefined) this.suspension = failure.suspension
    if (failure.runResult !== undefined) this.runResult = failure.runResult
    // A program that prints an uncaught error shows the error, not every message of the
    // conversation.
    for (const large of ['dialog', 'trace', 'suspension', 'runResult'])
      if (Object.hasOwn(this, large)) Object.defineProperty(this, large, { enumerable: false })
    const { reason } = (options?.cause ?? {}) as Partial<ProviderErrorDetails>
    if (typeof reason === 'string') this.reason = reason
  }
}
Object.defineProperty(AgentCallError.prototype, 'name', { value: 'AgentCallError' })
