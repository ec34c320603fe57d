import { canonicalJson } from '../base/canonical-json.js'
import { cut } from '../base/well-formed.js'
import type { ActionMode } from './action-mode.js'

/** One text for every mode, or a text for some of them. */
export type TextByMode = string | Readonly<Partial<Record<ActionMode, string>>>

/** Puts values for the names in braces; a name without a value stays. */
export const fill = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] as string) : whole,
  )

const short = (text: string): string => (text.length > 500 ? `${cut(text, 497)}...` : text)

/** Tells the model why its reply is not an action. `custom` may use `{error_message}`. */
export const toParseCorrection = (feedback: string, expected: string, custom?: string): string =>
  custom === undefined
    ? `Your reply could not be used. ${feedback}\n${expected}`
    : fill(custom, { error_message: feedback })

/**
 * Tells the model that it repeats an action. `custom` may use `{action}`, `{tool}` and `{args}`.
 */
export function toRepeatGuidance(
  action: string,
  tool: string,
  args: unknown,
  custom?: string,
): string {
  const values = { action, tool, args: short(canonicalJson(args)) }
  return custom === undefined
    ? fill(
        'You have already performed this action: {tool} with {args}. The result is in your context. Give your answer, or do something else.',
        values,
      )
    : fill(custom, values)
}

/** The required form of a reply in one line, by mode. */
export const expectedReply = {
  json: 'Answer with exactly one JSON object: {"type": "final", "content": "TEXT"}, or one of the calls you were shown.',
  text: 'Answer in plain text, or with one <tool_call> block that holds {"name": NAME, "arguments": ARGS}.',
  native: 'Answer in plain text, or call a tool.',
} as const

/** The required form of a reply in one line, by mode, where the final reply has to fit a schema. */
export const expectedOutput = {
  json: 'Answer with exactly one JSON object: {"type": "final", "content": ANSWER}, where ANSWER is JSON that fits the schema, or one of the calls you were shown.',
  text: 'Give the whole answer again, as JSON that fits the schema, or call a tool with one <tool_call> block that holds {"name": NAME, "arguments": ARGS}.',
  native: 'Give the whole answer again, as JSON that fits the schema, or call a tool.',
} as const

/** Tells the model why its final reply does not fit the schema. */
export const toOutputFeedback = (message: string): string =>
  `Your answer does not have the form that is asked for: ${message}`

/** Asks the model again after a reply that does not fit the schema. */
export const toOutputCorrection = (message: string): string =>
  `${toOutputFeedback(message)}\nGive the whole answer again, as JSON.`

/** Asks the model for a reply that fits a schema, for APIs that cannot enforce one. */
export const toOutputPrompt = (schema: unknown): string =>
  `Your final answer must be JSON that fits this JSON Schema: ${JSON.stringify(schema)}`

/** Picks the text of a mode. A single text is for every mode. */
export const textFor = (text: TextByMode | undefined, mode: ActionMode): string | undefined =>
  typeof text === 'object' ? text[mode] : text
