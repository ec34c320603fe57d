/** Most characters of a server's text that patterns are tried on. */
const longest = 4096

/**
 * What the first pattern that fits the text stands for. A server's text may be 16 MiB long, and patterns can take time beyond its
 * length: only its first 4,096 characters are looked at.
 */
export function firstMatch<Name>(
  rows: readonly (readonly [pattern: RegExp, name: Name])[],
  text: string,
): Name | undefined {
  const start = text.slice(0, longest)
  return rows.find(([pattern]) => pattern.test(start))?.[1]
}
