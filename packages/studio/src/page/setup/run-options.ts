import { optionForms } from '@modelport/core/settings'
import type { StartRun } from '../../protocol/protocol.js'
import { type FormDraft, fromDraft, type SchemaField, toDraft } from './schema-fields.js'

const field = (
  name: string,
  kind: SchemaField['kind'],
  description: string,
  choices: readonly unknown[] = [],
): SchemaField => ({ name, kind, description, choices, isRequired: true })

// The page has these elsewhere, or they are not plain data.
const { system: _system, tools: _tools, signal: _signal, retry: _retry, ...forms } = optionForms

/** What JSON is meant, for options whose form says it in a few words only. */
const examples: Readonly<Record<string, string>> = {
  stop: 'A list of texts, such as ["END"]',
  responseFormat: '{"type": "json-schema", "schema": {…}} or {"type": "json"}',
  vendor: 'Fields of the vendor, added to the request',
}

/**
 * The options that a person may set, as the fields of a form: those of the library, then the mode
 * and the budget of a run.
 */
export const optionFields: readonly SchemaField[] = [
  ...Object.entries<(typeof optionForms)['seed']>(forms).map(
    ([name, { expected, range, values }]) => {
      const description = examples[name] ?? expected.replace(/^./, (first) => first.toUpperCase())
      return field(name, range ? 'number' : values ? 'choice' : 'json', description, values)
    },
  ),
  field('mode', 'choice', 'How the model calls tools', ['auto', 'native', 'json', 'text']),
  field('maxOutputTokens', 'number', 'Budget of a run: most tokens of all replies'),
  field('maxCost', 'number', 'Budget of a run: highest cost; needs prices'),
]

type Options = Pick<StartRun, 'options' | 'budget' | 'mode'>

/**
 * The options, the mode and the budget of a run as they were filled in.
 * @throws {Error} Names the option that cannot be read.
 */
export function readOptions(draft: FormDraft): Options {
  const { args, problems = {} } = fromDraft(
    optionFields.filter(({ name }) => name in draft),
    draft,
  )
  for (const [name, problem] of Object.entries(problems)) throw new Error(`${name}: ${problem}`)
  const { mode = 'auto', maxOutputTokens, maxCost, ...options } = args
  const budget = Object.entries({ maxOutputTokens, maxCost }).filter(
    ([, value]) => value !== undefined,
  )
  return {
    mode,
    options,
    ...(budget.length > 0 && { budget: Object.fromEntries(budget) }),
  } as Options
}

/** The options of a run as the form has them, to be continued with. */
export function writeOptions({ mode, options, budget }: Options): FormDraft {
  const given: Readonly<Record<string, unknown>> = {
    ...options,
    ...budget,
    ...(mode !== 'auto' && { mode }),
  }
  return toDraft(
    optionFields.filter(({ name }) => given[name] != null),
    given,
  )
}
