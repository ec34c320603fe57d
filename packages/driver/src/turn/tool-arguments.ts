import { isObject, type JsonObject, LlmError, pollutes } from '@modelport/core'
import { tryParseJson } from '@modelport/core/text'
import type { ResponseLimits } from '../base/limits.js'

/** Parsed arguments of a tool call, or the problem with them. */
export interface ParsedArguments {
  readonly arguments: JsonObject
  /** The problem; the arguments are empty then. */
  readonly error?: string
}

/**
 * Parses the arguments of a tool call. Empty text is an empty object. Nothing is repaired.
 * @throws {LlmError} `limit-exceeded` — nested deeper than allowed.
 */
export function parseToolArguments(text: string, limits: ResponseLimits): ParsedArguments {
  if (text.trim() === '') return { arguments: {} }
  // No text is nested deeper than it is long.
  if (text.length > limits.maxToolArgumentDepth && nesting(text) > limits.maxToolArgumentDepth) {
    throw new LlmError(
      'limit-exceeded',
      `tool arguments are nested deeper than ${limits.maxToolArgumentDepth}`,
    )
  }
  const value = tryParseJson(text)
  if (value === undefined)
    return { arguments: {}, error: `the arguments are not valid JSON: ${excerpt(text)}` }
  if (!isObject(value)) {
    return { arguments: {}, error: `the arguments are not a JSON object: ${excerpt(text)}` }
  }
  // Walks the value only if the text may have such a key, plain or escaped.
  if (/proto|\\u/.test(text) && pollutes(value)) {
    return {
      arguments: {},
      error: 'the arguments have a key "__proto__" or "constructor.prototype", which is refused',
    }
  }
  return { arguments: value }
}

const excerpt = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}...` : text)

function nesting(text: string): number {
  let depth = 0
  let deepest = 0
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (quoted) {
      if (code === 92) i++
      else if (code === 34) quoted = false
    } else if (code === 34) quoted = true
    else if (code === 123 || code === 91) deepest = Math.max(deepest, ++depth)
    else if (code === 125 || code === 93) depth--
  }
  return deepest
}
