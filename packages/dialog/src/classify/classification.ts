import type { RunJournal } from '@modelport/runtime'
import type { AgentCallOptions } from '../call/settings.js'
import type { CallTrace } from '../call/trace.js'
import { entropyOf, type LabelScores } from './label-scores.js'

/**
 * How a classification was made: by probabilities of tokens, or by votes that a grammar, a schema
 * or nothing holds to the labels.
 */
export type ClassifyMethod = 'logprobs' | 'grammar' | 'schema' | 'votes'

/** How a dialog is classified. */
export interface ClassifyOptions
  extends Omit<
    AgentCallOptions,
    'resume' | 'messages' | 'decisions' | 'parserArgs' | 'journal' | 'durable'
  > {
  /** Where each call is written down. */
  readonly journal?: RunJournal | undefined
  /** Default: the first of `logprobs`, `grammar`, `schema` and `votes` that the provider can do. */
  readonly method?: ClassifyMethod | undefined
  /**
   * `words` asks for the labels themselves, each of which must be one token; `letters` gives each
   * label a letter. Default: words, of which the first token counts, unless a label is long or two
   * labels begin alike.
   */
  readonly labels?: 'words' | 'letters' | undefined
  /** Minimum probability that must fall on labels, 0 to 1; less is an error. Default 0.5. */
  readonly minCoverage?: number | undefined
  /** How many tokens the server reports, which limits the number of labels: 1 to 20. Default 20. */
  readonly topLogprobs?: number | undefined
  /** Calls, for the methods by votes. Default 5. */
  readonly votes?: number | undefined
  /**
   * The question, with `{classes}` for the labels. Default:
   * `Please respond with one and only one word from {classes}`.
   */
  readonly question?: string | undefined
}

/** The result of a classification. */
export interface Classification<Label extends string> extends LabelScores {
  /** The likeliest label. */
  readonly label: Label
  readonly probabilities: Readonly<Record<Label, number>>
  /** How it was made. */
  readonly method: ClassifyMethod
  /** In bits: 0 when the model is certain. */
  readonly entropy: number
  /** Where the share of the winner lies with 95 % confidence (Wilson); by votes only. */
  readonly interval?: { readonly low: number; readonly high: number }
  /** The trace of each call behind it. */
  readonly traces: readonly CallTrace[]
}

/** Makes the result from counts or scores. */
export function toClassification<Label extends string>(
  method: ClassifyMethod,
  labels: readonly Label[],
  probabilities: Readonly<Record<string, number>>,
  coverage: number,
  traces: readonly CallTrace[],
): Classification<Label> {
  const label = labels.reduce((best, one) =>
    (probabilities[one] ?? 0) > (probabilities[best] ?? 0) ? one : best,
  )
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
