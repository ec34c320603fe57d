import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Prompt, PromptArgs, PromptSettings } from './prompt.js'
import { PromptText } from './prompt-text.js'

/**
 * Makes a prompt. Its arguments are typed by the placeholders of its text, its value by its parser.
 * @throws {LlmError} `config` — a setting is unknown or of a wrong type, or a brace is unmatched;
 * the message names the prompt, the setting, and the line and column of a brace.
 * `PromptRegistry.check` finds handlers with placeholders that nothing fills.
 * @example
 * ```ts
 * import { definePrompt, json } from '@modelport/dialog'
 * import { z } from 'zod'
 *
 * export const weather = definePrompt({
 *   path: 'weather',
 *   text: 'How warm is it in {city}?',
 *   parse: json(z.object({ temperature: z.number() })),
 * })
 * ```
 */
export function definePrompt<
  const Text extends string,
  Value = string,
  Schema extends StandardSchemaV1 | undefined = undefined,
>(settings: PromptSettings<Text, Value, Schema>): Prompt<PromptArgs<Text, Schema>, Value> {
  return new PromptText<PromptArgs<Text, Schema>, Value>(settings)
}
