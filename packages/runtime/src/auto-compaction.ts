import { compactAbove } from './compaction/automatic.js'
import type { Summarize } from './compaction/request.js'
import { createSummarizer } from './compaction/summary-text.js'
import { ConversationHistory } from './history.js'
import { messagesTokens, toolTokens } from './message-tokens.js'
import type { RunState } from './run-state.js'
import { Transcript } from './transcript.js'

/** Compacts the conversation of a run when it fills more of the window than the request allows. A failure leaves it as it was, and the run goes on. */
export async function compactBefore(state: RunState): Promise<void> {
  const { compaction, profile, system = '' } = state.request
  if (!compaction || profile?.contextWindow === undefined) return
  const { threshold, ...request } = compaction
  const estimate = (text: string): number => state.estimate(text)
  const otherTokens = toolTokens(state.toolDefinitions, estimate) + estimate(system)
  const history = ConversationHistory.fromList(state.transcript.sendable())
  try {
    const tools = { estimate, summarize: payingSummarizer(state), signal: state.signal }
    const result = await compactAbove(history, { threshold, contextWindow: profile.contextWindow, otherTokens }, request, tools)
    if (result?.changed) state.transcript = new Transcript(history.toList())
  } catch (error) {
    state.signal.throwIfAborted()
    state.events.emit({ type: 'llm_error', message: error instanceof Error ? error.message : String(error), code: 'compaction', recoverable: true })
  }
}

/** Makes summaries out of the run's budget. */
function payingSummarizer({ provider, ledger, request: { profile } }: RunState): Summarize {
  return async (request) => {
    const estimate = (text: string): number => provider.estimateTokens(text)
    // The instructions of the summary are part of its prompt.
    const inputTokens = messagesTokens(request.messages, estimate) + 500
    const reservation = ledger.reserveCall({ inputTokens, maxOutputTokens: request.maxTokens, ...(profile && { profile }) })
    const { deadlineMs, maxOutputTokens } = reservation
    const retry = { onRetry: ({ error }: { readonly error: unknown }) => reservation.retried(error) }
    try {
      return await createSummarizer(provider, { retry, ...(deadlineMs !== undefined && { deadlineMs }) })({ ...request, maxTokens: maxOutputTokens })
    } finally {
      reservation.settle({ reported: false })
    }
  }
}
