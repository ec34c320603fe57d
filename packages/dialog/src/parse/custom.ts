import type { JsonObject } from '@modelport/core'
import { errorText } from '@modelport/core/text'
import { type ParseContext, ParseError, type Parser, problem } from './parser.js'

/** How a parser of one's own is described. */
export interface CustomParserOptions {
  /**
   * Identifies the parser in a prompt's content hash: change it when the parser changes. Default:
   * the name of the function.
   */
  readonly name?: string
  /** JSON Schema of the whole reply, for vendors that can hold the model to one. */
  readonly schema?: JsonObject
}

/**
 * A parser of one's own. The result of the function is the value. A {@link ParseError} that it
 * throws lists problems, and the message of any other error is one problem.
 */
export function custom<Value>(
  parse: (text: string, context: ParseContext) => Value | Promise<Value>,
  options: CustomParserOptions = {},
): Parser<Value> {
  return {
    shape: { kind: 'custom', name: options.name ?? parse.name },
    ...(options.schema && { schema: options.schema }),
    read: async (text, context = {}) => {
      try {
        return { ok: true, value: await parse(text, context) }
      } catch (error) {
        if (error instanceof ParseError) return problem(...error.problems)
        return problem(errorText(error))
      }
    },
  }
}
