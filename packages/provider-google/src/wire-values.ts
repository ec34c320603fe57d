const none: readonly never[] = []

/** The objects of a list from the wire; nothing where the wire has no list. */
export function listOf<Item extends object>(value: readonly Item[] | undefined): readonly Item[] {
  const list: unknown = value
  if (!Array.isArray(list)) return none
  const isItem = (item: unknown): item is Item => typeof item === 'object' && item !== null
  return list.every(isItem) ? list : list.filter(isItem)
}

/** The text where the wire has one, else undefined. */
export const stringOf = (value: unknown): string | undefined => (typeof value === 'string' && value ? value : undefined)
