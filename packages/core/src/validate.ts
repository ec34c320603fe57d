import { configError } from './error.js'
import { attemptsForm, numberForms, type OptionForm } from './number-forms.js'
import type { CallOptions } from './options.js'

const refuse = (message: string): never => {
  throw configError(message)
}

const check = (name: string, value: unknown, form: OptionForm): void => {
  if (value !== undefined && value !== null && !form.fits(value))
    refuse(`${name} must be ${form.expected}, not ${JSON.stringify(value)}`)
}

const numbers = Object.entries(numberForms)

/**
 * Checks merged options against their ranges, and refuses a model in `vendor`.
 * @throws {LlmError} `config` — names the option, the value found and the range.
 */
export function validateOptions(options: CallOptions): void {
  for (const [name, form] of numbers) check(name, options[name as keyof CallOptions], form)
  check('retry.attempts', options.retry?.attempts, attemptsForm)
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
