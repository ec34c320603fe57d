import { type CallOptions, LlmError, validateOptions } from '@modelport/core'
import type { Tool } from '@modelport/runtime'
import { isMap, LineCounter, type Node, parseDocument } from 'yaml'
import { parserOf } from '../parse/declared-parser.js'
import { isRecord } from '../parse/is-record.js'
import type { Parser } from '../parse/parser.js'
import { declaredVendorTool, vendorToolNames } from '../vendor/declared-tool.js'
import type { VendorTool } from '../vendor/vendor-tool.js'
import { definePrompt } from './define-prompt.js'
import { nearest } from './nearest.js'
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
  const chosen = front.list('tools').map((name) => {
    const tool = tools.find(({ definition }) => definition.name === name)
    const known = tools.map(({ definition }) => definition.name)
    return tool ?? front.fail('tools', `there is no tool "${name}"${suggest(name, known)}`)
  })
  for (const [name, handler] of front.handlers()) parseTemplate(handler, `${file}, ${name}`, 1)
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

const suggest = (name: string, known: readonly string[]): string => {
  const near = nearest(name, known)
  return near ? `; did you mean "${near}"?` : `; known: ${known.join(', ') || 'none'}`
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

/** The settings of a prompt file. */
class FrontMatter {
  readonly #file: string
  readonly #lines = new LineCounter()
  readonly #values: Readonly<Record<string, unknown>>
  readonly #places = new Map<string, number>()

  constructor(yaml: string, file: string) {
    this.#file = file
    const document = parseDocument(yaml, { lineCounter: this.#lines })
    const error = document.errors[0]
    if (error)
      throw new LlmError(
        'config',
        `${file}, line ${(error.linePos?.[0].line ?? 1) + 1}: ${error.message.split('\n')[0] ?? ''}`,
      )
    const values: unknown = document.toJS()
    this.#values = isRecord(values) ? values : {}
    if (values !== null && values !== undefined && !isRecord(values))
      throw new LlmError('config', `${file}, line 2: the front matter must be settings by name, not ${typeof values}`)
    if (isMap(document.contents))
      for (const { key } of document.contents.items) {
        const node = key as Node & { readonly value?: unknown }
        this.#places.set(String(node.value), this.#lines.linePos(node.range?.[0] ?? 0).line + 1)
      }
    for (const key of Object.keys(this.#values))
      if (!keys.includes(key)) this.fail(key, `unknown setting "${key}"${suggest(key, keys)}`)
  }

  /** @throws {LlmError} `config` with file and line. */
  fail(key: string, problem: string): never {
    throw new LlmError('config', `${this.#file}, line ${this.#places.get(key) ?? 2}: ${problem}`)
  }

  value(key: string): unknown {
    return this.#values[key]
  }

  list(key: string): readonly string[] {
    const value = this.#values[key] ?? []
    if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value
    return this.fail(key, `${key} must be a list of texts, not ${JSON.stringify(value)}`)
  }

  handlers(): readonly (readonly [string, string])[] {
    return (['onParseError', 'onToolResults', 'lastCall'] as const).flatMap((name) => {
      const value = this.#values[name]
      if (value === undefined || (name === 'onToolResults' && value === false)) return []
      if (typeof value !== 'string') return this.fail(name, `${name} must be a text, not ${JSON.stringify(value)}`)
      return [[name, value] as const]
    })
  }

  parser(): Parser<unknown> | undefined {
    const value = this.#values['parse']
    if (value === undefined) return undefined
    try {
      return parserOf(value)
    } catch (error) {
      if (!(error instanceof LlmError)) throw error
      return this.fail('parse', error.message)
    }
  }

  options(): CallOptions | undefined {
    const value = this.#values['options']
    if (value === undefined) return undefined
    if (!isRecord(value)) return this.fail('options', `options must be settings by name, not ${JSON.stringify(value)}`)
    try {
      validateOptions(value)
    } catch (error) {
      if (!(error instanceof LlmError)) throw error
      return this.fail('options', error.message)
    }
    return value
  }

  vendorTools(): readonly VendorTool[] {
    return vendorToolNames.flatMap((name) => {
      const value = this.#values[name]
      if (value === undefined || value === false) return []
      try {
        // Several servers may be called, each with settings of its own.
        return (Array.isArray(value) ? value : [value]).map((one) => declaredVendorTool(name, one))
      } catch (error) {
        if (!(error instanceof LlmError)) throw error
        return this.fail(name, error.message)
      }
    })
  }
}
