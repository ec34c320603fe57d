import {
  type CostBound,
  type ModelPrices,
  type ModelProfile,
  type TokenCounts,
  type TokenUsage,
  toUsage,
  usageCostOf,
  zeroCounts,
} from '@modelport/core'

/**
 * Why a vendor's cache no longer had what it had: the first part of the prompt that changed
 * (`tools`, `system`, `history`), another `model`, an `option` that changes how the vendor reads
 * the prompt, or `time`: nothing changed, so the vendor dropped it.
 */
export type CacheBreakCause = 'tools' | 'system' | 'history' | 'model' | 'option' | 'time'

/** The usage and the cost of one model call. */
export interface CallMetrics {
  /** Name of its provider. */
  readonly provider: string
  /** The model that replied. */
  readonly model: string
  /** From before the request to the end of its reply, in milliseconds. */
  readonly latencyMs: number
  /** The tokens it took. */
  readonly usage: UsageMetrics
  /** Unset when the profile has no `contextWindow`. */
  readonly context?: ContextMetrics
  /** Unset when the profile has no prices. */
  readonly cost?: CostMetrics
  /** Why the vendor's cache had less of its prompt than before. Unset: it had not. */
  readonly cacheBreak?: CacheBreakCause
  /** `summary`: the call made a summary for a compaction. Unset: it asked for a reply. */
  readonly kind?: 'summary'
  /** True if a process before this one made the call: its reply came from the journal. */
  readonly recorded?: true
  /** Why a request brought no reply: the code of its error, or `cancelled`. Unset for a reply. */
  readonly error?: string
}

/** Tokens of one call, and who counted them. */
export interface UsageMetrics {
  /** Tokens of the prompt. */
  readonly inputTokens: number
  /** Generated tokens. */
  readonly outputTokens: number
  /** Both together. */
  readonly totalTokens: number
  /** Part of `inputTokens` that a cache had. Unset: none, or not known. */
  readonly cacheReadTokens?: number
  /** True when any of it is an estimate. */
  readonly estimated: boolean
  /** `provider` counted both, `estimate` both are estimates, `provider+estimate` one each. */
  readonly source: 'provider' | 'estimate' | 'provider+estimate'
}

/** How full the context window was. */
export interface ContextMetrics {
  /** Tokens of the prompt. */
  readonly usedTokens: number
  /** The model's window. */
  readonly windowTokens: number
  /** Percent with three decimals. */
  readonly usedPercent: number
  /** Tokens left, never below 0. */
  readonly availableTokens: number
}

/** What one call cost, with eight decimals. */
export interface CostMetrics {
  /** Cost of the prompt. */
  readonly inputCost: number
  /** Cost of what was generated. */
  readonly outputCost: number
  /** Cost of both. */
  readonly totalCost: number
  /** Currency of the three costs. */
  readonly currency: string
  /** True when any of the tokens is an estimate. */
  readonly estimated: boolean
  /**
   * `at-most`: the price of tokens that a cache had is not known, and they count as input. `about`:
   * so do tokens that were written to a cache, for which a vendor may charge more. Unset: every
   * price is known.
   */
  readonly bound?: CostBound
}

/** The input of {@link measureCall}. */
export interface CallMeasurement {
  readonly provider: string
  readonly model: string
  /** From before the request to the end of its reply, in milliseconds. */
  readonly latencyMs: number
  /** As the provider gave it; counts of 0 without `reported` are not known. */
  readonly usage?: TokenUsage | undefined
  /** Stands in for counts that were not reported. */
  readonly estimated: { readonly inputTokens: number; readonly outputTokens: number }
  /**
   * What the application knows of the model: without it there is no cost and no share of the
   * window.
   */
  readonly profile?: ModelProfile | undefined
}

/**
 * The metrics of a call: the provider's counts where it gave them, else estimates, never both added
 * up.
 */
export function measureCall(call: CallMeasurement): CallMetrics {
  const { provider, model, profile } = call
  const usage = measureUsage(call)
  const window = profile?.contextWindow
  const cost = profile?.prices && callCost(countsOf(call, usage), profile.prices)
  return {
    provider,
    model,
    latencyMs: round(call.latencyMs, 2),
    usage,
    ...(window && { context: contextUse(usage.inputTokens, window) }),
    ...(cost && { cost: { ...cost, estimated: usage.estimated } }),
  }
}

/** How full a window is. */
export const contextUse = (usedTokens: number, windowTokens: number): ContextMetrics => ({
  usedTokens,
  windowTokens,
  usedPercent: round((usedTokens / windowTokens) * 100, 3),
  availableTokens: Math.max(windowTokens - usedTokens, 0),
})

/** What the usage of one call cost, with eight decimals. */
function callCost(usage: TokenUsage, prices: ModelPrices): Omit<CostMetrics, 'estimated'> {
  const { input, output, total, currency, bound } = usageCostOf(usage, prices)
  return {
    inputCost: round(input, 8),
    outputCost: round(output, 8),
    totalCost: round(total, 8),
    currency,
    ...(bound && { bound }),
  }
}

/** The counts that are paid for: those of the server, with estimates for what it left out. */
export function countsOf(
  { usage }: Pick<CallMeasurement, 'usage'>,
  { inputTokens, outputTokens, source }: UsageMetrics,
): TokenUsage {
  if (usage && source === 'provider') return usage
  const { turns: _, ...reported } = usage ?? toUsage([])
  const counts: TokenCounts = { ...zeroCounts, ...reported, inputTokens, outputTokens }
  return toUsage([counts], reported.toolDefinitionTokens, false)
}

/** The provider's counts where it gave them, else estimates. */
export function measureUsage({
  usage,
  estimated,
}: Pick<CallMeasurement, 'usage' | 'estimated'>): UsageMetrics {
  const input = usage?.inputTokens ?? 0
  const output = usage?.outputTokens ?? 0
  // A server that reports only one count leaves a 0 that cannot be right for the other.
  const known = {
    input: input > 0 || estimated.inputTokens === 0,
    output: output > 0 || (usage?.reported ?? false),
  }
  const inputTokens = known.input ? input : estimated.inputTokens
  const outputTokens = known.output ? output : estimated.outputTokens
  const source =
    known.input && known.output
      ? 'provider'
      : known.input || known.output
        ? 'provider+estimate'
        : 'estimate'
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    ...(usage?.cacheReadTokens && { cacheReadTokens: usage.cacheReadTokens }),
    estimated: source !== 'provider',
    source,
  }
}

/** Rounded to so many decimals. */
export function round(value: number, digits: number): number {
  const scale = 10 ** digits
  return Math.round((value + Number.EPSILON) * scale) / scale
}
