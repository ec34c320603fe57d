/** The objects of a list from the wire; nothing where the wire has no list. */
export function listOf<Item extends object>(value: readonly Item[] | undefined): readonly Item[] {
  const list: unknown = value
  return Array.isArray(list) ? list.filter((item): item is Item => typeof item === 'object' && item !== null) : []
}

/** The text where the wire has one, else undefined. */
export const stringOf = (value: unknown): string | undefined => (typeof value === 'string' && value ? value : undefined)
