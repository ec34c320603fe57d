import { type CallOptions, type Capabilities, configError, type JsonObject } from '@modelport/core'
import type { CallDialog } from '../call/outcome.js'
import type { CallTrace } from '../call/trace.js'
import type { Dialog } from '../dialog/dialog.js'
import { choice } from '../parse/choice.js'
import { custom } from '../parse/custom.js'
import { type Parser, parseReply } from '../parse/parser.js'
import { fillForm } from '../vendor/fill-form.js'
import { askLabel } from './ask-label.js'
import {
  type Classification,
  type ClassifyMethod,
  type ClassifyOptions,
  toClassification,
} from './classification.js'

/** How replies are limited to the labels. */
export interface VoteMethod {
  readonly method: Exclude<ClassifyMethod, 'logprobs'>
  /** Vendor fields that do so. */
  readonly vendor?: JsonObject
  readonly sampling: CallOptions
}

/** The vendor fields that hold a reply to these labels, or undefined if the vendor has none. */
export const toGrammarFields = (
  labels: readonly string[],
  capabilities: Capabilities | undefined,
): JsonObject | undefined =>
  capabilities?.choices &&
  fillForm(capabilities.choices, {
    choices: labels,
    grammar: `root ::= ${labels.map(toLiteral).join(' | ')}`,
  })

/** A text as a grammar writes it, which is how JSON writes it. */
const toLiteral = (text: string): string => JSON.stringify(text)

/**
 * Classifies by counting replies.
 * @throws {LlmError} `config` — the number of votes is wrong.
 */
export async function byVotes<Label extends string>(
  call: CallDialog,
  dialog: Dialog,
  labels: readonly Label[],
  options: ClassifyOptions,
  { method, vendor, sampling }: VoteMethod,
): Promise<Classification<Label>> {
  const { votes = 5 } = options
  if (!Number.isInteger(votes) || votes < 1)
    throw configError(`classify: votes must be a whole number of at least 1, not ${votes}`)
  const counts = new Map<Label, number>(labels.map((label) => [label, 0]))
  const traces: CallTrace[] = []
  const asked = askLabel(
    dialog,
    labels,
    labels,
    options,
    method === 'schema' ? inSchema(labels) : choice(labels),
  )
  for (let vote = 0; vote < votes; vote++) {
    const { value, trace } = await call(asked, {
      ...options,
      options: {
        temperature: votes > 1 ? 1 : 0,
        ...options.options,
        ...sampling,
        ...(vendor && { vendor: { ...options.options?.vendor, ...vendor } }),
      },
    })
    counts.set(value, (counts.get(value) ?? 0) + 1)
    traces.push(trace)
  }
  const probabilities = Object.fromEntries(
    [...counts].map(([label, count]) => [label, count / votes]),
  )
  const found = toClassification(method, labels, probabilities, 1, traces)
  return { ...found, interval: wilson(counts.get(found.label) ?? 0, votes) }
}

/** A label in JSON, which servers can hold a model to. */
function inSchema<Label extends string>(labels: readonly Label[]): Parser<Label> {
  const schema = {
    type: 'object',
    properties: { label: { type: 'string', enum: labels } },
    required: ['label'],
    additionalProperties: false,
  }
  const parser = choice(labels)
  return custom(
    (reply) => {
      const label = /"label"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(reply)?.[1]
      return parseReply(parser, label === undefined ? reply : String(JSON.parse(`"${label}"`)))
    },
    { name: `label of ${labels.join(', ')}`, schema },
  )
}

/** The range of a share with 95 % confidence, after `count` of `total`. */
export function wilson(
  count: number,
  total: number,
): { readonly low: number; readonly high: number } {
  const z = 1.959964
  const share = count / total
  const scale = 1 + z ** 2 / total
  const middle = (share + z ** 2 / (2 * total)) / scale
  const half = (z * Math.sqrt((share * (1 - share)) / total + z ** 2 / (4 * total ** 2))) / scale
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) }
}
