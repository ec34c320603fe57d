import { longestTimer } from '@modelport/core'
import { untilAborted } from '../../base/until-aborted.js'
import { type BudgetLedger, openRunLedger, remainingMsOf } from '../../budget/budget.js'
import { type BudgetSnapshot, laterSnapshot } from '../../budget/budget-snapshot.js'
import type { RunEventEmitter } from '../../events/run-event-emitter.js'
import type { RunRequest } from '../request/open-request.js'
import { spentBy } from './resume.js'
import { RunTally } from './run-tally.js'

/** What a run has used, and what it may still use: of its budget, and of its time. */
export class RunMeter {
  readonly tally: RunTally
  readonly #request: RunRequest
  readonly #events: RunEventEmitter
  #ledger: BudgetLedger

  constructor(request: RunRequest, events: RunEventEmitter) {
    this.#request = request
    this.#events = events
    const { resume } = request.durable
    this.tally = new RunTally(resume)
    this.#ledger = this.#open(resume && spentBy(resume, resume.entries))
  }

  get ledger(): BudgetLedger {
    return this.#ledger
  }

  /** Begins again from what was spent when something was recorded. */
  restore(spent: BudgetSnapshot): void {
    this.#ledger = this.#open(spent)
  }

  /** Takes what was spent elsewhere as far as it is later than what is known here. */
  advance(snapshots: readonly BudgetSnapshot[]): void {
    this.restore(snapshots.reduce(laterSnapshot, this.#ledger.snapshot()))
  }

  warn(warning: string): void {
    this.tally.warn(warning)
  }

  /**
   * Waits for the application's own code, and no longer than until the run is cancelled or its time
   * is over.
   */
  async wait<T>(value: T | PromiseLike<T>): Promise<T> {
    const { signal } = this.#request
    const runtimeMs = remainingMsOf(this.#ledger)
    if (runtimeMs === Infinity) return untilAborted(value, signal)
    let timer: ReturnType<typeof setTimeout> | undefined
    const over = new Promise<never>((_, reject) => {
      const check = (): void => {
        try {
          this.#ledger.checkTime()
        } catch (error) {
          reject(error)
        }
      }
      // One more: a timer may be early, and the budget must then find the time over.
      timer = setTimeout(check, Math.min(Math.ceil(runtimeMs) + 1, longestTimer))
    })
    try {
      return await untilAborted(Promise.race([value, over]), signal)
    } finally {
      clearTimeout(timer)
    }
  }

  #open(restored: BudgetSnapshot | undefined): BudgetLedger {
    const { budget, runId } = this.#request
    return openRunLedger(budget, runId, {
      onDecision: (decision) => {
        this.#events.emit({ type: 'budget-decision', decision })
      },
      restored,
    })
  }
}
