import { LlmError } from './error.js'
import type { CallOptions } from './options.js'

/** Name, value, least, most, and whether it must be a whole number. */
type Range = readonly [name: string, value: unknown, low: number, high: number, whole: boolean]

const ranges = (options: CallOptions): readonly Range[] => [
  ['maxTokens', options.maxTokens, 1, Infinity, true],
  ['temperature', options.temperature, 0, 2, false],
  ['topP', options.topP, 0, 1, false],
  ['topK', options.topK, 1, Infinity, true],
  ['seed', options.seed, -Infinity, Infinity, true],
  ['topLogprobs', options.topLogprobs, 0, 20, true],
  ['deadlineMs', options.deadlineMs, 1, Infinity, false],
  ['retry.attempts', options.retry?.attempts, 1, 5, true],
]

const refuse = (message: string): never => {
  throw new LlmError('config', message)
}

/**
 * Checks merged options against their ranges, and refuses a model in `vendor`.
 * @throws {LlmError} `config` — names the option, the value found and the range.
 */
export function validateOptions(options: CallOptions): void {
  for (const [name, value, low, high, whole] of ranges(options)) {
    if (value === undefined || value === null) continue
    if (typeof value !== 'number' || !(value >= low && value <= high) || (whole && !Number.isInteger(value))) {
      refuse(
        `${name} must be a ${whole ? 'whole ' : ''}number${low < 0 ? '' : high < Infinity ? ` between ${low} and ${high}` : ` of at least ${low}`}, not ${JSON.stringify(value)}`,
      )
    }
  }
  // Some APIs have the model in the URL: the body would name another one.
  if (options.vendor && Object.hasOwn(options.vendor, 'model'))
    refuse('vendor.model cannot change the model; make a provider for the other model')
  if (!/^(text|json|json-schema)$/.test(options.responseFormat?.type ?? 'text'))
    refuse('responseFormat.type must be "text", "json" or "json-schema"; for a schema of a library use generateObject')
  const names = new Set<string>()
  for (const { name } of options.tools ?? []) {
    if (!/^[\w-]{1,64}$/.test(name))
      refuse(`tool name ${JSON.stringify(name)} must be 1 to 64 letters, digits, "_" or "-"`)
    if (names.has(name)) refuse(`tool name "${name}" is given twice`)
    names.add(name)
  }
}
