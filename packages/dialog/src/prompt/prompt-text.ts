import type { CallOptions } from '@modelport/core'
import { configError, LlmError } from '@modelport/core'
import type { Tool, ToolSource } from '@modelport/runtime'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { describeIssue } from '../parse/json.js'
import type { Parser } from '../parse/parser.js'
import { text as textParser } from '../parse/text.js'
import type { VendorTool } from '../vendor/vendor-tool.js'
import { checkSettings } from './check-settings.js'
import type { ArgsParameter, TemplateArgs, TemplateValues } from './placeholders.js'
import type {
  FilledPrompt,
  Prompt,
  PromptExtension,
  PromptSettings,
  TurnHandler,
} from './prompt.js'
import { hashPrompt } from './prompt-hash.js'
import { fillTemplate, isTemplateValue, parseTemplate, type Template } from './template.js'

type AnySettings<Value> = Omit<PromptSettings<string, Value>, 'args'> & {
  readonly args?: StandardSchemaV1 | undefined
}

/** A prompt over its parsed template. */
export class PromptText<Args, Value> implements Prompt<Args, Value> {
  readonly path: string
  readonly text: string
  readonly placeholders: readonly string[]
  readonly parser: Parser<Value>
  readonly hasParser: boolean
  readonly tools: readonly Tool[]
  readonly sources: readonly ToolSource[]
  readonly providerTools: readonly VendorTool[]
  readonly onParseError?: TurnHandler<Value>
  readonly onToolResults?: TurnHandler<Value> | false
  readonly lastCall?: TurnHandler<Value>
  readonly options?: CallOptions
  readonly #settings: AnySettings<Value>
  readonly #template: Template
  #hash: string | undefined

  constructor(settings: AnySettings<Value>) {
    checkSettings(settings)
    const { path, text, parse, tools = [], sources = [], providerTools = [] } = settings
    this.path = path
    this.text = text
    this.#settings = settings
    this.#template = parseTemplate(text, `prompt "${path}"`)
    this.placeholders = this.#template.names
    this.hasParser = parse !== undefined
    // Without a parser, Value is string: that is the default of definePrompt.
    this.parser = parse ?? (textParser() as Parser<never>)
    this.tools = tools
    this.sources = sources
    this.providerTools = providerTools
    if (settings.onParseError !== undefined) this.onParseError = settings.onParseError
    if (settings.onToolResults !== undefined) this.onToolResults = settings.onToolResults
    if (settings.lastCall !== undefined) this.lastCall = settings.lastCall
    if (settings.options !== undefined) this.options = settings.options
  }

  get hash(): string {
    this.#hash ??= hashPrompt(this)
    return this.#hash
  }

  render(...args: ArgsParameter<Args>): string {
    return this.fill(args[0] ?? {}).text
  }

  fill(args: unknown, extra?: TemplateValues): FilledPrompt {
    const where = `prompt "${this.path}"`
    if (typeof args !== 'object' || args === null || Array.isArray(args))
      throw new LlmError(
        'invalid-request',
        `${where}: the arguments must be an object, not ${JSON.stringify(args)}`,
      )
    const values = this.#settings.args
      ? checkArgs(this.#settings.args, args, where)
      : (args as Record<string, unknown>)
    const used = this.#settings.args ? pick(values, this.placeholders) : values
    const text = fillTemplate(this.#template, used, where, extra)
    return {
      text,
      args: Object.fromEntries(
        Object.entries(used).filter(([, value]) => isTemplateValue(value)),
      ) as TemplateValues,
    }
  }

  tool(name: string): Tool | undefined {
    return this.tools.find(({ definition }) => definition.name === name)
  }

  extend<const Text extends string = never, NewValue = Value>(
    settings: PromptExtension<Text, NewValue>,
  ): Prompt<[Text] extends [never] ? Args : TemplateArgs<Text>, NewValue> {
    const { args, ...own } = this.#settings
    const keepsText = settings.text === undefined
    // A new parser comes with a new type of value, and handlers that keep the old one would be of
    // the old type.
    const merged = {
      ...(own as PromptSettings<string, unknown>),
      ...(keepsText && { args }),
      ...settings,
    }
    return new PromptText(merged as AnySettings<NewValue>)
  }
}

function checkArgs(schema: StandardSchemaV1, args: object, where: string): Record<string, unknown> {
  const result = schema['~standard'].validate(args)
  if (result instanceof Promise)
    throw configError(
      `${where}: the schema of args is asynchronous; use one that validates at once`,
    )
  if (!result.issues) return result.value as Record<string, unknown>
  throw new LlmError('invalid-request', `${where}: ${result.issues.map(describeIssue).join('; ')}`)
}

const pick = (
  values: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, unknown> =>
  Object.fromEntries(
    names.filter((name) => Object.hasOwn(values, name)).map((name) => [name, values[name]]),
  )
