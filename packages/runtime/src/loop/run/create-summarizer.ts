import type { Provider } from '@modelport/core'
import { checkProvider } from '../../base/check-request.js'
import type { Summarize } from '../../history/compaction/request.js'
import { summaryPrompt } from '../../history/compaction/summary-text.js'
import type { InferRequest } from '../request/run-request.js'
import { orThrow } from '../result/or-throw.js'
import { infer } from './infer.js'

/**
 * Makes summaries with a model. Each is a run of one call, which sees nothing but the messages to
 * shorten: it is charged to the budget in `limits`, also if its process dies.
 * @param run what each of these runs has besides its messages
 * @throws {LlmError} what the model call failed with; `budget-exceeded` — the budget has too little
 * left
 */
export function createSummarizer(
  provider: Provider,
  run: Pick<InferRequest, 'options' | 'limits' | 'observe'> = {},
): Summarize {
  checkProvider(provider)
  return async ({ messages, maxTokens, signal }) => {
    const { system, prompt } = summaryPrompt(messages)
    const result = await infer(provider, {
      ...run,
      query: prompt,
      options: { ...run.options, system, maxTokens },
      limits: { ...run.limits, maxSteps: 1 },
      signal,
    })
    // An empty reply is not asked for again: whoever compacts refuses a summary without text.
    if (result.status === 'limit') return ''
    if (result.status === 'failed') throw result.error
    if (result.status === 'cancelled') throw result.reason
    return orThrow(result, { accept: 'truncated' }).text
  }
}
