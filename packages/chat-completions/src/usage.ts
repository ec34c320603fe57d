import type { TokenCounts } from '@modelport/core'
import type { WireUsage } from './wire.js'

/** Where vendors write a count: a field, or a field of the details; the first number counts. */
const places: Readonly<Record<keyof TokenCounts, readonly string[]>> = {
  inputTokens: ['prompt_tokens', 'input_tokens'],
  outputTokens: ['completion_tokens', 'output_tokens'],
  cacheReadTokens: [
    'prompt_tokens_details.cached_tokens', 'input_tokens_details.cached_tokens', 'cached_tokens', 'prompt_cache_hit_tokens',
    'num_cached_tokens', 'cache_read_input_tokens',
  ],
  cacheCreationTokens: [
    'prompt_tokens_details.cache_write_tokens', 'prompt_tokens_details.cache_creation_tokens',
    'prompt_tokens_details.cache_creation_input_tokens', 'cache_creation_input_tokens',
  ],
  reasoningTokens: ['completion_tokens_details.reasoning_tokens', 'output_tokens_details.reasoning_tokens', 'reasoning_tokens'],
}

/** The counts of a usage object; undefined when it has none. */
export function toCounts(usage: WireUsage | null | undefined): { readonly [Name in keyof TokenCounts]?: number } | undefined {
  if (typeof usage !== 'object' || usage === null) return undefined
  const at = (place: string): number | undefined => {
    const [outer = '', inner] = place.split('.')
    const value = inner === undefined ? usage[outer] : (usage[outer] as WireUsage | null | undefined)?.[inner]
    return typeof value === 'number' ? value : undefined
  }
  const found = Object.entries(places).flatMap(([name, where]) => {
    const value = where.map(at).find((count) => count !== undefined)
    return value === undefined ? [] : [[name, value] as const]
  })
  if (!found.length) return undefined
  const counts: { readonly [Name in keyof TokenCounts]?: number } = Object.fromEntries(found)
  const { inputTokens, outputTokens, reasoningTokens } = counts
  if (inputTokens === undefined || outputTokens === undefined || !reasoningTokens) return counts
  // Some vendors count reasoning beside the output; only the total tells.
  const beside = at('total_tokens') === inputTokens + outputTokens + reasoningTokens
  return beside ? { ...counts, outputTokens: outputTokens + reasoningTokens } : counts
}
