import { type CostBound, type ModelProfile, type TokenUsage, usageCostOf } from '@modelport/core'

/** What a reply cost, as far as the configuration knows prices. */
export interface Cost {
  readonly amount: number
  readonly currency: string
  /** How the amount relates to what the vendor charges, if a price of the cache is not known. */
  readonly bound?: CostBound
}

/** The price of these tokens; undefined if the profile has no prices. */
export function costOf(usage: TokenUsage, { prices }: ModelProfile = {}): Cost | undefined {
  if (!prices) return undefined
  const { total, currency, bound } = usageCostOf(usage, prices)
  return { amount: total, currency, ...(bound && { bound }) }
}

const bounds: Readonly<Record<CostBound, string>> = { 'at-most': 'at most ', about: 'about ' }

/**
 * For example `12 in · 5 out · 0.0003 USD`, or `at most 0.0003 USD` if a cached token has no price.
 * Counts that the server did not give are not shown as zero.
 */
export function formatUsage(usage: TokenUsage, profile?: ModelProfile): string {
  if (!usage.reported) return 'tokens not reported'
  const { inputTokens, outputTokens, cacheReadTokens, reasoningTokens } = usage
  const cost = costOf(usage, profile)
  const parts = [
    `${inputTokens} in${cacheReadTokens ? ` (${cacheReadTokens} cached)` : ''}`,
    `${outputTokens} out${reasoningTokens ? ` (${reasoningTokens} reasoning)` : ''}`,
    ...(cost
      ? [`${cost.bound ? bounds[cost.bound] : ''}${formatAmount(cost.amount)} ${cost.currency}`]
      : []),
  ]
  return parts.join(' · ')
}

/** Two digits that mean something, and never `1e-7`. */
const formatAmount = (amount: number): string =>
  amount >= 1 || amount === 0
    ? amount.toFixed(2)
    : amount.toFixed(Math.min(12, 1 - Math.floor(Math.log10(amount))))
