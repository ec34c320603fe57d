import type { Content } from './content.js'

/** A JSON object as `JSON.parse` returns it. */
export type JsonObject = Readonly<Record<string, unknown>>

/** A tool the model may call. */
export interface ToolDefinition {
  /** Name the model calls it by: letters, digits, `_` and `-`, at most 64. */
  readonly name: string
  /** When and how to use it; the model reads this. */
  readonly description: string
  /** JSON Schema of the arguments, an object schema. Unset: the tool takes no arguments. */
  readonly parameters?: JsonObject
  /** Asks vendors that can to hold the model to the schema exactly. Unset: the vendor's default. */
  readonly strict?: boolean
  /**
   * True hides the tool until the vendor's search of tools, one of `providerTools`, finds it;
   * without one, `infer` searches itself. A warning where no request can say it.
   */
  readonly deferred?: boolean
  /**
   * Who may call the tool: the `model` itself, `code` that the vendor runs. Default: the model.
   * Refused where no request can say it.
   */
  readonly callers?: readonly ('model' | 'code')[]
  /** A mark of the vendor's cache, as on a part. */
  readonly cache?: 'auto' | 'hour'
  /**
   * The vendor's own fields of the tool, merged into its object in the request as
   * `CallOptions.vendor` is into the body. Refused if the API has no such object.
   */
  readonly vendor?: JsonObject
}

/** One call the model asks for. */
export interface ToolCall {
  /**
   * Identifies the call; results name it. Given by the vendor, or made here, unique in a
   * conversation, where the vendor has none.
   */
  readonly id: string
  /** Name of the tool, as the model wrote it: it may be one that does not exist. */
  readonly name: string
  /** Parsed arguments. Empty when {@link ToolCall.error} is set: look at that first. */
  readonly arguments: JsonObject
  /**
   * The arguments exactly as the wire had them; the JSON of `arguments` where the wire carries an
   * object.
   */
  readonly argumentsText: string
  /**
   * Set when `argumentsText` is not a JSON object: what is wrong with it. Such a call must not be
   * executed.
   */
  readonly error?: string
}

/** The result of one tool call. */
export interface ToolResult {
  /** The {@link ToolCall.id} of the call that this is the result of. */
  readonly callId: string
  /** What the model will see: text, or parts for vendors that take them. */
  readonly content: Content
  /** True when the tool failed or was refused; the model reads that it failed. Default false. */
  readonly isError?: boolean
  /** Names of the tool sources that it is from, for {@link ToolMessage}. Default: none. */
  readonly sources?: readonly string[]
}

/**
 * Whether and which tool the model must call: `auto` (its own choice), `none`, `required` (at least
 * one), or one by name.
 */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string }
