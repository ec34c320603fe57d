import type { Effect, Engine, EngineWait, Performed } from '../journal/engine.js'
import type { PendingItem, ResumeDecision } from '../journal/pending-item.js'

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
  // Each call of the handler is another try: a step that an earlier one had begun, and that has no
  // result, may have had its effect.
  const own = crypto.randomUUID()
  const once = { maxRetryAttempts: 1 }
  return {
    async perform(effect: Effect): Promise<Performed> {
      const { label } = effect
      const begunBy = await context.run(`begin ${label}`, () => Promise.resolve(own), once)
      return await context.run(label, () => effect.execute({ first: begunBy === own }), once)
    },

    async wait({ key, pending, until }: EngineWait): Promise<readonly ResumeDecision[]> {
      context.set(restateState, { key, pending } satisfies RestatePending)
      const promise = context.promise(key).get()
      const decision = await (until === undefined ? promise : inTime(context, promise, until))
      context.clear(restateState)
      return decision === undefined ? [] : [decision as ResumeDecision]
    },
  }
}

async function inTime(
  context: RestateContext,
  promise: RestateWait,
  until: number,
): Promise<unknown> {
  // When the wait began is a fact of the run: a replay must not wait longer.
  const now = await context.run('now', () => Promise.resolve(Date.now()), { maxRetryAttempts: 1 })
  try {
    return await promise.orTimeout(Math.max(0, until - now))
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') return undefined
    throw error
  }
}
