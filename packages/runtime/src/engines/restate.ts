import type { Engine, EngineWait } from '../journal/engine.js'
import type { PendingItem, ResumeDecision } from '../journal/pending-item.js'
import { fromMessage } from './decision-message.js'
import { type EngineStep, inTwoSteps, millisecondsTo } from './two-steps.js'

/** What is used of the context of a workflow's `run` handler of `@restatedev/restate-sdk` 1. */
export interface RestateContext {
  /** Executes a step once, and remembers its value. */
  run<Value>(
    name: string,
    work: () => Promise<Value>,
    options: { maxRetryAttempts: number },
  ): PromiseLike<Value>
  /** A promise of the workflow, by name, which another handler resolves. */
  promise(name: string): RestatePromise
  /** Sets a state of the workflow. */
  set(name: string, value: unknown): void
  /** Clears a state of the workflow. */
  clear(name: string): void
}

/** A promise of Restate, which can be given up after a time. */
export interface RestatePromise {
  /** The promise itself. */
  get(): RestateWait
}

/** A wait for a promise of Restate. */
export interface RestateWait extends PromiseLike<unknown> {
  /** The same, but rejects with a `TimeoutError` after so many milliseconds. */
  orTimeout(milliseconds: number): PromiseLike<unknown>
}

/** The state `modelport` of a workflow on Restate: what it waits for. */
export interface RestatePending {
  /** The promise that takes the decision: `ctx.promise(key).resolve(decision)`. */
  readonly key: string
  /** What waits. */
  readonly pending: readonly PendingItem[]
}

/** Where a run on Restate shows what it waits for. */
export const restateState = 'modelport'

/**
 * Runs the effects of `infer` as steps of a Restate workflow. Make one in each call of the handler,
 * with the workflow's key as the `runId`. While it waits, the state `modelport` has the pending
 * items and the name of the promise that a shared handler resolves with a decision.
 */
export function restateEngine(context: RestateContext): Engine {
  const step: EngineStep = (name, work) => context.run(name, work, { maxRetryAttempts: 1 })
  return {
    perform: inTwoSteps(step),

    async wait({ key, pending, until }: EngineWait): Promise<readonly ResumeDecision[]> {
      context.set(restateState, { key, pending } satisfies RestatePending)
      const promise = context.promise(key).get()
      const decision = await (until === undefined ? promise : inTime(promise, until, step))
      context.clear(restateState)
      return decision === undefined ? [] : [fromMessage(decision as ResumeDecision, pending)]
    },
  }
}

async function inTime(promise: RestateWait, until: number, step: EngineStep): Promise<unknown> {
  const milliseconds = await millisecondsTo(until, step)
  try {
    return await promise.orTimeout(milliseconds)
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') return undefined
    throw error
  }
}
