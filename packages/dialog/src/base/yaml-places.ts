import { isMap, isScalar, isSeq, type LineCounter, type Node, type Scalar } from 'yaml'

/** Where the deepest key of a path stands that a YAML document has; an index of a list is a key. Undefined when it has none of them. */
export function offsetOf(contents: unknown, path: readonly (string | number)[]): number | undefined {
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
  return offset
}

/** The line and column of the deepest key of a path, counted from 1. */
export function placeOf(
  contents: unknown,
  path: readonly (string | number)[],
  lines: LineCounter,
): { readonly line: number; readonly col: number } | undefined {
  const offset = offsetOf(contents, path)
  return offset === undefined ? undefined : lines.linePos(offset)
}
