import type { ToolCall } from '@modelport/core'

/** Most that the arguments of one call may come to: UTF-16 code units of text, and one for each value. */
const mostSize = 1024 * 1024
/** Deepest nesting, the arguments themselves included. */
const mostDepth = 128

/**
 * Why arguments must not be looked at any further, or undefined. They are what a model, or whoever speaks through it, wrote: not an
 * object, too large, too deep, or with keys that reach for prototypes. Takes time for at most 1 MiB, whatever it is given.
 */
export function refuseArguments(call: ToolCall): string | undefined {
  if (call.error !== undefined) return call.error
  if (typeof call.arguments !== 'object' || (call.arguments as unknown) === null || Array.isArray(call.arguments)) {
    return 'the arguments are not a JSON object'
  }
  if (call.argumentsText.length > mostSize) return 'the arguments are larger than 1 MiB'
  const open: (readonly [value: unknown, depth: number])[] = [[call.arguments, 1]]
  let size = 0
  for (let entry = open.pop(); entry; entry = open.pop()) {
    const [value, depth] = entry
    size += typeof value === 'string' ? value.length + 1 : 1
    if (typeof value === 'object' && value !== null) {
      if (depth > mostDepth) return `the arguments are nested deeper than ${mostDepth}`
      if (Array.isArray(value)) size += value.length
      if (size <= mostSize) {
        for (const [key, inner] of Object.entries(value)) {
          if (reachesForPrototype(key, inner)) return 'the arguments have a key "__proto__" or "constructor.prototype", which is refused'
          if (!Array.isArray(value)) size += key.length
          open.push([inner, depth + 1])
        }
      }
    }
    if (size > mostSize) return 'the arguments are larger than 1 MiB'
  }
  return undefined
}

const reachesForPrototype = (key: string, inner: unknown): boolean =>
  key === '__proto__' || (key === 'constructor' && typeof inner === 'object' && inner !== null && Object.hasOwn(inner, 'prototype'))
