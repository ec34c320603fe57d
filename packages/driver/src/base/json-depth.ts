import { LlmError } from '@modelport/core'

/**
 * Deepest nesting that is sent. `JSON.stringify`, here or in an SDK, overflows its stack some
 * thousands of levels deeper.
 */
const mostLevels = 256

/**
 * @throws {LlmError} `invalid-request` — `value` is nested too deeply or is circular; `what` names
 * it in the message.
 */
export function checkDepth(what: string, value: unknown): void {
  if (isTooDeep(value))
    throw new LlmError('invalid-request', `${what}: nested deeper than ${mostLevels}`)
}

/** True for a value that is nested too deeply to be sent, or is circular. */
export function isTooDeep(value: unknown, levels: number = mostLevels): boolean {
  if (!levels) return true
  if (typeof value !== 'object' || value === null) return false
  const values: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  for (const inner of values)
    if (typeof inner === 'object' && isTooDeep(inner, levels - 1)) return true
  return false
}
