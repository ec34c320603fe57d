import type { CallOptions } from '@modelport/core'
import type { Tool, ToolSource } from '@modelport/runtime'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Parser } from '../parse/parser.js'
import type { VendorTool } from '../vendor/vendor-tool.js'
import type { ArgsParameter, TemplateArgs, TemplateValues } from './placeholders.js'

/**
 * A message to the model in the middle of a call: a text, or a prompt with a parser or tools of its
 * own.
 */
export type TurnHandler<Value> = string | BasePrompt<Value>

/** What belongs to the turn that a prompt opens. */
export interface TurnSettings<Value> {
  /** Reads the value from the reply. Default: `text()`. */
  readonly parse?: Parser<Value>
  /** Tools the model may call. */
  readonly tools?: readonly Tool[]
  /** More tools, for example of MCP servers. */
  readonly sources?: readonly ToolSource[]
  /** Tools that the vendor runs itself: `webSearch`, `computerUse`, `vendorMcp`. */
  readonly providerTools?: readonly VendorTool[]
  /**
   * The message to the model after a reply that the parser refused; `{error_message}` lists what is
   * wrong, and the arguments of the prompt can be used too. Default:
   * `Error: {error_message}. Please fix.`
   */
  readonly onParseError?: TurnHandler<Value>
  /**
   * A user message after the results of each tool round; `{call_results}` shows them. Default:
   * none, as the results stand in tool messages; `{call_results}` for callers of the API
   * `response`. `false`: never.
   */
  readonly onToolResults?: TurnHandler<Value> | false
  /**
   * The message to the model when no tool round is left. Default:
   * `You are reaching the limit of tool calls. Provide the final response.`
   */
  readonly lastCall?: TurnHandler<Value>
  /** Options of the model calls of this turn, over those of the caller. */
  readonly options?: CallOptions
}

/** The settings of a prompt. */
export interface PromptSettings<
  Text extends string,
  Value,
  Schema extends StandardSchemaV1 | undefined = undefined,
> extends TurnSettings<Value> {
  /** Names the prompt in a registry, errors and traces, for example `research/ask`. */
  readonly path: string
  /** The text, with `{name}` for placeholders and `{{`, `}}` for braces. */
  readonly text: Text
  /**
   * Checks and converts the arguments. Its output must hold a text, number or boolean for each
   * placeholder.
   */
  readonly args?: Schema
}

/** The arguments of a prompt: those of its schema, else those its text names. */
export type PromptArgs<Text extends string, Schema> = Schema extends StandardSchemaV1
  ? StandardSchemaV1.InferInput<Schema>
  : TemplateArgs<Text>

/** The text of a prompt with its placeholders filled. */
export interface FilledPrompt {
  /** The text. */
  readonly text: string
  /** The arguments that the text shows, as the schema puts them out. */
  readonly args: TemplateValues
}

/** A prompt, whatever arguments it takes. */
export interface BasePrompt<Value> extends Omit<TurnSettings<Value>, 'parse'> {
  /** Names the prompt. */
  readonly path: string
  /** The text with its placeholders. */
  readonly text: string
  /** The names of the placeholders, each once. */
  readonly placeholders: readonly string[]
  /** Reads the value from the reply. */
  readonly parser: Parser<Value>
  /** True when the prompt was defined with a parser of its own. */
  readonly hasParser: boolean
  /**
   * SHA-256 of the wording and of everything that shapes the reply, in hexadecimal. The path is not
   * part of it.
   */
  readonly hash: string
  /**
   * The text with its placeholders filled, and the arguments as the schema puts them out.
   * @param extra values that are used where the text names them
   * @throws {LlmError} `invalid-request` — names the prompt and every placeholder that is missing,
   * unknown or of a wrong type.
   */
  fill(args: unknown, extra?: TemplateValues): FilledPrompt
  /** The tool of this name, or undefined. */
  tool(name: string): Tool | undefined
}

/**
 * A named text with placeholders, and all that belongs to the turn it opens. Make one with
 * `definePrompt`.
 */
export interface Prompt<Args = TemplateValues, Value = unknown> extends BasePrompt<Value> {
  /** The text with its placeholders filled. Throws as {@link BasePrompt.fill} does. */
  render(...args: ArgsParameter<Args>): string
  /** Another prompt with these settings over those of this one. */
  extend<const Text extends string = never, NewValue = Value>(
    settings: PromptExtension<Text, NewValue>,
  ): Prompt<[Text] extends [never] ? Args : TemplateArgs<Text>, NewValue>
}

/** The changed settings of a prompt that extends another. */
export interface PromptExtension<Text extends string, Value> extends TurnSettings<Value> {
  /** Names the new prompt. */
  readonly path: string
  /** Default: the text of the other prompt. */
  readonly text?: Text
}

/** Any prompt, whatever it takes and gives. */
export type AnyPrompt = BasePrompt<unknown>
