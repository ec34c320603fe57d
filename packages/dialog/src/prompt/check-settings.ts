import { configError, isObject, LlmError, validateOptions } from '@modelport/core'
import { suggest } from '@modelport/core/settings'
import { shown } from '../base/shown.js'
import type { HandlerName } from './handlers.js'
import { parseTemplate } from './template.js'

const handlers: readonly HandlerName[] = ['onParseError', 'onToolResults', 'lastCall']
const lists = ['tools', 'sources', 'providerTools'] as const
const known: readonly string[] = ['path', 'text', 'args', 'parse', 'options', ...handlers, ...lists]

/**
 * Checks the settings of a prompt, which may come from code that no compiler has checked.
 * @throws {LlmError} `config` — names the prompt, the setting, what was expected and what was
 * found.
 */
export function checkSettings(settings: Readonly<Record<string, unknown>>): void {
  const { path, text, parse, options, tools } = settings
  if (typeof path !== 'string' || !/^[\w.-]+(\/[\w.-]+)*$/.test(path))
    throw configError(`a prompt's path must be names with "/" between them, not ${shown(path)}`)
  const refuse = (problem: string): never => {
    throw configError(`prompt "${path}": ${problem}`)
  }
  const unknown = Object.keys(settings).find((key) => !known.includes(key))
  if (unknown !== undefined) refuse(`unknown setting "${unknown}"${suggest(unknown, known)}`)
  if (typeof text !== 'string') refuse(`text must be a string, not ${shown(text)}`)
  if (parse !== undefined && !(isObject(parse) && typeof parse['read'] === 'function'))
    refuse(`parse must be a parser, for example json(schema) or text(), not ${shown(parse)}`)
  for (const name of lists) {
    const list = settings[name]
    if (list !== undefined && !Array.isArray(list))
      refuse(`${name} must be a list, not ${shown(list)}`)
  }
  if (Array.isArray(tools)) checkTools(tools, refuse)
  for (const name of handlers) checkHandlerForm(name, settings[name], path, refuse)
  if (options !== undefined) checkOptions(options, refuse)
}

function checkTools(tools: readonly unknown[], refuse: (problem: string) => never): void {
  const names = tools.map((tool, index) => {
    const definition = isObject(tool) ? tool['definition'] : undefined
    const name = isObject(definition) ? definition['name'] : undefined
    return typeof name === 'string'
      ? name
      : refuse(`tools/${index} must be a tool of defineTool, not ${shown(tool)}`)
  })
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) refuse(`the tool "${twice}" is given twice`)
}

function checkHandlerForm(
  name: HandlerName,
  handler: unknown,
  path: string,
  refuse: (problem: string) => never,
): void {
  if (typeof handler === 'string') parseTemplate(handler, `prompt "${path}", ${name}`)
  else if (handler !== undefined && !(isObject(handler) && typeof handler['fill'] === 'function')) {
    if (name === 'onToolResults' && handler === false) return
    refuse(`${name} must be a text or a prompt, not ${shown(handler)}`)
  }
}

function checkOptions(options: unknown, refuse: (problem: string) => never): void {
  if (!isObject(options)) return refuse(`options must be settings by name, not ${shown(options)}`)
  try {
    validateOptions(options)
  } catch (error) {
    if (!(error instanceof LlmError)) throw error
    refuse(`options: ${error.message}`)
  }
}
