import { type JsonObject, LlmError } from '@modelport/core'

/** The input of a parser besides the text. */
export interface ParseContext {
  /** What the caller passed as `parserArgs`. */
  readonly args?: unknown
}

/** The outcome of a parser: a value, or everything that is wrong, in words a model can act on. */
export type Parsed<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problems: readonly string[] }

/** Reads a value from the text of a reply. Parsers compose: see `tags` and `many`. */
export interface Parser<Value> {
  /** The description of the parser as plain JSON, which is part of a prompt's content hash. */
  readonly shape: JsonObject
  /**
   * JSON Schema of the whole reply, for vendors that can hold the model to one. Unset: the reply is
   * not JSON.
   */
  readonly schema?: JsonObject
  /** Reads the text. Never throws for what the text says. */
  read(text: string, context?: ParseContext): Parsed<Value> | Promise<Parsed<Value>>
  /** The value so far, before the text is complete, or undefined. Not validated. */
  partial?(text: string): unknown
}

/** The value of a parser. */
export type ParserValue<P> = P extends Parser<infer Value> ? Value : never

/** A reply that does not have the form that its prompt asks for. */
export class ParseError extends LlmError {
  /** Everything that is wrong, each in words a model can act on. */
  readonly problems: readonly string[]
  /** The reply, whole. */
  readonly text: string

  constructor(problems: readonly string[], text = '', options?: ErrorOptions) {
    super('protocol', problems.join('\n'), options)
    this.problems = problems
    this.text = text
  }
}
Object.defineProperty(ParseError.prototype, 'name', { value: 'ParseError' })

/**
 * Reads a value with a parser.
 * @throws {ParseError} lists everything that is wrong with the text.
 */
export async function parseReply<Value>(
  parser: Parser<Value>,
  text: string,
  context: ParseContext = {},
): Promise<Value> {
  const parsed = await parser.read(text, context)
  if (parsed.ok) return parsed.value
  throw new ParseError(parsed.problems, text)
}

/** An outcome with these problems. */
export const problem = (...problems: readonly string[]): Parsed<never> => ({ ok: false, problems })

/** The beginning of a text, in quotes, for messages. */
export const quote = (text: string, most = 80): string =>
  JSON.stringify(text.length > most ? `${text.slice(0, most - 3)}...` : text)
