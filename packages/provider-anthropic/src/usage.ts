import { asText, type ModelTokenCounts, type NamedCounts } from '@modelport/core'
import type { Sink } from '@modelport/driver'
import type { WireIteration, WireUsage } from './wire.js'

type Field =
  | 'input_tokens'
  | 'output_tokens'
  | 'cache_read_input_tokens'
  | 'cache_creation_input_tokens'

const fields: readonly Field[] = [
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
]

/** Iterations that the top-level counts include already. */
const withinTop = new Set(['message', 'fallback_message'])

/**
 * The counts of one response: each report is cumulative, and a later value replaces an earlier one.
 * @see https://platform.claude.com/docs/en/build-with-claude/compaction-threshold (read
 * 2026-11-22): iterations
 */
export class UsageReport {
  readonly #counts = new Map<Field, number>()
  #thinking: number | undefined
  #more: readonly ModelTokenCounts[] = []

  /**
   * Takes a report and passes on what is known now. The API counts cached input apart; modelport
   * counts it as input.
   */
  take(usage: WireUsage | null | undefined, sink: Sink): void {
    if (!usage) return
    for (const field of fields) {
      const value = usage[field]
      if (typeof value === 'number') this.#counts.set(field, value)
    }
    const thinking: unknown = usage.output_tokens_details?.thinking_tokens
    if (typeof thinking === 'number') this.#thinking = thinking
    if (Array.isArray(usage.iterations)) this.#more = toFurther(usage.iterations)
    sink.details({
      serviceTier: typeof usage.service_tier === 'string' ? usage.service_tier : undefined,
    })
    if (!this.#counts.size) return
    const cacheReadTokens = this.#sum('cache_read_input_tokens', 'cacheReadTokens')
    const cacheCreationTokens = this.#sum('cache_creation_input_tokens', 'cacheCreationTokens')
    const fresh = this.#counts.get('input_tokens')
    const cached =
      (this.#counts.get('cache_read_input_tokens') ?? 0) +
      (this.#counts.get('cache_creation_input_tokens') ?? 0)
    const others = this.#more.filter(({ model }) => model)
    sink.usage({
      inputTokens: fresh === undefined ? undefined : fresh + cached + this.#add('inputTokens'),
      outputTokens: this.#sum('output_tokens', 'outputTokens'),
      cacheReadTokens,
      cacheCreationTokens,
      reasoningTokens: this.#thinking,
      cost: usage.pydantic_ai_gateway?.cost_estimate ?? undefined,
      cacheCreationByLifetime: positive({
        '5m': usage.cache_creation?.ephemeral_5m_input_tokens,
        '1h': usage.cache_creation?.ephemeral_1h_input_tokens,
      }),
      providerToolCounts: positive(usage.server_tool_use ?? {}),
      otherModels: others.length ? others : undefined,
    })
  }

  #sum(
    field: Field,
    name: 'outputTokens' | 'cacheReadTokens' | 'cacheCreationTokens',
  ): number | undefined {
    const count = this.#counts.get(field)
    const more = this.#add(name)
    return count === undefined && !more ? undefined : (count ?? 0) + more
  }

  #add(name: Exclude<keyof ModelTokenCounts, 'model'>): number {
    return this.#more.reduce((sum, entry) => sum + entry[name], 0)
  }
}

/**
 * Iterations that the top-level counts leave out: compactions, and consultations of another model,
 * which has its own price.
 */
function toFurther(iterations: readonly (WireIteration | null)[]): readonly ModelTokenCounts[] {
  return iterations.flatMap((entry) => {
    if (!entry || withinTop.has(entry.type ?? 'message')) return []
    const cacheReadTokens = toCount(entry.cache_read_input_tokens)
    const cacheCreationTokens = toCount(entry.cache_creation_input_tokens)
    return [
      {
        model: asText(entry.model),
        inputTokens: toCount(entry.input_tokens) + cacheReadTokens + cacheCreationTokens,
        outputTokens: toCount(entry.output_tokens),
        cacheReadTokens,
        cacheCreationTokens,
      },
    ]
  })
}

const toCount = (value: unknown): number => (typeof value === 'number' && value > 0 ? value : 0)

/** The counts above zero; undefined if there are none. */
function positive(counts: Readonly<Record<string, unknown>>): NamedCounts | undefined {
  const entries = Object.entries(counts).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number' && entry[1] > 0,
  )
  return entries.length ? Object.fromEntries(entries) : undefined
}
