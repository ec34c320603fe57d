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
   * looked at again later. Set `message` if nobody will ever know: no person is asked then. The
   * model reads it, or of a lost reply the error, and the same call is held if it comes again.
   */
  | { readonly outcome: 'unknown'; readonly message?: string }

/**
 * What to do about a call that was started and whose outcome is unknown: its time was up, its
 * connection ended, its process died, or its tool threw `OutcomeUnknown`. If a tool declares
 * nothing, no call is repeated: the model reads that the call may have had its effect, and if
 * it asks for the same call again, the run ends as `suspended` with an `uncertain` item. If the
 * process died, the run ends so at once.
 */
export interface EffectDeclaration<Value = unknown> {
  /**
   * True if a second call with the same `idempotencyKey` has no further effect. A call whose
   * connection ended is sent again with the same key, at most twice; so is a call without a
   * recorded result after a resume, and one that the model asks for again. If it fails then, its
   * outcome stays unknown, unless the tool throws a `ToolFailure`: the receiver's own answer to the
   * key. Default false.
   */
  readonly idempotent?: boolean | undefined
  /**
   * True if calls change nothing: an unknown outcome is an ordinary failure, and a call without a
   * recorded result is repeated. Default false.
   */
  readonly readOnly?: boolean | undefined
  /**
   * True if a person decides about every unknown outcome: the run ends as `suspended` with an
   * `uncertain` item at once. A call that a person approved is treated as if this were true.
   * Default false.
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
