import { jsonHash } from '../../base/json-hash.js'
import { StreakGuard } from './streak-guard.js'

/** Maximum results that are remembered; the oldest goes first. */
const mostResults = 100
/** Characters of a hash that are kept. */
const hashLength = 16
/** A longer text is remembered as its hash at once, so that it can be freed. */
const mostKept = 1000

/** The outcome of one call. */
export interface StepResult {
  readonly from: string
  readonly text: string
}

/** A result as a checkpoint stores it. A hash stays as it is. */
export function hashResult(result: string | StepResult): string {
  if (typeof result === 'string') return result
  const known = hashes.get(result)
  if (known !== undefined) return known
  const hash = jsonHash([result.from, result.text]).slice(0, hashLength)
  hashes.set(result, hash)
  return hash
}

const hashes = new WeakMap<StepResult, string>()

/**
 * Notices that a run goes in circles: steps in which no call succeeds, or only with results that
 * are known.
 */
export class ProgressGuard {
  readonly #streak: StreakGuard
  /** Results, or hashes of results: long ones, and those restored after a resume. */
  #known: readonly (string | StepResult)[]

  /**
   * @param most how many such steps in a row end the run; the rest restores the guard after a
   * resume
   */
  constructor(most: number, idleSteps = 0, known: readonly string[] = []) {
    this.#streak = new StreakGuard(most, idleSteps)
    this.#known = known
  }

  /** How many such steps there are in a row. */
  get idleSteps(): number {
    return this.#streak.count
  }

  /** The results that are known, oldest first; see {@link hashResult}. */
  get known(): readonly (string | StepResult)[] {
    return this.#known
  }

  /**
   * Takes the successful results of a step, each with what gave it. True when the run gets nowhere.
   * The same text from another tool is new.
   */
  step(results: readonly StepResult[]): boolean {
    const fresh: StepResult[] = []
    for (const result of results)
      if (!includes(this.#known, result) && !includes(fresh, result)) fresh.push(result)
    if (!fresh.length) return this.#streak.fail()
    const kept = fresh.map((result) =>
      result.text.length > mostKept ? hashResult(result) : result,
    )
    this.#known = [...this.#known, ...kept].slice(-mostResults)
    this.#streak.succeed()
    return false
  }
}

const includes = (known: readonly (string | StepResult)[], result: StepResult): boolean =>
  known.some((one) =>
    typeof one === 'string'
      ? one === hashResult(result)
      : one.from === result.from && one.text === result.text,
  )
