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

const isBudget = (name: OptionName): name is 'maxCost' | 'maxOutputTokens' =>
  name.startsWith('max') && name !== 'maxTokens'

/** The options and the budget of a run as they were written. @throws {Error} Names the option that cannot be read, and what it must be. */
export function readOptions(draft: OptionDraft): Pick<StartRun, 'options' | 'budget'> {
  const read = { options: {} as Record<string, unknown>, budget: {} as Record<string, unknown> }
  for (const [name, text] of Object.entries(draft) as [OptionName, string][]) {
    if (!text.trim()) continue
    const { kind, label } = optionField(name)
    const { expected, fits } = isBudget(name) ? optionForms.maxTokens : optionForms[name]
    const problem = `${label}: must be ${name === 'maxCost' ? 'a number above 0' : kind === 'format' ? '“json” or JSON' : expected}`
    let value: unknown
    try {
      value = kinds[kind].read(text)
    } catch {
      throw new Error(`${problem}. What is written there is not JSON.`)
    }
    if (name === 'maxCost' ? !(Number(text) > 0) : !fits(value)) throw new Error(`${problem}.`)
    read[isBudget(name) ? 'budget' : 'options'][name] = value
  }
  return Object.keys(read.budget).length > 0 ? read : { options: read.options }
}

/** The options of a run as texts, to be continued with. */
export const writeOptions = ({ options = {}, budget = {} }: Pick<StartRun, 'options' | 'budget'>): OptionDraft =>
  Object.fromEntries(
    Object.entries({ ...options, ...budget }).flatMap(([name, value]) =>
      name in fields && value != null
        ? [[name, kinds[optionField(name as OptionName).kind].write(value as never)]]
        : [],
    ),
  )
