export { stringOf } from '@modelport/driver'

const none: readonly never[] = []

const isObject = (item: unknown): boolean => typeof item === 'object' && item !== null

/** The objects of a list from the wire; nothing where the wire has no list. */
export function listOf<Item extends object>(value: readonly Item[] | undefined): readonly Item[] {
  if (!Array.isArray(value)) return none
  const list = value as readonly Item[]
  return list.every(isObject) ? list : list.filter(isObject)
}
