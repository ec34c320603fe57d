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
 * What a decoder reports for a field of the counts; undefined for what is not of the field's kind,
 * and for other fields. A server may send anything, and a decoder may pass it on unread.
 */
export const readCount = (name: keyof TokenCounts, value: unknown): unknown =>
  Object.hasOwn(readers, name) ? readers[name](value) : undefined

/** The same object if all of it are counts, as it nearly always is: some servers send it often. */
function namedCounts(value: unknown): NamedCounts | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const named = value as Readonly<Record<string, unknown>>
  for (const name in named) if (countOf(named[name]) === undefined) return onlyCounts(named)
  return named as NamedCounts
}

const onlyCounts = (named: Readonly<Record<string, unknown>>): NamedCounts =>
  Object.fromEntries(
    Object.entries(named).filter(
      (entry): entry is [string, number] => countOf(entry[1]) !== undefined,
    ),
  )

/** The models that have a name. A count of theirs that is not one is 0, as one that is missing. */
function modelCounts(value: unknown): readonly ModelTokenCounts[] | undefined {
  if (!Array.isArray(value)) return undefined
  const counted = listOf(value as readonly ModelTokenCounts[]).flatMap((given) => {
    const model = stringOf(given.model)
    if (model === undefined) return []
    return {
      model,
      inputTokens: countOf(given.inputTokens) ?? 0,
      outputTokens: countOf(given.outputTokens) ?? 0,
      cacheReadTokens: countOf(given.cacheReadTokens) ?? 0,
      cacheCreationTokens: countOf(given.cacheCreationTokens) ?? 0,
    }
  })
  return counted.length ? counted : undefined
}
