import type { Sink } from '@modelport/driver'
import type { WireUsage } from './wire.js'

type Field = 'input_tokens' | 'output_tokens' | 'cache_read_input_tokens' | 'cache_creation_input_tokens'

/** The counts of one answer: each report is cumulative, and a later value replaces an earlier one. */
export class UsageReport {
  readonly #counts = new Map<Field, number>()
  #thinking: number | undefined

  /** Takes a report and passes on what is known now. The API counts cached input apart; ours has it within. */
  take(usage: WireUsage | null | undefined, sink: Sink): void {
    if (!usage) return
    for (const field of [
      'input_tokens',
      'output_tokens',
      'cache_read_input_tokens',
      'cache_creation_input_tokens',
    ] as const) {
      const value = usage[field]
      if (typeof value === 'number') this.#counts.set(field, value)
    }
    const thinking: unknown = usage.output_tokens_details?.thinking_tokens
    if (typeof thinking === 'number') this.#thinking = thinking
    if (!this.#counts.size) return
    const cacheReadTokens = this.#counts.get('cache_read_input_tokens')
    const cacheCreationTokens = this.#counts.get('cache_creation_input_tokens')
    const fresh = this.#counts.get('input_tokens')
    sink.usage({
      inputTokens: fresh === undefined ? undefined : fresh + (cacheReadTokens ?? 0) + (cacheCreationTokens ?? 0),
      outputTokens: this.#counts.get('output_tokens'),
      cacheReadTokens,
      cacheCreationTokens,
      reasoningTokens: this.#thinking,
    })
  }
}
