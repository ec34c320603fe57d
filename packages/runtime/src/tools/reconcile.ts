import type { RunContext } from './run-context.js'

/** What a receiver says of a call whose outcome is unknown. */
export type ReconcileOutcome =
  | { readonly outcome: 'executed'; readonly result: unknown }
  /** It was executed, and failed: the model reads the message. */
  | { readonly outcome: 'failed'; readonly message: string }
  /** It was not executed: the run executes it now. */
  | { readonly outcome: 'not-executed' }
  /**
   * Nobody knows: the run ends as `suspended`, and a person decides. Work that was left pending is
   * looked at again later. With a `message`, nobody will ever know, and no person is asked: the
   * model reads the message, or of a lost reply what the call ended with, and the same call is held
   * if it is asked for again.
   */
  | { readonly outcome: 'unknown'; readonly message?: string }

/**
 * What to do about a call that was started and whose outcome is unknown: its time was up, its
 * connection ended, its process died, or its tool threw `OutcomeUnknown`. A tool that declares
 * nothing is not called again as if nothing had happened: the model reads that the call may have
 * had its effect, and if it asks for the same call again, the run ends as `suspended` with an
 * `uncertain` item. After the death of its process the item comes at once.
 */
export interface EffectDeclaration<Value = unknown> {
  /**
   * True if a second call with the same `idempotencyKey` has no further effect. A call whose
   * connection ended is sent again with the same key, at most twice; so is one without a recorded
   * result after a resume; and if the model asks for it again, it has the same key too. A failure
   * of such a second sending leaves the outcome unknown, unless the tool throws a `ToolFailure`,
   * for what the receiver answered to the key. Default false.
   */
  readonly idempotent?: boolean | undefined
  /**
   * True if calls change nothing: an unknown outcome is an ordinary failure, and a call without a
   * recorded result is repeated. Default false.
   */
  readonly readOnly?: boolean | undefined
  /**
   * True if a person decides about every unknown outcome: the run ends as `suspended` with an
   * `uncertain` item at once. A call that a person approved is treated so too. Default false.
   */
  readonly once?: boolean | undefined
  /**
   * Asks the receiver what became of a call whose outcome is unknown; a person is asked if that is
   * unknown too. Not called for tools that are `idempotent` or `readOnly`, except for a call that
   * ended with `pending`: `taskId` is the id that it gave. If it throws or rejects, the outcome is
   * `unknown`.
   */
  reconcile?(
    value: Value,
    context: {
      readonly run: RunContext
      readonly signal: AbortSignal
      readonly taskId?: string | undefined
    },
  ): ReconcileOutcome | Promise<ReconcileOutcome>
}
