import { type CallOptions, configError, validateOptions } from '@modelport/core'
import { optionForms } from '@modelport/core/settings'
import { toSnake } from '@modelport/core/text'
import { shown } from './shown.js'

/** Options that no file can hold, or that have a key of their own in it. */
const notInFiles: readonly string[] = [
  'system',
  'tools',
  'responseFormat',
  'providerTools',
  'signal',
]

/** The option of each name that a file may use: its own, or the same with underscores. */
export const optionKeys: ReadonlyMap<string, keyof CallOptions> = new Map(
  (Object.keys(optionForms) as (keyof CallOptions)[])
    .filter((name) => !notInFiles.includes(name))
    .flatMap((name) => [
      [name, name],
      [toSnake(name), name],
    ]),
)

/**
 * Checks one option of a file.
 * @throws {LlmError} `config` — names the option, what was expected and what was found.
 */
export function checkOption(name: keyof CallOptions, value: unknown): void {
  if (value === null || value === undefined) return
  validateOptions({ [name]: value })
  const { fits, expected } = optionForms[name]
  if (!fits(value)) throw configError(`${name} must be ${expected}, not ${shown(value)}`)
}
