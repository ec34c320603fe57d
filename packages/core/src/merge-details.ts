import type { ReplyDetails } from './reply-details.js'

const lists = ['logprobs', 'citations', 'providerToolCalls', 'warnings', 'safety', 'files'] as const
const singles = [
  'rawFinishReason',
  'responseId',
  'serviceTier',
  'upstream',
  'router',
  'fingerprint',
  'timings',
  'stopText',
  'averageLogprob',
  'container',
  'items',
] as const

/**
 * Merges the details of several turns: lists are appended, every other field is that of the last
 * turn.
 */
export function mergeDetails(...details: readonly ReplyDetails[]): ReplyDetails {
  const merged: Record<string, unknown> = {}
  const last = details.at(-1) ?? {}
  for (const name of singles) if (last[name] !== undefined) merged[name] = last[name]
  for (const name of lists)
    if (details.some((one) => one[name]?.length))
      merged[name] = details.flatMap((one): readonly unknown[] => one[name] ?? [])
  return merged
}
