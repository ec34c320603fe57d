import type { ModelTokenCounts, NamedCounts, TokenCounts } from '@modelport/core'
import { countOf, listOf, stringOf } from '../base/wire-values.js'

/** How each field of the counts is read. The compiler asks for a line of each new field. */
const readers: {
  readonly [Name in keyof TokenCounts]-?: (value: unknown) => TokenCounts[Name] | undefined
} = {
  inputTokens: countOf,
  outputTokens: countOf,
  cacheReadTokens: countOf,
  cacheCreationTokens: countOf,
  reasoningTokens: countOf,
  unattributedTokens: countOf,
  cost: countOf,
  costParts: namedCounts,
  inputByModality: namedCounts,
  outputByModality: namedCounts,
  cacheCreationByLifetime: namedCounts,
  predictionTokens: namedCounts,
  providerToolCounts: namedCounts,
  otherModels: modelCounts,
}

/**
 * Checks what a decoder reports for a field of the counts: a server may send anything, and a
 * decoder may pass it on unread. Undefined if the value is not of the field's kind, or no such
 * field exists.
 */
export const readCount = (name: keyof TokenCounts, value: unknown): unknown =>
  Object.hasOwn(readers, name) ? readers[name](value) : undefined

/**
 * Returns the same object if all its values are counts, which is nearly always so. Some servers
 * send it with every chunk, and a copy of each would cost time.
 */
function namedCounts(value: unknown): NamedCounts | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const counts = value as Readonly<Record<string, unknown>>
  for (const name in counts) if (countOf(counts[name]) === undefined) return onlyCounts(counts)
  return counts as NamedCounts
}

const onlyCounts = (values: Readonly<Record<string, unknown>>): NamedCounts =>
  Object.fromEntries(
    Object.entries(values).filter(
      (entry): entry is [string, number] => countOf(entry[1]) !== undefined,
    ),
  )

/** The models that have a name; a count that is missing or is not a number is 0. */
function modelCounts(value: unknown): readonly ModelTokenCounts[] | undefined {
  if (!Array.isArray(value)) return undefined
  const models = listOf(value as readonly ModelTokenCounts[]).flatMap((row) => {
    const model = stringOf(row.model)
    if (model === undefined) return []
    return {
      model,
      inputTokens: countOf(row.inputTokens) ?? 0,
      outputTokens: countOf(row.outputTokens) ?? 0,
      cacheReadTokens: countOf(row.cacheReadTokens) ?? 0,
      cacheCreationTokens: countOf(row.cacheCreationTokens) ?? 0,
    }
  })
  return models.length ? models : undefined
}
