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
export function checkDepth(what: string, value: unknown, levels: number = mostLevels): void {
  if (!levels) throw new LlmError('invalid-request', `${what}: nested deeper than ${mostLevels}`)
  if (typeof value !== 'object' || value === null) return
  // No list of values: the tools and calls of a whole conversation pass here before each request.
  for (const name in value) {
    const inner: unknown = value[name as keyof typeof value]
    if (typeof inner === 'object') checkDepth(what, inner, levels - 1)
  }
}
