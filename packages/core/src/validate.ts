import { LlmError } from './error.js'
import type { CallOptions } from './options.js'

const ranges: readonly (readonly [keyof CallOptions, number, number, boolean])[] = [
  ['maxTokens', 1, 1e9, true],
  ['temperature', 0, 2, false],
  ['topP', 0, 1, false],
  ['topK', 1, 1e9, true],
  ['seed', -(2 ** 53), 2 ** 53, true],
  ['topLogprobs', 0, 20, true],
  ['deadlineMs', 1, 2 ** 53, false],
]

/**
 * Checks merged options against their ranges.
 * @throws {LlmError} `config` — names the option, the value found and the range.
 */
export function validateOptions(options: CallOptions): void {
  for (const [name, low, high, whole] of ranges) {
    const value = options[name]
    if (value === undefined) continue
    if (typeof value !== 'number' || !(value >= low && value <= high) || (whole && !Number.isInteger(value))) {
      const kind = whole ? 'a whole number' : 'a number'
      const range = high >= 1e9 ? `of at least ${low}` : `between ${low} and ${high}`
      throw new LlmError('config', `${name} must be ${kind}${name === 'seed' ? '' : ` ${range}`}, not ${typeof value === 'object' ? 'an object' : String(value)}`)
    }
  }
  const attempts = options.retry?.attempts ?? 1
  if (!Number.isInteger(attempts) || attempts < 1 || attempts > 5) {
    throw new LlmError('config', `retry.attempts must be a whole number between 1 and 5, not ${String(attempts)}`)
  }
  const names = new Set<string>()
  for (const { name } of options.tools ?? []) {
    if (!/^[\w-]{1,64}$/.test(name)) {
      throw new LlmError('config', `tool name ${JSON.stringify(name)} must be 1 to 64 letters, digits, "_" or "-"`)
    }
    if (names.has(name)) throw new LlmError('config', `tool name "${name}" is given twice`)
    names.add(name)
  }
}
