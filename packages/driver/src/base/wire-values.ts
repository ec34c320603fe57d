/** The text where the wire has one, else undefined. */
export const stringOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value ? value : undefined

/**
 * A count of the wire; undefined for what is not one: texts, objects, negative and endless numbers.
 */
export const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined

/** A date of the wire in ISO 8601: text, or seconds since 1970. Undefined for what is neither. */
export const dateOf = (value: unknown): string | undefined =>
  typeof value === 'number' && Math.abs(value) < 1e11
    ? new Date(value * 1000).toISOString()
    : stringOf(value)

const none: readonly never[] = []
const isItem = (item: unknown): boolean => typeof item === 'object' && item !== null

/** The objects of a list from the wire; nothing where the wire has no list. */
export function listOf<Item extends object>(
  value: readonly Item[] | null | undefined,
): readonly Item[] {
  if (!Array.isArray(value)) return none
  const list = value as readonly Item[]
  return list.every(isItem) ? list : list.filter(isItem)
}
