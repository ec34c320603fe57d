import {
  type AgentContext,
  type AgentRequest,
  type AgentTarget,
  OutcomeUnknown,
  pending,
  ToolFailure,
} from '@modelport/runtime'
import type { RequestContent } from '../models/part.js'
import type { CancelTarget } from './cancel-requests.js'
import { type AgentRunContext, extendChain } from './run-context.js'
import type { AcceptedDecision } from './wait-state.js'

/** What came of a call that a child worked on. `unknown`: the child does not know it either. */
export type ChildResult =
  | { readonly result: unknown }
  | { readonly failure: string }
  | { readonly unknown: true }

/** What a call that waited for a child that failed reads. */
export const resultOfFailed = ({
  message,
  uncertain,
}: Extract<ChildOutcome, { readonly status: 'failed' }>): ChildResult =>
  uncertain ? { unknown: true } : { failure: message }

/** The current outcome of a delegated task. */
export type ChildOutcome =
  | { readonly status: 'done'; readonly result: unknown }
  /** `uncertain`: the agent does not know whether a call of it had its effect. */
  | { readonly status: 'failed'; readonly message: string; readonly uncertain?: true }
  /** It waits: for decisions, if there are any. */
  | {
      readonly status: 'waiting'
      readonly taskId: string
      readonly requests: readonly RequestContent[]
      /** True if the agent could not be asked: what the task does is not known. */
      readonly isAway?: true
    }

/** A target that knows the task it is called from, and can continue a child task. */
export interface BoundTarget extends AgentTarget {
  /**
   * Calls the agent for a task of another agent.
   * @param cancelChild called with the id of the child task when the calling one is aborted.
   * Default: the agent is asked once.
   */
  delegate(
    request: AgentRequest,
    context: AgentContext,
    run: AgentRunContext,
    cancelChild?: (taskId: string) => Promise<void>,
  ): Promise<ChildOutcome>
  /** Passes decisions to a child task that waits, and waits for its outcome. */
  continueChild(
    taskId: string,
    decisions: readonly AcceptedDecision[],
    signal: AbortSignal,
  ): Promise<ChildOutcome>
  /** What became of a child task, without waiting for it. Unset: it is worked on. */
  lookAtChild(taskId: string, signal: AbortSignal): Promise<ChildOutcome | undefined>
  /** Cancels a child task. */
  cancelChild(taskId: string): Promise<void>
  /** Removes what a task delegated. */
  forgetChildrenOf(taskId: string): Promise<void>
}

/** The children that calls of a run wait for, by call. */
export type ChildWaits = Map<
  string,
  {
    readonly agent: string
    readonly taskId: string
    readonly requests: readonly RequestContent[]
  }
>

/** Stores that something a task of this agent waits for is to be cancelled, and asks for it. */
export type CancelChild = (target: CancelTarget) => Promise<void>

/** True for a target that {@link toAgentTarget} made. */
export const isBound = (target: AgentTarget): target is BoundTarget =>
  'delegate' in target && 'continueChild' in target

/** What calls of sub-agents share in one turn of a task. */
export interface DelegationParts {
  /** Where children that wait are noted. */
  readonly children: ChildWaits
  /** Aborted when the task is cancelled, or its process stops. */
  readonly signal: AbortSignal
  readonly cancelChild?: CancelChild | undefined
}

/** The target, called for one task: it extends the chain of agents and notes children that wait. */
export function bindTarget(
  target: AgentTarget,
  run: AgentRunContext,
  { children, signal, cancelChild }: DelegationParts,
): AgentTarget {
  if (!isBound(target)) return target
  return {
    ...target,
    name: target.name,
    description: target.description,
    call: async (request, context) => {
      extendChain(run.chain, target.name)
      const cancel =
        cancelChild && ((taskId: string) => cancelChild({ target: target.name, taskId }))
      const outcome = await target.delegate(request, context, run, cancel)
      if (outcome.status === 'failed') throw errorOf(target.name, outcome)
      if (outcome.status === 'done') return outcome.result
      const { taskId, requests } = outcome
      children.set(context.callId, { agent: target.name, taskId, requests })

      // The task may be cancelled while another call of the turn works: what it waits for is stored
      // at the end of the turn only, and the child would wait on for somebody's approval.
      const stop = (): void => void cancel?.(taskId).catch(() => undefined)
      if (signal.aborted) stop()
      else signal.addEventListener('abort', stop, { once: true })
      return pending(taskId)
    },
  }
}

/**
 * The error that the caller of a failed child gets: a call of unknown outcome is not a failure, and
 * any other end is the child's own answer.
 */
export const errorOf = (
  name: string,
  { message, uncertain }: Extract<ChildOutcome, { readonly status: 'failed' }>,
): Error =>
  uncertain
    ? new OutcomeUnknown(message)
    : new ToolFailure(`The agent "${name}" failed: ${message}`)
