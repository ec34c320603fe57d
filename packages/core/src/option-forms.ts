import { numberForms, type OptionForm } from './number-forms.js'
import type { OptionValues } from './options.js'
import { isObject } from './unknown-values.js'

const form = (expected: string, fits: (value: unknown) => boolean): OptionForm => ({
  expected,
  fits,
})

const oneOf = <Value extends string>(...values: readonly Value[]) => ({
  ...form(`one of ${values.map((one) => `"${one}"`).join(', ')}`, (value) =>
    values.includes(value as Value),
  ),
  values,
})

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)
const object = form('settings by name', isObject)
const list = form('a list', isList)

/**
 * The options of a call by name, each with what it must be. `validateOptions` checks the numbers.
 */
export const optionForms: { readonly [Name in keyof OptionValues]-?: OptionForm } & {
  readonly reasoning: { readonly values: readonly NonNullable<OptionValues['reasoning']>[] }
  readonly cache: { readonly values: readonly NonNullable<OptionValues['cache']>[] }
} = {
  system: form('text', (value) => typeof value === 'string'),
  ...numberForms,
  stop: form(
    'a list of texts',
    (value) => isList(value) && value.every((one) => typeof one === 'string'),
  ),
  tools: list,
  toolChoice: form(
    '"auto", "none", "required" or { name: … }',
    (value) => typeof value === 'string' || isObject(value),
  ),
  parallelToolCalls: form('true or false', (value) => typeof value === 'boolean'),
  responseFormat: object,
  reasoning: oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'),
  cache: oneOf('auto', 'hour', 'none'),
  providerTools: list,
  vendor: object,
  signal: form('an AbortSignal', (value) => value instanceof AbortSignal),
  retry: object,
}
