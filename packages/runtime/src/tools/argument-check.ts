import { isPollution, type ToolCall } from '@modelport/core'

/** Maximum size of the arguments of one call: UTF-16 code units of text, and one for each value. */
const mostSize = 1024 * 1024
/** Deepest nesting, the arguments themselves included. */
const mostDepth = 128

/**
 * Why arguments must not be looked at any further, or undefined. A model, or an attacker through
 * it, wrote them: they may be no object, too large, too deep, or have keys that change prototypes.
 * Takes time for at most 1 MiB, whatever it is given.
 */
export function refuseArguments(call: ToolCall): string | undefined {
  if (call.error !== undefined) return call.error
  if (
    typeof call.arguments !== 'object' ||
    (call.arguments as unknown) === null ||
    Array.isArray(call.arguments)
  ) {
    return 'the arguments are not a JSON object'
  }
  if (call.argumentsText.length > mostSize) return 'the arguments are larger than 1 MiB'
  const open: Container[] = [{ value: call.arguments, depth: 1 }]
  let size = 0
  for (let container = open.pop(); container; container = open.pop()) {
    const { value, depth } = container
    if (depth > mostDepth) return `the arguments are nested deeper than ${mostDepth}`
    const isList = Array.isArray(value)
    // Not Object.entries: a million keys would be copied before the first is counted.
    for (const key in value) {
      const inner = value[key]
      if (isPollution(key, inner))
        return 'the arguments have a key "__proto__" or "constructor.prototype", which is refused'
      size += 1 + (isList ? 0 : key.length) + (typeof inner === 'string' ? inner.length : 0)
      if (size > mostSize) return 'the arguments are larger than 1 MiB'
      if (typeof inner === 'object' && inner !== null)
        open.push({ value: inner as Container['value'], depth: depth + 1 })
    }
  }
  return undefined
}

/** An object or a list that is still to be looked at. */
interface Container {
  readonly value: Readonly<Record<string, unknown>>
  readonly depth: number
}
