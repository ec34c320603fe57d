import { contentHash } from '../history/content-hash.js'
import { StreakGuard } from './streak-guard.js'

/** Most results that are remembered. */
const mostResults = 1000

/** Notices that a run goes round in circles: steps in which no call succeeds, or only with results that are known. */
export class ProgressGuard {
  readonly #streak: StreakGuard
  readonly #known = new Set<string>()

  /** @param most how many such steps in a row end the run */
  constructor(most: number) {
    this.#streak = new StreakGuard(most)
  }

  /** How many such steps there are in a row. */
  get idleSteps(): number {
    return this.#streak.count
  }

  /**
   * Takes the successful results of a step, each with what gave it. True when the run gets nowhere.
   * The same text from another tool is new.
   */
  step(results: readonly { readonly from: string; readonly text: string }[]): boolean {
    let isNew = false
    for (const { from, text } of results) {
      const key = contentHash([from, text])
      if (this.#known.has(key)) continue
      isNew = true
      if (this.#known.size < mostResults) this.#known.add(key)
    }
    if (!isNew) return this.#streak.fail()
    this.#streak.succeed()
    return false
  }
}
