/**
 * Types of the application: declare `context` here, in the module `@modelport/runtime`, and every
 * `context` of a run has that type.
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- applications fill it
export interface ApplicationTypes {}

/** The type of `context` of a request: what {@link ApplicationTypes} says, else `unknown`. */
export type ApplicationContext = ApplicationTypes extends { readonly context: infer Context }
  ? Context
  : unknown

/** Where, and with which secret, the result of one call is delivered by whoever does its work. */
export interface Webhook {
  /** Address that the result is posted to; it holds the secret. Unset: this process serves none. */
  readonly url?: string
  /** The secret. Whoever has it can deliver the result of this call, and nothing else. */
  readonly token: string
}

/** The call that a webhook is made for. */
export interface WebhookCall {
  /** The id of the call. */
  readonly callId: string
  /** The step of the run that the call belongs to; the first is 1. */
  readonly step: number
}

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
  /**
   * Makes an address and a secret for the result of this call. Give them to whoever does the work
   * before it begins, then return `pending`. Each call of the function makes another secret; all of
   * them are for this call. Unset: the run is not that of a task of an agent.
   */
  readonly webhook?: () => Promise<Webhook>
}

/** The application's context of a run; passed on to every tool and agent. */
export interface RunScope {
  /** The conversation the run belongs to. */
  readonly sessionId?: string | undefined
  /** The trace the run belongs to. */
  readonly traceId?: string | undefined
  /** Beginning of every {@link RunContext.idempotencyKey} and journal key. Default: the run id. */
  readonly keyPrefix?: string | undefined
  /** Makes the {@link RunContext.webhook} of each call; agents set it. Default: calls have none. */
  readonly webhook?: ((call: WebhookCall) => Promise<Webhook>) | undefined
}
