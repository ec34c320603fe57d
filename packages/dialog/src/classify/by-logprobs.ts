import { type CallOptions, configError } from '@modelport/core'
import { AgentCallError } from '../call/call-error.js'
import type { CallDialog } from '../call/outcome.js'
import type { Dialog } from '../dialog/dialog.js'
import { text } from '../parse/text.js'
import { askLabel } from './ask-label.js'
import { type Classification, type ClassifyOptions, toClassification } from './classification.js'
import { ClassificationError, scoreLabels, topTokens } from './label-scores.js'

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** The server took the request and reported no probabilities of the answer. */
export class NoLogprobsError extends ClassificationError {}

const noText =
  'the reply has no text: the model says nothing, or thinks first; use the method "schema" or "votes", or options.maxTokens with room to think'

/** What one classification by probabilities needs to know. */
export interface LogprobsMethod {
  /** Smallest `maxTokens` that the API takes. */
  readonly fewestTokens: number
  readonly sampling: CallOptions
}

/**
 * Classifies by the probabilities of the first token of one reply.
 * @throws {ClassificationError} there are no probabilities, or too little of them fell on labels.
 * @throws {LlmError} `config` — the API reports fewer tokens than there are labels.
 */
export async function byLogprobs<Label extends string>(
  call: CallDialog,
  dialog: Dialog,
  labels: readonly Label[],
  options: ClassifyOptions,
  { fewestTokens, sampling }: LogprobsMethod,
): Promise<Classification<Label>> {
  const { topLogprobs = 20, minCoverage = 0.5 } = options
  if (labels.length > topLogprobs)
    throw configError(
      `classify: ${labels.length} labels are more than the ${topLogprobs} tokens that the API reports; use fewer, or the method "votes"`,
    )
  const useLetters =
    options.labels === 'letters' || (options.labels !== 'words' && needLetters(labels))
  const shown = useLetters ? labels.map((_, index) => letters.charAt(index)) : labels
  const asked = askLabel(dialog, labels, shown, options, text())
  const {
    details,
    text: reply,
    trace,
  } = await call(asked, {
    ...options,
    limits: { ...options.limits, maxParseRetries: 0 },
    options: {
      maxTokens: fewestTokens,
      temperature: 0,
      ...options.options,
      ...sampling,
      topLogprobs,
    },
  }).catch((error: unknown) => {
    // Any text is a reply here: a refused reply had no text.
    throw error instanceof AgentCallError && error.limit === 'parse-retries'
      ? new NoLogprobsError(noText)
      : error
  })
  const top = topTokens(details, reply)
  if (!top)
    throw new NoLogprobsError(
      'the server reported no probabilities of tokens; use the method "votes"',
    )
  const { probabilities, coverage } = scoreLabels(top, labels, shown, options.labels !== undefined)
  if (coverage < minCoverage || coverage === 0)
    throw new ClassificationError(
      `only ${coverage.toFixed(3)} of the probability fell on the labels, less than minCoverage ${minCoverage}; the model says something else`,
      coverage,
    )
  return toClassification('logprobs', labels, probabilities, coverage, [trace])
}

/** True for labels that share their first token, or that are a sentence. */
const needLetters = (labels: readonly string[]): boolean =>
  labels.some((label) => label.length > 16 || /\s/.test(label.trim())) ||
  new Set(labels.map((label) => label.trim().slice(0, 3).toLowerCase())).size < labels.length
