import type { ModelProfile, TokenUsage } from '@modelport/core'

/** What a reply cost, as far as the configuration knows prices. */
export interface Cost {
  readonly amount: number
  readonly currency: string
}

/** The price of these tokens; undefined where the profile has no prices. */
export function costOf(
  usage: TokenUsage,
  { inputCostPerMillion, outputCostPerMillion, currency = 'USD' }: ModelProfile = {},
): Cost | undefined {
  if (inputCostPerMillion === undefined || outputCostPerMillion === undefined) return undefined
  return {
    amount:
      (usage.inputTokens * inputCostPerMillion + usage.outputTokens * outputCostPerMillion) /
      1_000_000,
    currency,
  }
}

/**
 * For example `12 in · 5 out · 0.0003 USD`. Counts that the server did not give are not shown as
 * zero.
 */
export function formatUsage(usage: TokenUsage, profile?: ModelProfile): string {
  if (!usage.reported) return 'tokens not reported'
  const { inputTokens, outputTokens, cacheReadTokens, reasoningTokens } = usage
  const cost = costOf(usage, profile)
  const parts = [
    `${inputTokens} in${cacheReadTokens ? ` (${cacheReadTokens} cached)` : ''}`,
    `${outputTokens} out${reasoningTokens ? ` (${reasoningTokens} reasoning)` : ''}`,
    ...(cost ? [`${formatAmount(cost.amount)} ${cost.currency}`] : []),
  ]
  return parts.join(' · ')
}

/** Two digits that mean something, and never `1e-7`. */
const formatAmount = (amount: number): string =>
  amount >= 1 || amount === 0
    ? amount.toFixed(2)
    : amount.toFixed(Math.min(12, 1 - Math.floor(Math.log10(amount))))
