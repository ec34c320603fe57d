/** The JSON of a text, or the text itself if it is not JSON. */
export function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
