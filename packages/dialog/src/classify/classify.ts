import { describeProvider, isLlmError, LlmError, textOf } from '@modelport/core'
import type { CallSuccess } from '../call/outcome.js'
import type { AgentCallOptions, CallerSettings } from '../call/settings.js'
import type { CallTrace } from '../call/trace.js'
import { Dialog } from '../dialog/dialog.js'
import { choice } from '../parse/choice.js'
import { custom } from '../parse/custom.js'
import { parseReply, type Parser } from '../parse/parser.js'
import { text } from '../parse/text.js'
import { definePrompt } from '../prompt/define-prompt.js'
import { ClassificationError, entropyOf, type LabelScores, scoreLabels, topTokens } from './label-scores.js'

/** How a classification was made: by probabilities of tokens, by votes held to a schema, or by votes in plain text. */
export type ClassifyMethod = 'logprobs' | 'schema' | 'votes'

/** How a dialog is classified. */
export interface ClassifyOptions extends Omit<AgentCallOptions, 'resume' | 'decisions' | 'parserArgs'> {
  /** Default: the first of `logprobs`, `schema` and `votes` that the provider can do. */
  readonly method?: ClassifyMethod
  /**
   * `words` asks for the labels themselves, each of which must be one token; `letters` gives each label a letter. Default: words, of which the first token
   * counts, unless a label is long or two labels begin alike.
   */
  readonly labels?: 'words' | 'letters'
  /** Least probability that must fall on labels, 0 to 1; less is an error. Default 0.5. */
  readonly minCoverage?: number
  /** How many tokens the server reports, which limits the number of labels: 1 to 20. Default 20. */
  readonly topLogprobs?: number
  /** Calls, for the methods by votes. Default 5. */
  readonly votes?: number
  /** The question, with `{classes}` for the labels. Default: `Please respond with one and only one word from {classes}`. */
  readonly question?: string
}

/** What a classification came to. */
export interface Classification<Label extends string> extends LabelScores {
  /** The likeliest label. */
  readonly label: Label
  readonly probabilities: Readonly<Record<Label, number>>
  readonly method: ClassifyMethod
  /** In bits: 0 when the model is certain. */
  readonly entropy: number
  /** Where the share of the winner lies with 95 % confidence (Wilson); by votes only. */
  readonly interval?: { readonly low: number; readonly high: number }
  /** Of each call behind it. */
  readonly traces: readonly CallTrace[]
}

/** Calls a dialog; the state machine of the agent. */
export type CallDialog = <Value>(dialog: Dialog<Value>, options: AgentCallOptions) => Promise<CallSuccess<Value>>

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const defaultQuestion = 'Please respond with one and only one word from {classes}'

/**
 * Classifies a dialog; see `DialogCaller.classify`.
 * @throws {LlmError} `config` — the labels or an option are wrong.
 */
export async function classify<Label extends string>(
  settings: CallerSettings,
  call: CallDialog,
  dialog: Dialog,
  labels: readonly Label[],
  options: ClassifyOptions,
): Promise<Classification<Label>> {
  checkLabels(labels)
  const capabilities = settings.capabilities ?? describeProvider(settings.provider).capabilities
  const methods: readonly ClassifyMethod[] = options.method
    ? [options.method]
    : [
        ...(capabilities?.logprobs.supported === false ? [] : (['logprobs'] as const)),
        ...(capabilities?.schema.supported === false ? [] : (['schema'] as const)),
        'votes',
      ]
  for (const [index, method] of methods.entries()) {
    try {
      return method === 'logprobs'
        ? await byLogprobs(call, dialog, labels, options)
        : await byVotes(call, dialog, labels, options, method)
    } catch (error) {
      const isRefused = isLlmError(error, 'unsupported') || error instanceof NoLogprobsError
      if (!isRefused || index === methods.length - 1) throw error
    }
  }
  throw new LlmError('unsupported', 'there is no method to classify with')
}

function checkLabels(labels: readonly string[]): void {
  if (labels.length < 2) throw new LlmError('config', 'classify: give at least two labels')
  choice(labels)
}

/** The server took the request and reported no probabilities. */
class NoLogprobsError extends ClassificationError {}

