/**
 * Types of the application: declare `context` here, in the module `@modelport/runtime`, and every
 * `context` of a run has that type.
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- applications fill it
export interface ApplicationTypes {}

/** The type of `context` of a request: what {@link ApplicationTypes} says, else `unknown`. */
export type ApplicationContext = ApplicationTypes extends { readonly context: infer Context }
  ? Context
  : unknown

/** The facts about a run for the tools and agents that it calls. */
export interface RunContext {
  /** The run; the same after a resume. */
  readonly runId: string
  /** `context` of the request. Unset: the application gave none. */
  readonly context?: ApplicationContext
  /** The conversation the run belongs to. Unset: the application named none. */
  readonly sessionId?: string
  /** The trace the run belongs to. Unset: the application named none. */
  readonly traceId?: string
  /** When the time of the run is over, in milliseconds since 1970. Unset: no limit. */
  readonly deadline?: number
  /**
   * Identifies the effect that is wanted: the key prefix, the tool, a hash of the arguments that
   * the model gave, and how many such calls the run was asked for before. Two calls that are wanted
   * differ; a second try of one whose outcome is unknown has its key again, whichever step, resume
   * or process makes it. Pass it to systems that take such a key. Of a `readOnly` tool it only
   * names the step and the place of the call.
   */
  readonly idempotencyKey: string
}

/** The application's context of a run; passed on to every tool and agent. */
export interface RunScope {
  /** The conversation the run belongs to. */
  readonly sessionId?: string | undefined
  /** The trace the run belongs to. */
  readonly traceId?: string | undefined
  /** Beginning of every {@link RunContext.idempotencyKey} and journal key. Default: the run id. */
  readonly keyPrefix?: string | undefined
}
