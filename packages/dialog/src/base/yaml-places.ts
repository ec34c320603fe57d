import { isMap, isScalar, isSeq, type LineCounter, type Node, type Scalar } from 'yaml'

/**
 * The line and column of the deepest key of a path that a YAML document has, counted from 1; an
 * index of a list is a key. Undefined when it has none of them.
 */
export function placeOf(
  contents: unknown,
  path: readonly (string | number)[],
  lines: LineCounter,
): { readonly line: number; readonly col: number } | undefined {
  let node: unknown = contents
  let offset: number | undefined
  for (const key of path) {
    if (isSeq(node)) {
      node = node.items[Number(key)]
      offset = (node as Node | undefined)?.range?.[0] ?? offset
      continue
    }
    const pair = isMap(node)
      ? node.items.find((item) => isScalar(item.key) && String(item.key.value) === key)
      : undefined
    if (!pair) break
    offset = (pair.key as Scalar).range?.[0] ?? offset
    node = pair.value
  }
  return offset === undefined ? undefined : lines.linePos(offset)
}
