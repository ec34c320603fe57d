/**
 * Removes every occurrence of a character from the end of a text, in linear time: a regular
 * expression would backtrack.
 */
export function withoutEnd(text: string, char: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === char) end--
  return text.slice(0, end)
}
