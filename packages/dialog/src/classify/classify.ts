import { describeProvider, isLlmError, LlmError } from '@modelport/core'
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
  for (const [index, method] of methods.entries()) {
    try {
      return method === 'logprobs'
        ? await byLogprobs(call, dialog, labels, options)
        : await byVotes(call, dialog, labels, options, {
            method,
            ...(method === 'grammar' && grammar && { vendor: grammar }),
          })
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