async function byLogprobs<Label extends string>(
  call: CallDialog,
  dialog: Dialog,
  labels: readonly Label[],
  options: ClassifyOptions,
): Promise<Classification<Label>> {
  const { topLogprobs = 20, minCoverage = 0.5 } = options
  if (labels.length > topLogprobs)
    throw new LlmError(
      'config',
      `classify: ${labels.length} labels are more than the ${topLogprobs} tokens that the API reports; use fewer, or the method "votes"`,
    )
  const useLetters = options.labels === 'letters' || (options.labels !== 'words' && needLetters(labels))
  const shown = useLetters ? labels.map((_, index) => letters.charAt(index)) : labels
  const asked = ask(dialog, labels, shown, options, text())
  const { details, trace } = await call(asked, {
    ...options,
    options: { maxTokens: 1, temperature: 0, ...options.options, topLogprobs },
  })
  const top = topTokens(details)
  if (!top) throw new NoLogprobsError('the server reported no probabilities of tokens; use the method "votes"')
  const { probabilities, coverage } = scoreLabels(top, labels, shown, options.labels !== undefined)
  if (coverage < minCoverage || coverage === 0)
    throw new ClassificationError(
      `only ${coverage.toFixed(3)} of the probability fell on the labels, less than minCoverage ${minCoverage}; the model answers something else`,
      coverage,
    )
  return toClassification('logprobs', labels, probabilities, coverage, [trace])
}

/** True for labels of which the first token cannot tell them apart, or that are a sentence. */
const needLetters = (labels: readonly string[]): boolean =>
  labels.some((label) => label.length > 16 || /\s/.test(label.trim())) ||
  new Set(labels.map((label) => label.trim().slice(0, 3).toLowerCase())).size < labels.length

async function byVotes<Label extends string>(
  call: CallDialog,
  dialog: Dialog,
  labels: readonly Label[],
  options: ClassifyOptions,
  method: 'schema' | 'votes',
): Promise<Classification<Label>> {
  const { votes = 5 } = options
  if (!Number.isInteger(votes) || votes < 1)
    throw new LlmError('config', `classify: votes must be a whole number of at least 1, not ${votes}`)
  const counts = new Map<Label, number>(labels.map((label) => [label, 0]))
  const traces: CallTrace[] = []
  const asked = ask(dialog, labels, labels, options, method === 'schema' ? inSchema(labels) : choice(labels))
  for (let vote = 0; vote < votes; vote++) {
    const { value, trace } = await call(asked, {
      ...options,
      options: { temperature: votes > 1 ? 1 : 0, ...options.options },
    })
    counts.set(value, (counts.get(value) ?? 0) + 1)
    traces.push(trace)
  }
  const probabilities = Object.fromEntries([...counts].map(([label, count]) => [label, count / votes]))
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

/** The dialog with the question. A user turn that is still open gets the question at its end: servers want roles to alternate. */
function ask<Value>(
  dialog: Dialog,
  labels: readonly string[],
  shown: readonly string[],
  { question = defaultQuestion }: ClassifyOptions,
  parse: Parser<Value>,
): Dialog<Value> {
  const isLettered = shown.some((one, index) => one !== labels[index])
  const list = isLettered ? shown.map((one, index) => `${one} = ${labels[index] ?? ''}`).join('\n') : ''
  const prompt = definePrompt<string, Value>({
    path: 'modelport/classify',
    text: [question, ...(list ? ['{list}'] : [])].join('\n'),
    parse,
    onParseError: defaultQuestion,
  })
  const classes = shown.join(', ')
  const values = { ...(prompt.placeholders.includes('classes') && { classes }), ...(list && { list }) }
  const last = dialog.node
  if (last?.message.role !== 'user') return dialog.send(prompt, values)
  const { content } = last.message
  const asked = prompt.render(values)
  const merged =
    typeof content === 'string' ? `${content}\n\n${asked}` : [...content, { type: 'text' as const, text: asked }]
  const turn = { prompt, args: { ...values, classes } }
  const before = Dialog.of<Value>(last.parent, turn)
  return textOf(content) || typeof content !== 'string'
    ? before.append({ ...last.message, content: merged })
    : dialog.send(prompt, values)
}

function toClassification<Label extends string>(
  method: ClassifyMethod,
  labels: readonly Label[],
  probabilities: Readonly<Record<string, number>>,
  coverage: number,
  traces: readonly CallTrace[],
): Classification<Label> {
  const label = labels.reduce((best, one) => ((probabilities[one] ?? 0) > (probabilities[best] ?? 0) ? one : best))
  return {
    label,
    // It has each label, and nothing else.
    probabilities: probabilities,
    coverage,
    method,
    entropy: entropyOf(probabilities),
    traces,
  }
}

/** Where a share lies with 95 % confidence, after `count` of `total`. */
export function wilson(count: number, total: number): { readonly low: number; readonly high: number } {
  const z = 1.959964
  const share = count / total
  const scale = 1 + z ** 2 / total
  const middle = (share + z ** 2 / (2 * total)) / scale
  const half = (z * Math.sqrt((share * (1 - share)) / total + z ** 2 / (4 * total ** 2))) / scale
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) }
}
