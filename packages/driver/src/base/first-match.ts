/** Maximum characters of a server's text that are searched. */
const longest = 4096

/**
 * Returns the name of the first pattern that matches. A server's text may be 16 MiB long, and a
 * pattern can take more than linear time: only the first 4,096 characters are searched.
 */
export function firstMatch<Name>(
  rows: readonly (readonly [pattern: RegExp, name: Name])[],
  text: string,
): Name | undefined {
  const start = text.slice(0, longest)
  return rows.find(([pattern]) => pattern.test(start))?.[1]
}
