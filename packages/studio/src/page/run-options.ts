import { optionForms } from '@modelport/core/settings'
import type { StartRun } from '../protocol/protocol.js'
import { type FormDraft, fromDraft, type SchemaField, toDraft } from './schema-fields.js'

const field = (
  name: string,
  kind: SchemaField['kind'],
  description: string,
  choices: readonly unknown[] = [],
): SchemaField => ({ name, kind, description, choices, isRequired: true })

const plain = (name: keyof typeof optionForms): SchemaField =>
  field(
    name,
    'number',
    optionForms[name].expected.replace(/^./, (first) => first.toUpperCase()),
  )

/** The options that a person may set, as the fields of a form. The studio checks their values as the library does. */
export const optionFields: readonly SchemaField[] = [
  ...[plain('temperature'), plain('topP'), plain('topK'), plain('maxTokens')],
  field('stop', 'json', 'Texts at which a reply ends, such as ["END"]'),
  plain('seed'),
  field('reasoning', 'choice', 'How much the model should think first', optionForms.reasoning.values),
  field(
    'responseFormat',
    'json',
    'A JSON Schema of the reply: {"type": "json-schema", "schema": {…}}, or {"type": "json"}',
  ),
  field('toolChoice', 'json', '"auto", "none", "required" or {"name": "…"}'),
  field('parallelToolCalls', 'boolean', 'Whether a reply may have several tool calls'),
  field('cache', 'choice', 'How long the vendor keeps the prompt', optionForms.cache.values),
  field('topLogprobs', 'number', 'How many likely tokens to report at each place, 0 to 20'),
  field('deadlineMs', 'number', 'Most milliseconds for one call'),
  field('providerTools', 'json', 'Tools that the vendor runs, in its own form: a list'),
  field('vendor', 'json', 'Fields of the vendor, added to the request'),
  field('mode', 'choice', 'How the model calls tools', ['auto', 'native', 'json', 'text']),
  field('maxOutputTokens', 'number', 'Budget of a run: most tokens of all replies'),
  field('maxCost', 'number', 'Budget of a run: highest cost; needs prices'),
]

type Options = Pick<StartRun, 'options' | 'budget' | 'mode'>

/** The options, the mode and the budget of a run as they were filled in. @throws {Error} Names the option that cannot be read. */
export function readOptions(draft: FormDraft): Options {
  const { args, problems = {} } = fromDraft(
    optionFields.filter(({ name }) => name in draft),
    draft,
  )
  for (const [name, problem] of Object.entries(problems)) throw new Error(`${name}: ${problem}`)
  const { mode = 'auto', maxOutputTokens, maxCost, ...options } = args
  const budget = Object.entries({ maxOutputTokens, maxCost }).filter(([, value]) => value !== undefined)
  return { mode, options, ...(budget.length > 0 && { budget: Object.fromEntries(budget) }) } as Options
}

/** The options of a run as the form has them, to be continued with. */
export function writeOptions({ mode, options, budget }: Options): FormDraft {
  const given: Readonly<Record<string, unknown>> = { ...options, ...budget, ...(mode !== 'auto' && { mode }) }
  return toDraft(
    optionFields.filter(({ name }) => given[name] != null),
    given,
  )
}
