import { isObject, type JsonObject, type ToolCall } from '@modelport/core'
import { tryParseJson } from '@modelport/core/text'

/**
 * The arguments of a call for a request that takes an object. Malformed ones are wrapped: the model
 * can see what the error refers to, and a server that parses the history can read it.
 */
export const argumentsOf = (call: ToolCall): JsonObject =>
  call.error === undefined
    ? ((call as Partial<ToolCall>).arguments ?? {})
    : { INVALID_JSON: call.argumentsText }

/**
 * The arguments of a call for a request that takes text: the text of the wire, byte for byte,
 * unless the program changed `arguments` since. Then it is their JSON, so that what was redacted or
 * corrected does not go back as it was. Malformed ones are wrapped as {@link argumentsOf} says.
 */
export function argumentsTextOf(call: ToolCall): string {
  const { argumentsText, error } = call
  const values = argumentsOf(call)
  if (error !== undefined) return JSON.stringify(values)
  if (!argumentsText) return JSON.stringify(values)
  return isSameJson(valuesOf(call, argumentsText), values) ? argumentsText : JSON.stringify(values)
}

/**
 * What the text of a call says. It is kept, since every request of a conversation has all its
 * calls; the arguments, which a program may change in place, are compared each time.
 */
function valuesOf(call: ToolCall, text: string): unknown {
  const known = parsed.get(call)
  if (known?.text === text) return known.values

  const values = tryParseJson(text)
  parsed.set(call, { text, values })
  return values
}

const parsed = new WeakMap<ToolCall, { readonly text: string; readonly values: unknown }>()

/**
 * True if two values are the same JSON; the order of an object's keys does not matter. Called for
 * every call of a conversation before each request, so it makes few lists.
 */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, at) => isSameJson(item, other[at]))
  if (!isObject(one) || !isObject(other)) return false
  let count = 0
  for (const name of Object.keys(one)) {
    if (one[name] === undefined) continue
    if (!Object.hasOwn(other, name) || !isSameJson(one[name], other[name])) return false
    count++
  }
  for (const name of Object.keys(other)) if (other[name] !== undefined) count--
  return count === 0
}
