import { isObject, type JsonObject } from '@modelport/core'
import { mostMessageLength } from '../base/message-of.js'
import { cut, toWellFormed } from '../base/well-formed.js'
import type { AgentCallAction, ToolCallAction } from '../reply/action.js'
import type { ApplicationContext } from '../tools/run-context.js'

/** The answer to a request for approval. */
export interface Approval {
  /** True lets the action be executed. */
  readonly approved: boolean
  /** Who decided. */
  readonly by?: string
  /** Why; the model reads it if the action is refused. */
  readonly reason?: string
}

/** Whether an action may be executed. */
export type Decision =
  | {
      readonly effect: 'allow'
      readonly reason?: string
      /**
       * Executes the call with these arguments instead; they are validated again, and the model
       * reads what was executed.
       */
      readonly arguments?: JsonObject
    }
  | {
      readonly effect: 'deny'
      /** The model reads it. */
      readonly reason: string
    }
  | {
      readonly effect: 'require-approval'
      readonly reason?: string
      /**
       * Asks whoever may approve, while the run waits. Resolve with `true` to let the call run,
       * with `false` to refuse it, or with an {@link Approval} such as
       * `{ approved: false, by: 'Ada', reason: 'too expensive' }`: a refused model reads the
       * reason. An error that it throws refuses the call too. Called once, after the event
       * `policy-decision`. Unset: the other calls of the step are decided, the allowed ones run,
       * and then the run ends as `suspended`; resume it with a decision.
       */
      ask?(signal: AbortSignal): Approval | boolean | Promise<Approval | boolean>
      /**
       * When the request expires, in milliseconds since 1970; without `ask` only. Default: never.
       */
      readonly expiresAt?: number
    }

/** The input of an authorizer besides the action. */
export interface AuthorizeContext {
  /** The run that asks. */
  readonly runId: string
  /** The step of the run; the first is 1. */
  readonly step: number
  /** The id of the action in the events of the run. */
  readonly actionId: string
  /**
   * Names of the tool sources, such as MCP servers, whose results the conversation holds or held
   * before a compaction: the model may do what these say.
   */
  readonly seen: readonly string[]
  /** `context` of the request. */
  readonly context?: ApplicationContext
  /** Aborts when the run is cancelled. */
  readonly signal: AbortSignal
}

/**
 * Decides on each tool or agent call, after its arguments are known and before it is executed. If
 * it throws, or returns something that is not a {@link Decision}, the action is denied. It never
 * sees a call that is refused anyway: an unknown tool or a repeat.
 */
export type Authorize = (
  action: ToolCallAction | AgentCallAction,
  context: AuthorizeContext,
) => Decision | Promise<Decision>

/** A decision that can ask. */
interface Ask {
  readonly expiresAt?: number
  ask(signal: AbortSignal): Approval | boolean | Promise<Approval | boolean>
}

/**
 * The decision to act upon. Untyped code may return anything: a value that is not a decision
 * denies, and so does a denial without a reason.
 */
export function toDecision(value: unknown): Decision {
  const { effect, reason: given } = (value ?? {}) as Partial<Decision>
  const reason = toReason(given)
  const kept = reason !== undefined && { reason }
  if (effect === 'allow') {
    const { arguments: changed } = value as Extract<Decision, { effect: 'allow' }>
    return { effect, ...kept, ...(isObject(changed) && { arguments: changed }) }
  }
  if (effect === 'require-approval')
    return {
      effect,
      ...kept,
      ...(typeof (value as Partial<Ask>).expiresAt === 'number' && {
        expiresAt: Number((value as Ask).expiresAt),
      }),
      ...((value as Partial<Ask>).ask !== undefined && {
        ask: (signal: AbortSignal): Approval | boolean | Promise<Approval | boolean> =>
          (value as Ask).ask(signal),
      }),
    }
  if (effect === 'deny') return { effect, reason: reason ?? 'no reason was given' }
  return {
    effect: 'deny',
    reason: `authorize returned the effect ${JSON.stringify(effect)}; it must be allow, deny or require-approval`,
  }
}

/** Reads what `ask` returned: only `true` and an object whose `approved` is `true` approve. */
export function toApproval(value: unknown): Approval {
  if (typeof value === 'boolean') return { approved: value }
  const { approved, by, reason: given } = (value ?? {}) as Approval
  const reason = toReason(given)
  return {
    approved: (approved as unknown) === true,
    ...(by !== undefined && { by }),
    ...(reason !== undefined && { reason }),
  }
}

/** A reason in a form that a message can hold. */
const toReason = (reason: unknown): string | undefined =>
  typeof reason === 'string' && reason ? cut(toWellFormed(reason), mostMessageLength) : undefined
