import {
  type CallOptions,
  configError,
  describeProvider,
  isLlmError,
  LlmError,
} from '@modelport/core'
import type { CallDialog } from '../call/outcome.js'
import type { CallerSettings } from '../call/settings.js'
import type { Dialog } from '../dialog/dialog.js'
import { choice } from '../parse/choice.js'
import { byLogprobs, NoLogprobsError } from './by-logprobs.js'
import { byVotes, toGrammarFields } from './by-votes.js'
import type { Classification, ClassifyMethod, ClassifyOptions } from './classification.js'

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
  const grammar = toGrammarFields(labels, capabilities)
  if (options.method === 'grammar' && !grammar)
    throw new LlmError(
      'unsupported',
      `${settings.provider.name} is not known to hold a reply to a grammar; use the method "schema" or "votes"`,
    )
  const methods: readonly ClassifyMethod[] = options.method
    ? [options.method]
    : [
        ...(capabilities?.logprobs.supported === false ? [] : (['logprobs'] as const)),
        ...(grammar ? (['grammar'] as const) : []),
        ...(capabilities?.schema.supported === false ? [] : (['schema'] as const)),
        'votes',
      ]
  const fewestTokens = describeProvider(settings.provider).capabilities?.fewestTokens ?? 1
  const mayBeAsked =
    capabilities?.reasoning.supported !== false && !isSet(settings, options, 'reasoning')
  const isAskedFirst =
    mayBeAsked && (capabilities?.reasoning.supported === true || options.method === 'grammar')
  let sampling: CallOptions = {}
  // Reasoning would use up the one token or fill the grammar: models that are known or seen to
  // reason are asked not to.
  let quiet: boolean | undefined = isAskedFirst || undefined
  const run = (method: ClassifyMethod): Promise<Classification<Label>> => {
    const isQuiet = quiet && (method === 'logprobs' || method === 'grammar')
    const given: CallOptions = { ...sampling, ...(isQuiet && { reasoning: 'none' }) }
    return method === 'logprobs'
      ? byLogprobs(call, dialog, labels, options, { fewestTokens, sampling: given })
      : byVotes(call, dialog, labels, options, {
          method,
          sampling: given,
          ...(method === 'grammar' && grammar && { vendor: grammar }),
        })
  }
  for (let index = 0; ; ) {
    try {
      return await run(methods[index] ?? 'votes')
    } catch (error) {
      if (
        isTemperatureRefusal(error) &&
        sampling.temperature === undefined &&
        !isSet(settings, options, 'temperature')
      )
        sampling = { temperature: null }
      else if (quiet && isAskedFirst && isThinkingRefusal(error)) quiet = false
      else if (quiet === undefined && mayBeAsked && showsThinking(error)) quiet = true
      else if (isMethodRefusal(error) && index < methods.length - 1) index++
      else throw error
    }
  }
}

/**
 * True if the server, or the provider before it, does not take the request of a method: the next
 * one asks otherwise.
 */
const isMethodRefusal = (error: unknown): boolean =>
  isLlmError(error, 'unsupported') ||
  isLlmError(error, 'invalid-request') ||
  error instanceof NoLogprobsError

/** True for models that choose their temperature themselves. */
const isTemperatureRefusal = (error: unknown): boolean =>
  isMethodRefusal(error) && /temperature/i.test((error as Error).message)

/** True for models whose reasoning cannot be switched off. */
const isThinkingRefusal = (error: unknown): boolean =>
  isMethodRefusal(error) &&
  !(error instanceof NoLogprobsError) &&
  /reason|think|effort/i.test((error as Error).message)

/** True for a reply that ended before its text, and for a refusal because the model reasons. */
const showsThinking = (error: unknown): boolean =>
  isMethodRefusal(error) && /reasoning|think/i.test((error as Error).message)

/** True for an option that the application set. */
const isSet = (
  settings: CallerSettings,
  { options }: ClassifyOptions,
  name: keyof CallOptions,
): boolean => (options?.[name] ?? settings.options?.[name]) !== undefined

function checkLabels(labels: readonly string[]): void {
  if (labels.length < 2) throw configError('classify: give at least two labels')
  choice(labels)
}
