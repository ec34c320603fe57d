/** One character: itself, escaped, of a class, of a list. Nothing that holds others. */
const atom = String.raw`(?:[^\\^$.*+?()[\]{}|]|\.|\\[dDsSwWnrtfv]|\\[^\w\s]|\\u[0-9a-fA-F]{4}|\\p\{\w{1,30}(?:=\w{1,30})?\}|\[\^?(?:[^\\\]]|\\.)+\])`
const piece = new RegExp(`${atom}(?:([*+?])|\\{(\\d{1,4})(?:(,)(\\d{0,4}))?\\})?\\??`, 'uy')

const mostLength = 500
/** Ways to match the same text that may be tried from one place. */
const mostWays = 100

/**
 * True for a pattern that ends soon for every text: characters without groups or alternatives, at
 * most one of which repeats without bound, and only behind a leading `^`. Many harmless patterns
 * are not of this kind, but no pattern that hangs is.
 */
export function isPlainPattern(pattern: string): boolean {
  if (pattern.length > mostLength) return false
  const start = pattern.startsWith('^') ? 1 : 0
  const end =
    pattern.endsWith('$') && !pattern.endsWith('\\$') ? pattern.length - 1 : pattern.length
  let unbounded = 0
  let ways = 1
  piece.lastIndex = start
  while (piece.lastIndex < end) {
    const [whole, sign, least, comma, most] = piece.exec(pattern) ?? []
    if (whole === undefined) return false
    if (sign === '*' || sign === '+' || (comma !== undefined && most === '')) unbounded++
    else if (sign === '?') ways *= 2
    else if (most !== undefined) ways *= Math.max(1, Number(most) - Number(least) + 1)
  }
  return ways <= mostWays && unbounded <= start
}
