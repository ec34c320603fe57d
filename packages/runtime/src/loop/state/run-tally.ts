import {
  addUsage,
  type CostBound,
  mergeDetails,
  type ReplyDetails,
  type TokenUsage,
  toUsage,
  widerBound,
} from '@modelport/core'
import type { CallMetrics } from '../../budget/metrics.js'
import { CacheWatch } from '../../history/cache-watch.js'
import type { ContextManifest } from '../../history/manifest.js'
import type { RunCheckpoint, RunTotals } from '../../journal/checkpoint.js'

/** The counts of a run so far. */
export class RunTally {
  /** Requests to the model of this process. */
  readonly calls: CallMetrics[] = []
  usage: TokenUsage
  details: ReplyDetails = {}
  /** The content of the last request. */
  manifest: ContextManifest | undefined
  /** Finds out why a vendor's cache missed. */
  readonly cache: CacheWatch = new CacheWatch()
  /** Tool and agent calls that were executed. */
  executedActions: number
  /** Calls that failed or were refused. */
  failedActions: number
  readonly #startedAt = performance.now()
  /** Sums of the processes before this one. */
  readonly #before: RunTotals | undefined
  #cost: number | undefined
  #costBound: CostBound | undefined

  constructor(resume: RunCheckpoint | undefined) {
    this.#before = resume?.totals
    this.#cost = resume?.totals.cost
    this.#costBound = resume?.totals.costBound
    this.usage = resume?.usage ?? toUsage([])
    this.executedActions = resume?.totals.executedActions ?? 0
    this.failedActions = resume?.totals.failedActions ?? 0
  }

  /** Sums over the run, the processes before this one included. */
  get totals(): RunTotals {
    const { modelCalls = 0, latencyMs = 0 } = this.#before ?? {}
    const cost = this.#cost
    const costBound = this.#costBound
    return {
      modelCalls: modelCalls + this.calls.length,
      executedActions: this.executedActions,
      failedActions: this.failedActions,
      latencyMs: latencyMs + performance.now() - this.#startedAt,
      ...(cost !== undefined && { cost }),
      ...(costBound && { costBound }),
    }
  }

  addReply(metrics: CallMetrics, usage: TokenUsage, details: ReplyDetails = {}): void {
    this.#addCall(metrics)
    this.usage = addUsage(this.usage, usage.turns.length ? usage : toUsage([]))
    this.addDetails(details)
  }

  /** Counts a request that failed; `partial` is its known or estimated usage. */
  addFailure(metrics: CallMetrics, partial: TokenUsage | undefined): void {
    this.#addCall(metrics)
    if (partial) this.usage = addUsage(this.usage, partial)
  }

  #addCall(metrics: CallMetrics): void {
    this.calls.push(metrics)
    if (!metrics.cost) return
    this.#cost = (this.#cost ?? 0) + metrics.cost.totalCost
    this.#costBound = widerBound(this.#costBound, metrics.cost.bound)
  }

  /** Keeps what a reply had besides its text, also if it broke off. */
  addDetails(details: ReplyDetails): void {
    this.details = mergeDetails(this.details, details)
  }

  /** Adds a warning to the details, once. */
  warn(warning: string): void {
    const { warnings = [] } = this.details
    if (!warnings.includes(warning))
      this.details = { ...this.details, warnings: [...warnings, warning] }
  }

  /** Counts a tool or agent call. */
  addAction(isExecuted: boolean, isFailure: boolean): void {
    if (isExecuted) this.executedActions++
    if (isFailure) this.failedActions++
  }
}
