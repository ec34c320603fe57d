import { type CallOptions, isObject, LlmError } from '@modelport/core'
import type { Tool } from '@modelport/runtime'
import { LineCounter, parseDocument } from 'yaml'
import { checkOption, optionKeys } from '../call/option-keys.js'
import { DeclarationError, parserOf } from '../parse/declared-parser.js'
import type { Parser } from '../parse/parser.js'
import { shown } from '../parse/shown.js'
import { lineOf } from '../parse/yaml-places.js'
import { declaredVendorTool, vendorToolNames } from '../vendor/declared-tool.js'
import type { VendorTool } from '../vendor/vendor-tool.js'
import { definePrompt } from './define-prompt.js'
import { suggest } from './nearest.js'
import type { Prompt } from './prompt.js'
import { parseTemplate } from './template.js'

/** How prompt files are read. */
export interface PromptFileOptions {
  /** Tools that files can name. */
  readonly tools?: readonly Tool[]
}

const keys = [
  'parse',
  'tools',
  'onParseError',
  'onToolResults',
  'lastCall',
  'options',
  'webSearch',
  'computerUse',
  'vendorMcp',
]

/**
 * Reads a prompt from a Markdown file with YAML front matter.
 * @param file names the file in errors
 * @param path of the prompt
 * @throws {LlmError} `config` — the message names file and line, what was found and what to do.
 */
export function parsePromptFile(
  source: string,
  file: string,
  path: string,
  { tools = [] }: PromptFileOptions = {},
): Prompt {
  const { yaml, text, textLine } = splitFile(source, file)
  const front = new FrontMatter(yaml, file)
  const chosen = front.list('tools').map((name, index) => {
    const tool = tools.find(({ definition }) => definition.name === name)
    const known = tools.map(({ definition }) => definition.name)
    return tool ?? front.fail(['tools', String(index)], `there is no tool "${name}"${suggest(name, known)}`)
  })
  parseTemplate(text, file, textLine)
  const parse = front.parser()
  const options = front.options()
  return definePrompt<string, unknown>({
    path,
    text,
    ...(parse && { parse }),
    ...(chosen.length && { tools: chosen }),
    ...Object.fromEntries(front.handlers()),
    ...(front.value('onToolResults') === false && { onToolResults: false }),
    ...(options && { options }),
    providerTools: front.vendorTools(),
  })
}

/** The front matter between lines of `---`, and the text after it without its last line break. */
function splitFile(source: string, file: string): { yaml: string; text: string; textLine: number } {
  const lines = source.replace(/^\uFEFF/, '').split(/\r?\n/)
  if (lines[0]?.trimEnd() !== '---') return { yaml: '', text: source.trimEnd(), textLine: 1 }
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---')
  if (end < 0) throw new LlmError('config', `${file}, line 1: the front matter is not closed; end it with a line "---"`)
  const body = lines.slice(end + 1)
  const blank = Math.max(
    0,
    body.findIndex((line) => line.trim() !== ''),
  )
  return {
    yaml: lines.slice(1, end).join('\n'),
    text: body.slice(blank).join('\n').trimEnd(),
    textLine: end + 2 + blank,
  }
}

/** What the YAML parser says, without its own place, which counts from the front matter. */
const yamlMessage = (message: string): string =>
  (message.split('\n', 1)[0] ?? '').replace(/ at line \d+, column \d+:?$/, '')

/** The settings of a prompt file. */
class FrontMatter {
  readonly #file: string
  readonly #lines = new LineCounter()
  readonly #values: Readonly<Record<string, unknown>>
  readonly #contents: unknown

  constructor(yaml: string, file: string) {
    this.#file = file
    const document = parseDocument(yaml, { lineCounter: this.#lines })
    const error = document.errors[0]
    if (error)
      throw new LlmError('config', `${file}, line ${(error.linePos?.[0].line ?? 1) + 1}: ${yamlMessage(error.message)}`)
    const values: unknown = document.toJS()
    this.#values = isObject(values) ? values : {}
    if (values !== null && values !== undefined && !isObject(values))
      throw new LlmError('config', `${file}, line 2: the front matter must be settings by name, not ${shown(values)}`)
    this.#contents = document.contents
    for (const key of Object.keys(this.#values))
      if (!keys.includes(key)) this.fail([key], `unknown setting "${key}"${suggest(key, keys)}`)
  }

  /** @throws {LlmError} `config` with file and line. */
  fail(path: readonly string[], problem: string): never {
    const line = lineOf(this.#contents, path, this.#lines) ?? 1
    throw new LlmError('config', `${this.#file}, line ${line + 1}: ${problem}`)
  }

  value(key: string): unknown {
    return this.#values[key]
  }

  list(key: string): readonly string[] {
    const value = this.#values[key] ?? []
    if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value
    return this.fail([key], `${key} must be a list of texts, not ${shown(value)}`)
  }

  handlers(): readonly (readonly [string, string])[] {
    return (['onParseError', 'onToolResults', 'lastCall'] as const).flatMap((name) => {
      const value = this.#values[name]
      if (value === undefined || (name === 'onToolResults' && value === false)) return []
      if (typeof value !== 'string') return this.fail([name], `${name} must be a text, not ${shown(value)}`)
      this.#checked([name], () => parseTemplate(value, name))
      return [[name, value] as const]
    })
  }

  parser(): Parser<unknown> | undefined {
    const value = this.#values['parse']
    if (value === undefined) return undefined
    return this.#checked(['parse'], () => parserOf(value, ['parse']))
  }

  options(): CallOptions | undefined {
    const value = this.#values['options']
    if (value === undefined) return undefined
    if (!isObject(value)) return this.fail(['options'], `options must be settings by name, not ${shown(value)}`)
    const options = Object.entries(value).map(([key, found]) => {
      const path = ['options', key]
      const name = optionKeys.get(key)
      if (name === undefined)
        return this.fail(path, `options.${key} is not an option of a call${suggest(key, [...optionKeys.keys()])}`)
      this.#checked(path, () => checkOption(name, found))
      return [name, found] as const
    })
    return Object.fromEntries(options)
  }

  vendorTools(): readonly VendorTool[] {
    return vendorToolNames.flatMap((name) => {
      const value = this.#values[name]
      if (value === undefined || value === false) return []
      // Several servers may be called, each with settings of its own.
      const list: readonly unknown[] = Array.isArray(value) ? value : [value]
      return list.map((one, index) =>
        this.#checked(Array.isArray(value) ? [name, String(index)] : [name], () => declaredVendorTool(name, one)),
      )
    })
  }

  /** What a setting makes; a complaint about it gets its file and line. */
  #checked<Made>(path: readonly string[], make: () => Made): Made {
    try {
      return make()
    } catch (error) {
      if (!(error instanceof LlmError)) throw error
      return this.fail(error instanceof DeclarationError ? error.path : path, error.message)
    }
  }
}
