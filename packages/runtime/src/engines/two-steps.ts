import type { Engine } from '../journal/engine.js'

/** Executes a step of an engine once, and gives what is recorded of it. */
export type EngineStep = <Value>(name: string, work: () => Promise<Value>) => PromiseLike<Value>

/**
 * Performs each effect in two steps: the first one says which call of the program began it. Each
 * call of the program is another try, so that an effect which an earlier one had begun, and that
 * has no result, may have happened.
 */
export function inTwoSteps(step: EngineStep): Engine['perform'] {
  const own = crypto.randomUUID()
  return async (effect) => {
    const { label } = effect
    const begunBy = await step(`begin ${label}`, () => Promise.resolve(own))
    return await step(label, () => effect.execute({ first: begunBy === own }))
  }
}

/**
 * Milliseconds until a time. When a wait began is a fact of the run: a replay does not wait longer.
 */
export async function millisecondsTo(until: number, step: EngineStep): Promise<number> {
  const now = await step('now', () => Promise.resolve(Date.now()))
  return Math.max(0, until - now)
}
