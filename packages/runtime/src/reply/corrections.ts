import { canonicalJson } from '../base/canonical-json.js'
import { cut } from '../base/well-formed.js'

/** Puts values for the names in braces; a name without a value stays. */
export const fill = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => (Object.hasOwn(values, name) ? (values[name] as string) : whole))

const short = (text: string): string => (text.length > 500 ? `${cut(text, 497)}...` : text)

/** What the model is told when its reply is no action. */
export const toParseCorrection = (feedback: string, expected: string, custom?: string): string =>
  custom === undefined
    ? `Your reply could not be used. ${feedback}\n${expected}`
    : fill(custom, { error_message: feedback })

/** What the model is told when it repeats an action. */
export function toRepeatGuidance(tool: string, args: unknown, custom?: string): string {
  const values = { tool, args: short(canonicalJson(args)) }
  return custom === undefined
    ? fill(
        'You have already performed this action: {tool} with {args}. The result is in your context. Give your answer, or do something else.',
        values,
      )
    : fill(custom, values)
}

/** What a reply must look like, in one line, by mode. */
export const expectedReply = {
  json: 'Answer with exactly one JSON object: {"type": "final", "content": "TEXT"}, or one of the calls you were shown.',
  text: 'Answer in plain text, or with one <tool_call> block that holds {"name": NAME, "arguments": ARGS}.',
  native: 'Answer in plain text, or call a tool.',
} as const

/** What the model is told when its answer is not of the form that is asked for. */
export const toOutputCorrection = (message: string): string =>
  `Your answer does not have the form that is asked for: ${message}\nGive the whole answer again, as JSON.`

/** What the model is told of an answer that must fit a schema, where the API cannot hold it to that. */
export const toOutputPrompt = (schema: unknown): string =>
  `Your final answer must be JSON that fits this JSON Schema: ${JSON.stringify(schema)}`
