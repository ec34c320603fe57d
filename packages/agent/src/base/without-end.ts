/** The text without this character at its end, however often it stands there; in linear time, which a pattern would not be. */
export function withoutEnd(text: string, char: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === char) end--
  return text.slice(0, end)
}
