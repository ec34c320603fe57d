import { type CallOptions, isObject, LlmError } from '@modelport/core'
import { suggest } from '@modelport/core/settings'
import { errorText } from '@modelport/core/text'
import type { Tool } from '@modelport/runtime'
import { checkOption, optionKeys } from '../base/option-keys.js'
import { type ReadYaml, readYaml } from '../base/read-yaml.js'
import { shown } from '../base/shown.js'
import { placeOf } from '../base/yaml-places.js'
import { declaredParser } from '../parse/declared-parser.js'
import type { Parser } from '../parse/parser.js'
import { declaredVendorTool, vendorToolNames } from '../vendor/declared-tool.js'
import type { VendorTool } from '../vendor/vendor-tool.js'
import { definePrompt } from './define-prompt.js'
import type { Prompt } from './prompt.js'
import { PromptFileError, type PromptFileProblem } from './prompt-file-error.js'
import { scanTemplate } from './template.js'

/** How prompt files are read. */
export interface PromptFileOptions {
  /** Tools that files can name. */
  readonly tools?: readonly Tool[]
}

const handlerKeys = ['onParseError', 'onToolResults', 'lastCall'] as const
const keys: readonly string[] = ['parse', 'tools', ...handlerKeys, 'options', ...vendorToolNames]

/**
 * Reads a prompt from a Markdown file with YAML front matter.
 * @param file names the file in errors
 * @param path of the prompt
 * @throws {PromptFileError} lists everything that is wrong: file, line and column, what was found
 * and what to do.
 */
export function parsePromptFile(
  source: string,
  file: string,
  path: string,
  { tools = [] }: PromptFileOptions = {},
): Prompt {
  const found: Required<PromptFileProblem>[] = []
  const add: AddProblem = (line, column, problem) => {
    found.push({ line, column, message: `${file}, line ${line}, column ${column}: ${problem}` })
  }
  const { yaml, text, textLine } = splitFile(source, add)
  const front = new FrontMatter(yaml, add)
  const chosen = front.list('tools').flatMap((name, index) => {
    const tool = tools.find(({ definition }) => definition.name === name)
    if (tool) return [tool]
    const known = tools.map(({ definition }) => definition.name)
    front.report(['tools', String(index)], `there is no tool "${name}"${suggest(name, known)}`)
    return []
  })
  for (const { line, column, message } of scanTemplate(text).problems)
    add(textLine + line - 1, column, message)
  const parse = front.parser()
  const options = front.options()
  const handlers = front.handlers()
  const providerTools = front.vendorTools()
  if (found.length)
    throw new PromptFileError(found.sort((a, b) => a.line - b.line || a.column - b.column))
  try {
    return definePrompt<string, unknown>({
      path,
      text,
      ...(parse && { parse }),
      ...(chosen.length && { tools: chosen }),
      ...Object.fromEntries(handlers),
      ...(front.value('onToolResults') === false && { onToolResults: false }),
      ...(options && { options }),
      providerTools,
    })
  } catch (error) {
    if (!(error instanceof LlmError)) throw error
    throw new PromptFileError([{ message: `${file}: ${error.message}` }], { cause: error })
  }
}

/** Keeps a problem. Line and column are those of the file, from 1. */
type AddProblem = (line: number, column: number, problem: string) => void

/** The front matter between lines of `---`, and the text after it without its last line break. */
function splitFile(
  source: string,
  add: AddProblem,
): { yaml: string; text: string; textLine: number } {
  const lines = source.replace(/^\uFEFF/, '').split(/\r?\n/)
  if (lines[0]?.trimEnd() !== '---') return { yaml: '', text: source.trimEnd(), textLine: 1 }
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---')
  if (end < 0) {
    add(1, 1, 'the front matter is not closed; end it with a line "---"')
    return { yaml: '', text: '', textLine: 1 }
  }
  const body = lines.slice(end + 1)
  const first = body.findIndex((line) => line.trim() !== '')
  const text = body.slice(Math.max(0, first)).join('\n').trimEnd()
  return { yaml: lines.slice(1, end).join('\n'), text, textLine: end + 2 + Math.max(0, first) }
}

