import type { TokenCounts, TokenUsage } from './usage.js'

/** Prices of tokens: money for a million of them. */
export interface TokenPrices {
  /** Tokens of the prompt that no cache had. */
  readonly input: number
  /** Generated tokens, reasoning included. */
  readonly output: number
  /** Tokens of the prompt that were read from a cache. Unset: not known. */
  readonly cacheRead?: number | undefined
  /** Tokens of the prompt that were written to a cache. Unset: not known. */
  readonly cacheWrite?: number | undefined
  /** Tokens that were written to a cache for an hour. Unset: the price of `cacheWrite`. */
  readonly cacheWriteHour?: number | undefined
}

/** The prices of a whole call whose prompt is longer than so many tokens. */
export interface PriceTier extends TokenPrices {
  /** Calls with more tokens in the prompt, cached ones included, have these prices. */
  readonly above: number
}

/** What a model costs, as plain JSON: it fits a file and a stored run. */
export interface ModelPrices extends TokenPrices {
  /** Currency of every price. Default `USD`. */
  readonly currency?: string | undefined
  /** Other prices for long prompts, in any order. */
  readonly tiers?: readonly PriceTier[] | undefined
}

/**
 * How a cost relates to what the vendor charges, where a price is not known. `at-most`: tokens that
 * a cache had are counted at the price of input. `about`: so are tokens that were written to a
 * cache, for which a vendor may charge more.
 */
export type CostBound = 'at-most' | 'about'

/** What tokens cost. */
export interface Cost {
  /** The prompt. */
  readonly input: number
  /** What was generated. */
  readonly output: number
  /** Both. */
  readonly total: number
  /** Currency of the three. */
  readonly currency: string
  /** Unset: every price is known. */
  readonly bound?: CostBound
}

const million = 1e6

/**
 * What a usage costs: each of its turns by the prices of its own length. All that shows or limits
 * money calls this or {@link mostCostOf}.
 */
export function usageCostOf(usage: TokenCounts | TokenUsage, prices: ModelPrices): Cost {
  const turns = 'turns' in usage && usage.turns.length ? usage.turns : [usage]
  let input = 0
  let output = 0
  let bound: CostBound | undefined
  for (const turn of turns) {
    const tier = tierOf(turn.inputTokens, prices)
    input += inputCostOf(turn, tier)
    output += turn.outputTokens * tier.output
    bound = widerBound(bound, boundOf(turn, tier))
  }
  const { currency = 'USD' } = prices
  return {
    input: input / million,
    output: output / million,
    // Divided once: sums of fractions have more noise.
    total: (input + output) / million,
    currency,
    ...(bound && { bound }),
  }
}

/**
 * The most that a call with so many tokens costs, whatever of its prompt is read from a cache or
 * written to one.
 */
export function mostCostOf(
  { inputTokens, outputTokens }: Pick<TokenCounts, 'inputTokens' | 'outputTokens'>,
  prices: ModelPrices,
): number {
  const reached = (prices.tiers ?? []).filter(({ above }) => inputTokens > above)
  const costs = [prices, ...reached].map((tier) => {
    const { input, cacheRead = 0, cacheWrite = 0, cacheWriteHour = 0 } = tier
    const dearest = Math.max(input, cacheRead, cacheWrite, cacheWriteHour)
    return (inputTokens * dearest + outputTokens * tier.output) / million
  })
  return Math.max(...costs)
}

/** The bound of a sum of two costs, from theirs. Undefined: every price is known. */
export const widerBound = (
  a: CostBound | undefined,
  b: CostBound | undefined,
): CostBound | undefined => (a === 'about' || b === 'about' ? 'about' : (a ?? b))

/** The prices of a prompt of this length. */
function tierOf(inputTokens: number, prices: ModelPrices): TokenPrices {
  let tier: TokenPrices = prices
  let from = -1
  for (const one of prices.tiers ?? []) {
    if (inputTokens <= one.above || one.above <= from) continue
    tier = one
    from = one.above
  }
  return tier
}

/** The cost of a prompt, in millionths. */
function inputCostOf(turn: TokenCounts, tier: TokenPrices): number {
  const { input, cacheRead = input, cacheWrite = input, cacheWriteHour = cacheWrite } = tier
  const { inputTokens, cacheReadTokens: read, cacheCreationTokens: written } = turn
  const writtenHour = hourOf(turn)
  const fresh = Math.max(0, inputTokens - read - written)
  return (
    fresh * input +
    read * cacheRead +
    (written - writtenHour) * cacheWrite +
    writtenHour * cacheWriteHour
  )
}

/** The tokens that were written to a cache for an hour. */
const hourOf = ({ cacheCreationTokens, cacheCreationByLifetime }: TokenCounts): number =>
  Math.min(cacheCreationTokens, cacheCreationByLifetime?.['1h'] ?? 0)

function boundOf(turn: TokenCounts, tier: TokenPrices): CostBound | undefined {
  const writtenHour = hourOf(turn)
  const writtenShort = turn.cacheCreationTokens - writtenHour
  const isAbout =
    (writtenShort > 0 && tier.cacheWrite === undefined) ||
    (writtenHour > 0 && tier.cacheWriteHour === undefined)
  if (isAbout) return 'about'
  return turn.cacheReadTokens > 0 && tier.cacheRead === undefined ? 'at-most' : undefined
}
