import type { RunContext } from './run-context.js'

/** The outcome of a call whose result was never recorded. */
export type ReconcileOutcome =
  | { readonly outcome: 'executed'; readonly result: unknown }
  /** It was not executed: the run executes it now. */
  | { readonly outcome: 'not-executed' }
  /** Nobody knows: the run ends as `suspended`, and a person decides. */
  | { readonly outcome: 'unknown' }

/** How a tool or an agent behaves when a call may have been executed already. */
export interface EffectDeclaration<Value = unknown> {
  /**
   * True if a second call with the same `idempotencyKey` has no further effect: a call without a
   * recorded result is repeated. Default false.
   */
  readonly idempotent?: boolean | undefined
  /** True if calls change nothing: a call without a recorded result is repeated. Default false. */
  readonly readOnly?: boolean | undefined
  /**
   * Called first on resume for a call that was started and has no recorded result. Not called for
   * tools that are `idempotent` or `readOnly`. If it throws or rejects, the outcome is `unknown`.
   */
  reconcile?(
    value: Value,
    context: { readonly run: RunContext; readonly signal: AbortSignal },
  ): ReconcileOutcome | Promise<ReconcileOutcome>
}
