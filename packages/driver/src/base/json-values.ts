import { LlmError } from '@modelport/core'

const quote = 34
const comma = 44
const openList = 91
const backslash = 92
const openObject = 123
/** An object or a list takes about as much memory as four numbers. */
const containerWeight = 4

/**
 * Counts the values of a JSON text before it is parsed: the result of parsing `[],[],…` takes ten
 * times the size of the text.
 * @throws {LlmError} `limit-exceeded` — it has more values than `limit`, where an object or a list
 * counts as four.
 */
export function checkJsonValues(text: string, limit: number): void {
  // Fast path: nearly every text is too short to have so many.
  if (text.length * containerWeight <= limit) return
  let values = 1
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code === comma) values++
    else if (code === openList || code === openObject) values += containerWeight
  }
  if (values > limit)
    throw new LlmError(
      'limit-exceeded',
      `the JSON has more than ${limit} values (limits.maxJsonValues)`,
    )
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1
    while (text.charCodeAt(before) === backslash) before--
    if ((end - before) % 2 === 1) return end
  }
  return text.length
}