/** The settings of a prompt file. A wrong field is reported, and left out. */
class FrontMatter {
  readonly #add: AddProblem
  readonly #values: Readonly<Record<string, unknown>>
  readonly #yaml: ReadYaml | undefined

  constructor(yaml: string, add: AddProblem) {
    this.#add = add
    const read = readYaml(yaml)
    if ('refused' in read) {
      this.#values = {}
      add(2, 1, read.refused)
      return
    }
    this.#yaml = read
    this.#values = this.#read(read)
    for (const key of Object.keys(this.#values))
      if (!keys.includes(key)) this.report([key], `unknown setting "${key}"${suggest(key, keys)}`)
  }

  #read({ document, mistakes }: ReadYaml): Readonly<Record<string, unknown>> {
    // Lines of the front matter begin after the line "---".
    for (const { line, col, message } of mistakes) this.#add(line + 1, col, message)
    if (mistakes.length) return {}
    try {
      const values: unknown = document.toJS() ?? {}
      if (isObject(values)) return values
      this.report([], `the front matter must be settings by name, not ${shown(values)}`)
    } catch (error) {
      // Aliases that would make a small text very large.
      this.report([], errorText(error))
    }
    return {}
  }

  /** Keeps a problem with the setting of this path. */
  report(path: readonly string[], problem: string): void {
    const { line, col } = (this.#yaml &&
      placeOf(this.#yaml.document.contents, path, this.#yaml.lines)) ?? {
      line: 1,
      col: 1,
    }
    this.#add(line + 1, col, problem)
  }

  value(key: string): unknown {
    return this.#values[key]
  }

  list(key: string): readonly string[] {
    const value = this.#values[key] ?? []
    if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value
    this.report([key], `${key} must be a list of texts, not ${shown(value)}`)
    return []
  }

  handlers(): readonly (readonly [string, string])[] {
    return handlerKeys.flatMap((name) => {
      const value = this.#values[name]
      if (value === undefined || (name === 'onToolResults' && value === false)) return []
      if (typeof value !== 'string') {
        this.report([name], `${name} must be a text, not ${shown(value)}`)
        return []
      }
      for (const { line, column, message } of scanTemplate(value).problems)
        this.report([name], `${name}, line ${line}, column ${column}: ${message}`)
      return [[name, value] as const]
    })
  }

  parser(): Parser<unknown> | undefined {
    const value = this.#values['parse']
    if (value === undefined) return undefined
    const { parser, problems } = declaredParser(value, ['parse'])
    for (const { path, message } of problems) this.report(path, message)
    return parser
  }

  options(): CallOptions | undefined {
    const value = this.#values['options']
    if (value === undefined) return undefined
    if (!isObject(value)) {
      this.report(['options'], `options must be settings by name, not ${shown(value)}`)
      return undefined
    }
    const options = Object.entries(value).map(([key, found]) => {
      const path = ['options', key]
      const name = optionKeys.get(key)
      if (name === undefined)
        this.report(
          path,
          `options.${key} is not an option of a call${suggest(key, [...optionKeys.keys()])}`,
        )
      else this.#checked(path, () => checkOption(name, found))
      return [name ?? key, found] as const
    })
    return Object.fromEntries(options)
  }

  vendorTools(): readonly VendorTool[] {
    return vendorToolNames.flatMap((name) => {
      const value = this.#values[name]
      if (value === undefined || value === false) return []
      // Several servers may be called, each with settings of its own.
      const list: readonly unknown[] = Array.isArray(value) ? value : [value]
      return list.flatMap((one, index) => {
        const path = Array.isArray(value) ? [name, String(index)] : [name]
        return this.#checked(path, () => declaredVendorTool(name, one)) ?? []
      })
    })
  }

  /** What a setting makes; undefined if it is wrong. */
  #checked<Made>(path: readonly string[], make: () => Made): Made | undefined {
    try {
      return make()
    } catch (error) {
      if (!(error instanceof LlmError)) throw error
      this.report(path, error.message)
      return undefined
    }
  }
}
