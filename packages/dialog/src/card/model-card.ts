import {
  type CallOptions,
  LlmError,
  type ModelProfile,
  type TokenUsage,
  usageCostOf,
} from '@modelport/core'

/** Facts about a model, for checks before a call and for its price. Unset means not known. */
export interface ModelCard extends ModelProfile {
  /** Maximum tokens of one reply. */
  readonly maxOutputTokens?: number
  /** Dated versions of the model by which it can be called too. */
  readonly snapshots?: readonly string[]
  /** Vendor tools and abilities, for example `web-search` or `computer-use`. */
  readonly features?: readonly string[]
  /** Kinds of content that the model takes: `text`, `image`, `audio`, `file`. */
  readonly modalities?: readonly string[]
  /** True for a model that thinks before it replies. */
  readonly isReasoning?: boolean
  /** Where the model is served, for the application. */
  readonly baseUrl?: string
}

/** What a call asks of a model. */
export interface CardRequest {
  /** The model that is called. */
  readonly model: string
  /** Options of the call. */
  readonly options: CallOptions
  /** Estimated tokens of the prompt. */
  readonly inputTokens: number
  /** Kinds of content in the dialog. */
  readonly modalities: readonly string[]
}

/**
 * Checks a call against a card before anything is sent. Lists everything that does not fit at once.
 * @throws {LlmError} `invalid-request` — names the limit, what is asked for and what the card
 * allows.
 */
export function checkCard(
  card: ModelCard,
  { model, options, inputTokens, modalities }: CardRequest,
): void {
  const { maxOutputTokens, contextWindow } = card
  const problems: string[] = []
  if (card.model !== undefined && card.model !== model && !card.snapshots?.includes(model))
    problems.push(
      `the card is of "${card.model}"; add "${model}" to its snapshots, or use the card of that model`,
    )
  if (maxOutputTokens !== undefined && (options.maxTokens ?? 0) > maxOutputTokens)
    problems.push(`maxTokens is ${options.maxTokens}, the model's limit is ${maxOutputTokens}`)
  if (contextWindow !== undefined && inputTokens > contextWindow)
    problems.push(
      `the prompt has about ${inputTokens} tokens, the context window ${contextWindow}; shorten it or use compaction`,
    )
  const missing = card.modalities && modalities.filter((one) => !card.modalities?.includes(one))
  if (missing?.length)
    problems.push(`the dialog has ${missing.join(', ')}, which the model does not take`)
  if (problems.length)
    throw new LlmError('invalid-request', `model "${model}": ${problems.join('; ')}`)
}

/** The cost of a usage by a card; undefined if it has no prices. */
export const cardCost = (usage: TokenUsage, { prices }: ModelCard): number | undefined =>
  prices && usageCostOf(usage, prices).total
