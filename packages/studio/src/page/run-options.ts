import type { OptionValues } from '@modelport/core'
import { optionForms } from '@modelport/core/settings'
import type { StartRun } from '../protocol/protocol.js'

/** How the text of a field becomes a value, and back. */
interface Kind {
  readonly read: (text: string) => unknown
  readonly write: (value: unknown) => string
}

const json = (value: unknown): string => JSON.stringify(value, undefined, 2)

type KindName = 'number' | 'choice' | 'yesNo' | 'json' | 'lines' | 'tool' | 'format'

const kinds: Readonly<Record<KindName, Kind>> = {
  number: { read: Number, write: String },
  choice: { read: (text) => text, write: String },
  yesNo: { read: (text) => text === 'true', write: String },
  json: { read: JSON.parse, write: json },
  lines: {
    read: (text) => (text.startsWith('[') ? (JSON.parse(text) as unknown) : text.split('\n').filter(Boolean)),
    write: (value) => {
      const texts = value as readonly string[]
      return texts.some((text) => /\n|^\[/.test(text)) ? json(texts) : texts.join('\n')
    },
  },
  tool: {
    read: (text) => (['auto', 'none', 'required'].includes(text) ? text : { name: text }),
    write: (value) => (typeof value === 'string' ? value : (value as { readonly name: string }).name),
  },
  format: {
    read: (text) => {
      if (text.trim() === 'json') return { type: 'json' }
      const value = JSON.parse(text) as { readonly type?: unknown }
      return value.type === 'json-schema' ? value : { type: 'json-schema', schema: value }
    },
    write: (value) => ((value as { readonly type: string }).type === 'json' ? 'json' : json(value)),
  },
}

/** An option in the form of the page. */
export type OptionName =
  | Exclude<keyof OptionValues, 'system' | 'tools' | 'signal' | 'retry'>
  | 'mode'
  | 'maxOutputTokens'
  | 'maxCost'

/** The options that a person may set: how each is written, its label, and its choices or an example. */
const fields: Readonly<Record<OptionName, readonly [kind: KindName, label: string, choices?: readonly string[]]>> = {
  temperature: ['number', 'Temperature'],
  topP: ['number', 'Top P'],
  topK: ['number', 'Top K'],
  maxTokens: ['number', 'Most tokens in one reply'],
  stop: ['lines', 'Stop at these texts, one a line'],
  seed: ['number', 'Seed'],
  reasoning: ['choice', 'Reasoning', optionForms.reasoning.values],
  responseFormat: ['format', 'Format of the reply: json, or a JSON Schema'],
  toolChoice: ['tool', 'Tool choice: auto, none, required, or a name'],
  parallelToolCalls: ['yesNo', 'Several tool calls in one reply', ['true', 'false']],
  cache: ['choice', 'Prompt cache', optionForms.cache.values],
  topLogprobs: ['number', 'Likeliest tokens to report'],
  deadlineMs: ['number', 'Most milliseconds for a call'],
  providerTools: ['json', 'Tools of the vendor, as a JSON list'],
  vendor: ['json', 'Fields of the vendor, as JSON'],
  mode: ['choice', 'How the model calls tools', ['auto', 'native', 'json', 'text']],
  maxOutputTokens: ['number', 'Budget of a run: most tokens of all replies'],
  maxCost: ['number', 'Budget of a run: highest cost (needs prices)'],
}

/** What was written for each option that was added, as text. */
export type OptionDraft = Readonly<Partial<Record<OptionName, string>>>

/** The names in the order in which they are offered. */
export const optionNames: readonly OptionName[] = Object.keys(fields) as OptionName[]

/** What the form needs to know of an option. */
export function optionField(name: OptionName): {
  readonly kind: KindName
  readonly label: string
  readonly choices: readonly string[] | undefined
} {
  const [kind, label, choices] = fields[name]
  return { kind, label, choices }
}

/** What the options must be that the library does not have, or has in another form. */
const ownForms: Readonly<Record<string, Pick<(typeof optionForms)['system'], 'expected' | 'fits'>>> = {
  responseFormat: { expected: '“json” or JSON', fits: optionForms.responseFormat.fits },
  mode: { expected: 'a mode', fits: () => true },
  maxOutputTokens: optionForms.maxTokens,
  maxCost: { expected: 'a number above 0', fits: (value) => Number(value) > 0 },
}

/** The options, mode and budget of a run as they were written. @throws {Error} Names the option that cannot be read, and what it must be. */
export function readOptions(draft: OptionDraft): Pick<StartRun, 'options' | 'budget' | 'mode'> {
  const read: Record<string, unknown> = {}
  for (const [name, text] of Object.entries(draft) as [OptionName, string][]) {
    if (!text.trim()) continue
    const { kind, label } = optionField(name)
    const { expected, fits } = ownForms[name] ?? optionForms[name as keyof typeof optionForms]
    try {
      read[name] = kinds[kind].read(text)
    } catch {
      throw new Error(`${label}: must be ${expected}. What is written there is not JSON.`)
    }
    if (!fits(read[name])) throw new Error(`${label}: must be ${expected}.`)
  }
  const { mode = 'auto', maxOutputTokens, maxCost, ...options } = read
  const budget = Object.entries({ maxOutputTokens, maxCost }).filter(([, value]) => value !== undefined)
  return { mode, options, ...(budget.length > 0 && { budget: Object.fromEntries(budget) }) } as Pick<
    StartRun,
    'options'
  >
}

/** The options of a run as texts, to be continued with. */
export const writeOptions = ({ mode, options, budget }: Pick<StartRun, 'options' | 'budget' | 'mode'>): OptionDraft =>
  Object.fromEntries(
    Object.entries({ ...options, ...budget, ...(mode !== 'auto' && { mode }) }).flatMap(([name, value]) =>
      name in fields && value != null
        ? [[name, kinds[optionField(name as OptionName).kind].write(value as never)]]
        : [],
    ),
  )
