import { configError, LlmError } from './error.js'
import { attemptsForm, numberForms, type OptionForm } from './number-forms.js'
import type { CallOptions } from './options.js'
import { isObject } from './unknown-values.js'

const refuse = (message: string): never => {
  throw configError(message)
}

/** @throws {LlmError} `invalid-request` — the value is not a list of tool definitions. */
function checkDefinitions(tools: unknown): void {
  const bad = (message: string): LlmError => new LlmError('invalid-request', message)
  if (!Array.isArray(tools)) throw bad('tools must be a list of tool definitions')
  for (const [at, tool] of tools.entries()) {
    const { name, definition, function: wire } = isObject(tool) ? tool : {}
    if (typeof name === 'string') continue
    if (isObject(definition))
      throw bad(`tools[${at}] is the result of defineTool: give its .definition`)
    if (isObject(wire))
      throw bad(`tools[${at}] has the form of the wire: give the fields of its .function`)
    throw bad(`tools[${at}] must be a tool definition, with a name, a description and parameters`)
  }
}

const check = (name: string, value: unknown, form: OptionForm): void => {
  if (value !== undefined && value !== null && !form.fits(value))
    refuse(
      `${name} must be ${form.expected}, not ${typeof value === 'number' ? value : JSON.stringify(value)}`,
    )
}

const numbers = Object.entries(numberForms)

/**
 * Checks merged options against their ranges, and refuses a model in `vendor`.
 * @throws {LlmError} `config` — names the option, the value found and the range; `invalid-request`
 * — `tools` are not definitions.
 */
export function validateOptions(options: CallOptions): void {
  for (const [name, form] of numbers) check(name, options[name as keyof CallOptions], form)
  check('retry.attempts', options.retry?.attempts, attemptsForm)
  // Some APIs have the model in the URL: the body would name another one.
  if (options.vendor && Object.hasOwn(options.vendor, 'model'))
    refuse('vendor.model cannot change the model; make a provider for the other model')
  if (!/^(text|json|json-schema)$/.test(options.responseFormat?.type ?? 'text'))
    refuse(
      'responseFormat.type must be "text", "json" or "json-schema"; for a schema of a library use generateObject',
    )
  checkDefinitions(options.tools ?? [])
  const names = new Set<string>()
  for (const { name } of options.tools ?? []) {
    if (!/^[\w-]{1,64}$/.test(name))
      refuse(`tool name ${JSON.stringify(name)} must be 1 to 64 letters, digits, "_" or "-"`)
    if (names.has(name)) refuse(`tool name "${name}" is given twice`)
    names.add(name)
  }
}
