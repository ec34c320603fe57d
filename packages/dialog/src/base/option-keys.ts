import { type CallOptions, isObject, LlmError, validateOptions } from '@modelport/core'
import { reasoningLevels } from '@modelport/core/settings'
import { shown } from './shown.js'

/** The name of an option that a file can hold. */
export type OptionName = Exclude<keyof CallOptions, 'system' | 'tools' | 'responseFormat' | 'providerTools' | 'signal'>

/** What an option must be, and whether a value is that. */
type Check = readonly [expected: string, fits: (value: unknown) => boolean]

const oneOf = (...values: readonly string[]): Check => [
  `one of ${values.map((one) => JSON.stringify(one)).join(', ')}`,
  (value) => values.includes(value as string),
]
const settings: Check = ['settings by name', isObject]

/** Options of model calls that a file can hold, with what the check of core leaves open. */
const options: Readonly<Record<OptionName, Check | undefined>> = {
  maxTokens: undefined,
  temperature: undefined,
  topP: undefined,
  topK: undefined,
  stop: ['a list of texts', (value) => Array.isArray(value) && value.every((one) => typeof one === 'string')],
  seed: undefined,
  toolChoice: ['"auto", "none", "required" or { name: … }', (value) => typeof value === 'string' || isObject(value)],
  parallelToolCalls: ['true or false', (value) => typeof value === 'boolean'],
  reasoning: oneOf(...reasoningLevels),
  cache: oneOf('auto', 'hour', 'none'),
  topLogprobs: undefined,
  deadlineMs: undefined,
  retry: settings,
  vendor: settings,
}

const toSnake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The option of each name that a file may use: its own, or the same with underscores. */
export const optionKeys: ReadonlyMap<string, OptionName> = new Map(
  (Object.keys(options) as OptionName[]).flatMap((name) => [
    [name, name],
    [toSnake(name), name],
  ]),
)

/**
 * Checks one option of a file.
 * @throws {LlmError} `config` — names the option, what was expected and what was found.
 */
export function checkOption(name: OptionName, value: unknown): void {
  if (value === null || value === undefined) return
  const check = options[name]
  if (check && !check[1](value)) throw new LlmError('config', `${name} must be ${check[0]}, not ${shown(value)}`)
  validateOptions({ [name]: value })
}
