import { jsonHash } from '../history/json-hash.js'
import { StreakGuard } from './streak-guard.js'

/** Maximum results that are remembered; the oldest goes first. */
const mostResults = 100
/** Characters of a hash that are kept. */
const hashLength = 16

/** Notices that a run goes in circles: steps in which no call succeeds, or only with results that are known. */
export class ProgressGuard {
  readonly #streak: StreakGuard
  #known: readonly string[]

  /** @param most how many such steps in a row end the run; the rest restores the guard after a resume */
  constructor(most: number, idleSteps = 0, known: readonly string[] = []) {
    this.#streak = new StreakGuard(most, idleSteps)
    this.#known = known
  }

  /** How many such steps there are in a row. */
  get idleSteps(): number {
    return this.#streak.count
  }

  /** Hashes of the results that are known, oldest first. */
  get known(): readonly string[] {
    return this.#known
  }

  /**
   * Takes the successful results of a step, each with what gave it. True when the run gets nowhere.
   * The same text from another tool is new.
   */
  step(results: readonly { readonly from: string; readonly text: string }[]): boolean {
    const fresh = new Set<string>()
    for (const { from, text } of results) {
      const hash = jsonHash([from, text]).slice(0, hashLength)
      if (!this.#known.includes(hash)) fresh.add(hash)
    }
    if (!fresh.size) return this.#streak.fail()
    this.#known = [...this.#known, ...fresh].slice(-mostResults)
    this.#streak.succeed()
    return false
  }
}
