import type { NamedCounts } from '@modelport/core'
import { listOf, type Sink, stringOf } from '@modelport/driver'
import type { WireModalityCount, WireUsage } from './wire.js'

/** The numbers of the modalities, for servers that write enums as they are stored. */
const modalities = ['unspecified', 'text', 'image', 'video', 'audio', 'document']
/** Nearly every chunk names one: a look-up costs less than `toLowerCase`. */
const modalityNames = new Map(modalities.map((name) => [name.toUpperCase(), name]))

/**
 * The counts of one response. Thoughts are counted next to the candidates, and what tools of the
 * server put into the prompt next to the prompt; modelport counts both inside.
 * @see https://ai.google.dev/api/generate-content#UsageMetadata (read 2026-11-22)
 */
export class UsageReport {
  readonly #sink: Pick<Sink, 'usage' | 'details' | 'warning'>
  readonly #usage: { -readonly [Name in keyof WireUsage]: WireUsage[Name] } = {}
  #unattributed = 0

  constructor(sink: Pick<Sink, 'usage' | 'details' | 'warning'>) {
    this.#sink = sink
  }

  /** Takes a chunk's counts: what a chunk leaves out, or has as null, stays as it was. */
  take(update: WireUsage): void {
    const usage = this.#usage
    // No entries and no copies: every chunk has counts.
    const fields: Record<string, unknown> = usage
    for (const name in update) {
      const value: unknown = update[name as keyof WireUsage]
      if (value === null || value === undefined) continue
      if (typeof value === 'number' || !name.endsWith('Count')) fields[name] = value
      // Protobuf writes large numbers as text.
      else if (typeof value === 'string' && /^\d{1,15}$/.test(value)) fields[name] = Number(value)
    }
    const tier = stringOf(usage.serviceTier) ?? stringOf(usage.trafficType)
    if (tier) this.#sink.details({ serviceTier: tier })
    const { promptTokenCount, candidatesTokenCount, thoughtsTokenCount } = usage
    const generated = candidatesTokenCount ?? thoughtsTokenCount
    if (promptTokenCount === undefined && generated === undefined) return
    const inputTokens =
      promptTokenCount === undefined
        ? undefined
        : promptTokenCount + (usage.toolUsePromptTokenCount ?? 0)
    const outputTokens =
      generated === undefined ? undefined : (candidatesTokenCount ?? 0) + (thoughtsTokenCount ?? 0)
    const before = this.#unattributed
    this.#unattributed = Math.max(
      0,
      (usage.totalTokenCount ?? 0) - (inputTokens ?? 0) - (outputTokens ?? 0),
    )
    this.#sink.usage({
      inputTokens,
      outputTokens,
      reasoningTokens: thoughtsTokenCount,
      cacheReadTokens: usage.cachedContentTokenCount,
      inputByModality: byModality(usage.promptTokensDetails, usage.toolUsePromptTokensDetails),
      outputByModality: byModality(usage.candidatesTokensDetails),
      cost: usage.pydantic_ai_gateway?.cost_estimate,
      unattributedTokens: this.#unattributed || (before ? 0 : undefined),
    })
  }

  /** The reply is over: warns of tokens that no part accounts for. */
  end(): void {
    if (this.#unattributed)
      this.#sink.warning(
        `the server's total has ${this.#unattributed} tokens that it counts neither as prompt nor as output`,
      )
  }
}

/** The sums by modality of one list, or of two; undefined if nothing is counted. */
function byModality(
  counts: readonly WireModalityCount[] | undefined,
  more?: readonly WireModalityCount[],
): NamedCounts | undefined {
  if (!counts && !more) return undefined
  const sums: Record<string, number> = {}
  let hasCounts = false
  for (const list of [counts, more]) {
    for (const { modality, tokenCount } of listOf(list)) {
      const name =
        typeof modality === 'number'
          ? modalities[modality]
          : (modalityNames.get(modality ?? '') ?? stringOf(modality)?.toLowerCase())
      if (!name || typeof tokenCount !== 'number' || !tokenCount) continue
      sums[name] = (sums[name] ?? 0) + tokenCount
      hasCounts = true
    }
  }
  return hasCounts ? sums : undefined
}
