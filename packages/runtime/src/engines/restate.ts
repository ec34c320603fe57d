import type { Effect, Engine, EngineWait, Performed } from '../journal/engine.js'
import type { PendingItem, ResumeDecision } from '../journal/pending-item.js'

/** What is used of the context of a workflow's `run` handler of `@restatedev/restate-sdk` 1. */
export interface RestateContext {
  run<Value>(
    name: string,
    work: () => Promise<Value>,
    options: { maxRetryAttempts: number },
  ): Promise<Value>
  promise<Value>(name: string): PromiseLike<Value> & RestatePromise<Value>
  set(name: string, value: unknown): void
  clear(name: string): void
}

/** A promise of Restate that can be given up after a time. */
export interface RestatePromise<Value> {
  get(): PromiseLike<Value> & { orTimeout(milliseconds: number): PromiseLike<Value> }
}

/** The state `modelport` of a workflow on Restate: what it waits for. */
export interface RestatePending {
  /** The promise that takes the decision: `ctx.promise(key).resolve(decision)`. */
  readonly key: string
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
      return context.run(label, () => effect.execute({ first: begunBy === own }), once)
    },

    async wait({ key, pending, until }: EngineWait): Promise<readonly ResumeDecision[]> {
      context.set(restateState, { key, pending } satisfies RestatePending)
      const promise = context.promise<ResumeDecision>(key).get()
      const decision = await (until === undefined ? promise : inTime(context, promise, until))
      context.clear(restateState)
      return decision ? [decision] : []
    },
  }
}

async function inTime(
  context: RestateContext,
  promise: ReturnType<RestatePromise<ResumeDecision>['get']>,
  until: number,
): Promise<ResumeDecision | undefined> {
  // When the wait began is a fact of the run: a replay must not wait longer.
  const now = await context.run('now', () => Promise.resolve(Date.now()), { maxRetryAttempts: 1 })
  try {
    return await promise.orTimeout(Math.max(0, until - now))
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') return undefined
    throw error
  }
}
