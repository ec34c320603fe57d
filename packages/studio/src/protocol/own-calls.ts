import {
  type CostBound,
  type TokenCounts,
  type TokenUsage,
  toUsage,
  widerBound,
  zeroCounts,
} from '@modelport/core'

/** A call of a model, as a run reports it. */
export interface CountedCall {
  readonly usage: Partial<TokenCounts> & { readonly estimated?: boolean }
  readonly cost?: {
    readonly totalCost: number
    readonly currency?: string
    readonly bound?: CostBound
  }
}

/**
 * What a run spent itself: without the runs in it, and without what it spent in another process.
 */
export interface OwnSpending {
  readonly usage?: TokenUsage
  readonly cost?: number
  readonly currency?: string
  /** Unset: every price is known. */
  readonly costBound?: CostBound
}

/**
 * The sum of the calls that a run made itself. Every call of a model belongs to one run, so that
 * the sum over runs counts each once.
 */
export function sumOfCalls(calls: readonly CountedCall[]): OwnSpending {
  if (calls.length === 0) return {}
  const turns = calls.map(({ usage }): TokenCounts => ({ ...zeroCounts, ...usage }))
  const isReported = calls.every(({ usage }) => usage.estimated !== true)
  const costs = calls.flatMap(({ cost }) => cost ?? [])
  const currency = costs[0]?.currency
  const costBound = costs.map(({ bound }) => bound).reduce(widerBound, undefined)
  return {
    usage: toUsage(turns, 0, isReported),
    ...(costs.length > 0 && { cost: costs.reduce((sum, { totalCost }) => sum + totalCost, 0) }),
    ...(currency !== undefined && { currency }),
    ...(costBound && { costBound }),
  }
}
