import { compactAbove } from '../history/compaction/automatic.js'
import { compact } from '../history/compaction/compact.js'
import type { CompactionRequest, CompactionResult, CompactionTools, Summarize } from '../history/compaction/request.js'
import { createSummarizer } from '../history/compaction/summary-text.js'
import { BudgetExceededError } from '../budget/budget.js'
import { ConversationHistory } from '../history/history.js'
import { messageOf } from '../base/message-of.js'
import { messagesTokens, toolTokens } from '../history/message-tokens.js'
import { JournalError } from '../journal/journal-error.js'
import type { RecordedError } from '../journal/journal-entry.js'
import { fromRecordedError, toRecordedError } from '../journal/recorded-error.js'
import { storeCheckpoint } from './checkpoints.js'
import { chargeLost } from './lost-call.js'
import type { RunState } from './run-state.js'

/** Compacts the conversation of a run when it fills more of the window than the request allows. If it fails, the conversation stays as it was and the run continues. */
export async function compactBefore(state: RunState): Promise<void> {
  const { compaction, profile, system = '' } = state.request
  if (compaction?.threshold === undefined || profile?.contextWindow === undefined) return
  const { threshold, onContextLength: _, ...request } = compaction
  const { contextWindow } = profile
  const report = await compactConversation(state, (history, tools) => {
    const otherTokens = toolTokens(state.tools.definitions, tools.estimate) + tools.estimate(system)
    return compactAbove(history, { threshold, contextWindow, otherTokens }, request, tools)
  })
  if (!report?.changed) return
  state.events.emit({ type: 'context-compacted', reason: 'threshold', report })
  await storeCheckpoint(state, 'model')
}

/**
 * Compacts the conversation of a run that the server refused as too long, when the request allows it.
 * @returns the report, or undefined where the conversation is as it was: it may not be compacted, it failed, or nothing could go.
 * @throws {BudgetExceededError} when a summary is more than the budget has left.
 */
export async function compactRefused(state: RunState): Promise<CompactionResult | undefined> {
  const request = refusalCompaction(state)
  if (!request) return undefined
  const report = await compactConversation(
    state,
    (history, tools) => compact(history, request, tools),
    BudgetExceededError,
  )
  return report?.changed ? report : undefined
}

/** How a conversation that is too long is compacted; undefined where it is not to be. */
export function refusalCompaction({ request: { compaction } }: RunState): CompactionRequest | undefined {
  if (!compaction) return undefined
  const { threshold: _, onContextLength = true, ...request } = compaction
  if (typeof onContextLength === 'object') return onContextLength
  return onContextLength ? request : undefined
}

/** Compacts the transcript in place. A failure is reported and dropped, except an abort and errors of the class `fatal`. */
async function compactConversation(
  state: RunState,
  work: (history: ConversationHistory, tools: CompactionTools) => Promise<CompactionResult | undefined>,
  fatal?: typeof BudgetExceededError,
): Promise<CompactionResult | undefined> {
  const history = ConversationHistory.fromList(state.transcript.sendable())
  const estimate = (text: string): number => state.estimate(text)
  try {
    const report = await work(history, { estimate, summarize: payingSummarizer(state), signal: state.signal })
    if (report?.changed) state.conversation.replace(history.toList())
    return report
  } catch (error) {
    state.signal.throwIfAborted()
    if (error instanceof JournalError || (fatal && error instanceof fatal)) throw error
    state.events.emit({ type: 'model-error', message: messageOf(error), code: 'compaction', recoverable: true })
    return undefined
  }
}

/** Makes summaries out of the run's budget. */
function payingSummarizer(state: RunState): Summarize {
  const { provider, ledger, log, request } = state
  const { profile } = request
  return async (summary) => {
    const key = log.keyOf('summary', state.turn.nextRequest())
    const recorded = log.find(key)
    const { receipt } = recorded ?? {}
    if (receipt?.kind === 'summary') {
      state.events.skipTo(receipt.seq)
      if (receipt.text !== undefined) return receipt.text
      if (receipt.error && !request.repeatFailed) throw fromRecordedError(receipt.error)
    }
    if (recorded?.intent && !receipt) chargeLost(state, recorded.intent)
    const estimate = (text: string): number => provider.estimateTokens(text)
    // The instructions of the summary are part of its prompt.
    const inputTokens = messagesTokens(summary.messages, estimate) + 500
    const reservation = ledger.reserveCall({
      inputTokens,
      maxOutputTokens: summary.maxTokens,
      ...(profile && { profile }),
    })
    const { deadlineMs, maxOutputTokens } = reservation
    const retry = { onRetry: ({ error }: { readonly error: unknown }) => reservation.retried(error) }
    const { name, model } = provider
    const summarize = createSummarizer(provider, { retry, ...(deadlineMs !== undefined && { deadlineMs }) })
    let outcome: { readonly text: string } | { readonly error: RecordedError }
    let failure: { readonly error: unknown } | undefined
    try {
      await log.intend(key, { entry: 'intent', kind: 'summary', provider: name, model, inputTokens, maxOutputTokens })
      outcome = { text: await summarize({ ...summary, maxTokens: maxOutputTokens }) }
    } catch (error) {
      if (error instanceof JournalError || state.signal.aborted) throw error
      failure = { error }
      outcome = { error: toRecordedError(error) }
    } finally {
      reservation.settle({ reported: false })
    }
    await log.record(key, { entry: 'receipt', kind: 'summary', ...outcome })
    if (failure) throw failure.error
    return 'text' in outcome ? outcome.text : ''
  }
}
