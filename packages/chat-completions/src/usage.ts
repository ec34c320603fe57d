import { asText, type ModelTokenCounts, type NamedCounts, type TokenCounts } from '@modelport/core'
import { defined } from '@modelport/driver'
import { asItems, asObject } from './wire.js'

type CountName =
  | 'inputTokens'
  | 'outputTokens'
  | 'cacheReadTokens'
  | 'cacheCreationTokens'
  | 'reasoningTokens'
type WritableCounts = { -readonly [Name in keyof TokenCounts]?: TokenCounts[Name] }

/** Counts that a server reports next to the sum they belong to, instead of inside it. */
export type CountedSeparately = 'reasoning' | 'audio'

/* @__NO_SIDE_EFFECTS__ */
const toPaths = (fields: string): readonly (readonly string[])[] =>
  fields.split(' ').map((field) => field.split('.'))

/** Where vendors write each count: a field, or a field of details; the first number counts. */
const places: readonly (readonly [name: CountName, where: readonly (readonly string[])[]])[] = [
  ['inputTokens', toPaths('prompt_tokens input_tokens prompt_token_count prompt_eval_count')],
  ['outputTokens', toPaths('completion_tokens output_tokens candidates_token_count eval_count')],
  [
    'cacheReadTokens',
    toPaths(
      'prompt_tokens_details.cached_tokens input_tokens_details.cached_tokens cached_tokens prompt_cache_hit_tokens num_cached_tokens cache_read_input_tokens',
    ),
  ],
  [
    'cacheCreationTokens',
    toPaths(
      'prompt_tokens_details.cache_write_tokens input_tokens_details.cache_write_tokens prompt_tokens_details.cache_creation_tokens prompt_tokens_details.cache_creation_input_tokens cache_creation_input_tokens',
    ),
  ],
  [
    'reasoningTokens',
    toPaths(
      'completion_tokens_details.reasoning_tokens output_tokens_details.reasoning_tokens reasoning_tokens',
    ),
  ],
]

const modalities = ['text', 'image', 'audio', 'video'] as const
const toolCounters = [
  'server_tool_use',
  'server_tool_use_details',
  'server_side_tool_usage_details',
] as const
const toolCounts = ['num_sources_used', 'num_search_queries', 'num_server_side_tools_used'] as const

/**
 * The counts of a usage object of Chat Completions or Responses; undefined if it has none.
 * `countedSeparately` lists what must be added to the sums.
 */
export function toCounts(
  value: unknown,
  countedSeparately: readonly CountedSeparately[] = [],
): Partial<TokenCounts> | undefined {
  if (!value) return undefined
  const usage = asObject(value)
  const counts: WritableCounts = {}
  for (const [name, where] of places) {
    for (const path of where) {
      const count = path.reduce<unknown>((outer, field) => asObject(outer)[field], usage)
      if (typeof count !== 'number') continue
      counts[name] = count
      break
    }
  }
  if (!Object.keys(counts).length) return undefined
  addSeparate(counts, usage, countedSeparately)
  const inputByModality = byModality(
    usage['prompt_tokens_details'] ?? usage['input_tokens_details'],
  )
  const outputByModality = byModality(
    usage['completion_tokens_details'] ?? usage['output_tokens_details'],
  )
  const { accepted_prediction_tokens: accepted, rejected_prediction_tokens: rejected } = asObject(
    usage['completion_tokens_details'],
  )
  const predictionTokens = positive(Object.entries({ accepted, rejected }))
  const providerToolCounts = toToolCounts(usage)
  const cost = toCost(usage)
  const costParts = toCostParts(usage)
  return {
    ...counts,
    ...defined({
      cost,
      costParts,
      inputByModality,
      outputByModality,
      predictionTokens,
      providerToolCounts,
    }),
  }
}

/**
 * The server's total confirms what is counted next to the sums; a gateway whose total leaves it out
 * is listed in `countedSeparately`.
 */
function addSeparate(
  counts: WritableCounts,
  usage: Partial<Record<string, unknown>>,
  countedSeparately: readonly CountedSeparately[],
): void {
  const { inputTokens = 0, outputTokens = 0, reasoningTokens = 0 } = counts
  const audio = asNumber(asObject(usage['prompt_tokens_details'])['audio_tokens']) ?? 0
  const total = usage['total_tokens']
  const spare = typeof total === 'number' ? total - inputTokens - outputTokens : undefined
  if (reasoningTokens > 0 && (spare === reasoningTokens || countedSeparately.includes('reasoning')))
    counts.outputTokens = outputTokens + reasoningTokens
  if (audio > 0 && (spare === audio || countedSeparately.includes('audio')) && spare !== 0)
    counts.inputTokens = inputTokens + audio
  const sum = (counts.inputTokens ?? 0) + (counts.outputTokens ?? 0)
  if (typeof total === 'number' && total > sum) counts.unattributedTokens = total - sum
}

const asNumber = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined

/** The counts above zero, by name; undefined if there are none. */
function positive(
  entries: readonly (readonly [name: string, count: unknown])[],
): NamedCounts | undefined {
  const counts = entries.filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number' && entry[1] > 0,
  )
  return counts.length ? Object.fromEntries(counts) : undefined
}

const byModality = (details: unknown): NamedCounts | undefined =>
  details === undefined
    ? undefined
    : positive(modalities.map((name) => [name, asObject(details)[`${name}_tokens`]] as const))

function toToolCounts(usage: Partial<Record<string, unknown>>): NamedCounts | undefined {
  const counts: (readonly [name: string, count: unknown])[] = []
  for (const field of toolCounters)
    if (usage[field]) counts.push(...Object.entries(asObject(usage[field])))
  for (const field of toolCounts) if (usage[field] !== undefined) counts.push([field, usage[field]])
  return positive(counts)
}

/**
 * US dollars: OpenRouter and the Vercel gateway write a number, Perplexity an object, xAI ticks of
 * 10⁻¹⁰ dollars.
 */
function toCost(usage: Partial<Record<string, unknown>>): number | undefined {
  const { cost, cost_in_usd_ticks: ticks } = usage
  const estimate =
    asObject(usage['pydantic_ai_gateway'])['cost_estimate'] ?? usage['estimated_cost']
  const reported = asNumber(cost) ?? asNumber(asObject(cost)['total_cost'])
  if (reported !== undefined) return reported
  return typeof ticks === 'number' ? ticks / 1e10 : asNumber(estimate)
}

/**
 * OpenRouter splits the cost in `cost_details`, Perplexity in the object; the Vercel gateway adds
 * the price of the market.
 */
function toCostParts({
  cost,
  cost_details,
  market_cost,
}: Partial<Record<string, unknown>>): NamedCounts | undefined {
  if (cost === undefined && cost_details === undefined && market_cost === undefined)
    return undefined
  const { total_cost: _, ...parts } = asObject<Record<string, unknown>>(cost)
  return positive(Object.entries({ ...parts, ...asObject(cost_details), market_cost }))
}

/** What each model of a compound system used (`usage_breakdown`). */
export function toOtherModels(breakdown: unknown): readonly ModelTokenCounts[] {
  return asItems(asObject(breakdown)['models']).map(({ model, usage }) => {
    const {
      inputTokens = 0,
      outputTokens = 0,
      cacheReadTokens = 0,
      cacheCreationTokens = 0,
    } = toCounts(usage) ?? {}
    return { model: asText(model), inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens }
  })
}
