import { LlmError, type ReplyDetails } from '@modelport/core'

/** Probabilities of labels, and how much of the model's mass fell on any of them. */
export interface LabelScores {
  /** By label; they add up to 1. */
  readonly probabilities: Readonly<Record<string, number>>
  /** Probability that fell on labels at all, 0 to 1. */
  readonly coverage: number
}

/** A classification that has no result. */
export class ClassificationError extends LlmError {
  /** Probability that fell on labels, where it was measured. */
  readonly coverage?: number

  constructor(message: string, coverage?: number) {
    super('protocol', message)
    if (coverage !== undefined) this.coverage = coverage
  }
}
Object.defineProperty(ClassificationError.prototype, 'name', { value: 'ClassificationError' })

/** Marks of tokenizers and quotes before a label, and what may follow one. */
const before = /[\s\u2581\u0120"'`*]/
const after = /[\s"'`*.]/

/** The text of a token, without the marks of tokenizers, quotes and case. */
function normalize(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && before.test(text.charAt(start))) start++
  while (end > start && after.test(text.charAt(end - 1))) end--
  return text.slice(start, end).toLowerCase()
}

/**
 * Probability on tokens that are only the start of a label; a strict reading fails from this value
 * on.
 */
const mostBeginnings = 0.01

/**
 * Scores labels by the likeliest first tokens of a reply.
 * @param shown what the model was asked to write for each label, in their order
 * @param strict true accepts whole labels only: a label of several tokens is an error that names it
 * @throws {ClassificationError} a label is not one token, or two labels begin with the same token.
 */
export function scoreLabels(
  top: readonly { readonly token: string; readonly logprob: number }[],
  labels: readonly string[],
  shown: readonly string[],
  strict: boolean,
): LabelScores {
  const words = shown.map(normalize)
  const mass = new Map(labels.map((label) => [label, 0]))
  let shared = 0
  for (const { token, logprob } of top) {
    const word = normalize(token)
    const probability = Math.exp(logprob)
    const exact = words.indexOf(word)
    const begun = word ? words.flatMap((one, index) => (one.startsWith(word) ? [index] : [])) : []
    const index = exact >= 0 ? exact : begun.length === 1 ? (begun[0] ?? -1) : -1
    const label = labels[index]
    if (label === undefined) {
      if (begun.length > 1) shared += probability
      continue
    }
    if (strict && exact < 0 && probability > mostBeginnings)
      throw new ClassificationError(
        `the label ${JSON.stringify(label)} is not one token for this model, which began it with ${JSON.stringify(token)}; use labels: "letters"`,
      )
    mass.set(label, (mass.get(label) ?? 0) + probability)
  }
  const fallen = [...mass.values()].reduce((sum, one) => sum + one, 0)
  const coverage = Math.min(1, fallen)
  if (shared > Math.max(coverage, mostBeginnings))
    throw new ClassificationError(
      'two labels begin with the same token; use labels: "letters"',
      coverage,
    )
  const total = coverage || 1
  return {
    coverage,
    probabilities: Object.fromEntries([...mass].map(([label, one]) => [label, one / total])),
  }
}

/**
 * The likeliest tokens where the text of a reply begins, or undefined if the server reported none.
 * Servers also report the tokens of reasoning, which come before; an API with a minimum of tokens
 * has further ones after it.
 */
export function topTokens(
  { logprobs = [] }: ReplyDetails,
  text: string,
): readonly { readonly token: string; readonly logprob: number }[] | undefined {
  let start = logprobs.length
  for (let tail = ''; start > 0 && !tail.includes(text.trim()); )
    tail = (logprobs[--start]?.token ?? '') + tail
  const rest = logprobs.slice(start)
  const first = rest.find(({ token }) => normalize(token) !== '') ?? rest[0]
  if (!first) return undefined
  return first.top?.length ? first.top : [first]
}

/** Entropy in bits. */
export const entropyOf = (probabilities: Readonly<Record<string, number>>): number =>
  Object.values(probabilities).reduce((sum, p) => (p > 0 ? sum - p * Math.log2(p) : sum), 0)
