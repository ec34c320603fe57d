import type { TokenUsage } from '@modelport/core'
import { messageOf } from '../../base/message-of.js'
import { BudgetExceededError } from '../../budget/budget.js'
import { type CallMetrics, measureCall } from '../../budget/metrics.js'
import { SharedCharge } from '../../budget/shared-charge.js'
import { compactAbove } from '../../history/compaction/automatic.js'
import { compact } from '../../history/compaction/compact.js'
import type {
  CompactionRequest,
  CompactionResult,
  CompactionTools,
  Summarize,
  SummaryRequest,
} from '../../history/compaction/request.js'
import { askForSummary } from '../../history/compaction/summary-text.js'
import { ConversationHistory } from '../../history/history.js'
import { messagesTokens, toolTokens } from '../../history/message-tokens.js'
import type { EffectLog } from '../../journal/effect-log.js'
import { EngineStop } from '../../journal/engine.js'
import type { RunReceipt } from '../../journal/journal-entry.js'
import { JournalError } from '../../journal/journal-error.js'
import { fromRecordedError, toRecordedError } from '../../journal/recorded-error.js'
import type { AutoCompaction } from '../request/run-request.js'
import { storeCheckpoint } from '../state/checkpoints.js'
import type { Uses } from '../state/run-state.js'
import type { RunTally } from '../state/run-tally.js'
import { givenOptions, instructionsOf } from './call-options.js'
import { countFailure } from './count-failure.js'
import { chargeLost } from './lost-call.js'
import { intendOrRelease, lookAtRoom } from './reserve-call.js'

/** The parts of a run that a compaction uses. */
type CompactionParts = Uses<
  'request' | 'models' | 'tools' | 'conversation' | 'meter' | 'events' | 'storage' | 'turn'
>

/**
 * Compacts the conversation of a run when it fills more of the window than the request allows. If
 * it fails, the conversation stays as it was and the run continues.
 */
export async function compactBefore(state: CompactionParts): Promise<void> {
  const { request, models } = state
  if (request.compaction?.threshold === undefined || models.profile?.contextWindow === undefined)
    return
  const { threshold, onContextLength: _, ...settings } = request.compaction
  const { contextWindow } = models.profile
  const report = await compactConversation(state, (history, tools) => {
    const otherTokens =
      toolTokens(state.tools.definitions, tools.estimate) +
      tools.estimate(instructionsOf(state, givenOptions(state)))
    return compactAbove(history, { threshold, contextWindow, otherTokens }, settings, tools)
  })
  if (!report?.changed) return
  state.events.emit({ type: 'context-compacted', reason: 'threshold', report })
  await storeCheckpoint(state, 'model')
}

/**
 * Compacts the conversation of a run that the server refused as too long, when the request allows
 * it.
 * @returns the report, or undefined where the conversation is as it was: it may not be compacted,
 * it failed, or nothing could go.
 * @throws {BudgetExceededError} when a summary is more than the budget has left.
 */
export async function compactRefused(
  state: CompactionParts,
): Promise<CompactionResult | undefined> {
  const request = refusalCompaction(state.request.compaction)
  if (!request) return undefined
  const report = await compactConversation(
    state,
    (history, tools) => compact(history, request, tools),
    BudgetExceededError,
  )
  return report?.changed ? report : undefined
}

/** How a conversation that is too long is compacted; undefined if it must not be. */
export function refusalCompaction(
  compaction: AutoCompaction | undefined,
): CompactionRequest | undefined {
  if (!compaction) return undefined
  const { threshold: _, onContextLength = true, ...request } = compaction
  if (typeof onContextLength === 'object') return onContextLength
  return onContextLength ? request : undefined
}

/**
 * Compacts the transcript in place. A failure is reported and dropped, except an abort and errors
 * of the class `fatal`.
 */
async function compactConversation(
  state: CompactionParts,
  work: (
    history: ConversationHistory,
    tools: CompactionTools,
  ) => Promise<CompactionResult | undefined>,
  fatal?: typeof BudgetExceededError,
): Promise<CompactionResult | undefined> {
  const history = ConversationHistory.fromList(
    state.conversation.longResults.show(state.conversation.transcript.sendable()),
  )
  const estimate = (text: string): number => state.models.estimate(text)
  try {
    const report = await work(history, {
      estimate,
      summarize: payingSummarizer(state),
      signal: state.request.signal,
    })
    if (report?.changed)
      state.conversation.replace(
        history.toList().map((one) => state.conversation.longResults.wholeOf(one)),
      )
    return report
  } catch (error) {
    state.request.signal.throwIfAborted()
    const isOfStore = error instanceof JournalError || error instanceof EngineStop
    if (isOfStore || (fatal && error instanceof fatal)) throw error
    const message = messageOf(error)
    state.events.emit({ type: 'model-error', message, code: 'compaction', recoverable: true })
    state.meter.warn(`the conversation stays as it was: ${message}`)
    return undefined
  }
}

/** Makes summaries out of the run's budget. */
function payingSummarizer(state: CompactionParts): Summarize {
  const { storage, request } = state
  return async (summary) => {
    const key = storage.log.keyOf('summary', state.turn.nextRequest())
    const before = receiptOf(storage.log, key)
    const repeats = before?.error !== undefined && request.durable.repeatFailed
    if (before && !repeats) return replaySummary(state, before)

    const { name, model } = state.models.provider
    const effect = {
      kind: 'summary',
      label: model,
      repeat: 'always',
      input: { provider: name, model },
    } as const
    const made = await storage.log.perform(key, effect, () =>
      makeRecordedSummary(state, summary, key),
    )
    if (made) return accept(state.meter.tally, made.value)
    const recorded = receiptOf(storage.log, key)
    if (!recorded) throw new TypeError(`${key} has no summary`)
    return replaySummary(state, recorded)
  }
}

type SummaryReceipt = Extract<RunReceipt, { kind: 'summary' }>

function receiptOf(log: EffectLog, key: string): SummaryReceipt | undefined {
  const receipt = log.find(key)?.receipt
  return receipt?.kind === 'summary' ? receipt : undefined
}

/** What a summary was before the resume. @throws what it failed with. */
function replaySummary(
  state: Uses<'request' | 'models' | 'meter' | 'events'>,
  receipt: SummaryReceipt,
): string {
  state.events.skipTo(receipt.seq)
  if (receipt.text !== undefined)
    return accept(state.meter.tally, { ...receipt, text: receipt.text })
  const failure = fromRecordedError(
    receipt.error ?? { code: 'unknown', message: 'the recorded summary has no text' },
  )
  countFailure(state, failure, { kind: 'summary', latencyMs: 0, inputTokens: 0, outputTokens: 0 })
  throw failure
}

/** Makes one summary, and records it or its failure. */
async function makeRecordedSummary(
  state: CompactionParts,
  summary: SummaryRequest,
  key: string,
): Promise<RecordedSummary> {
  const { storage } = state
  const { intent, receipt } = storage.log.find(key) ?? {}
  if (intent && !receipt) chargeLost(state, intent)
  let made: RecordedSummary
  try {
    made = await makeCall(state, summary, key)
  } catch (error) {
    const isRecorded = !(
      error instanceof JournalError ||
      error instanceof BudgetExceededError ||
      state.request.signal.aborted
    )
    if (isRecorded)
      await storage.log.record(key, {
        entry: 'receipt',
        kind: 'summary',
        error: toRecordedError(error),
      })
    else await storage.log.settle(key, state.request.signal.aborted)
    throw error
  }
  await storage.log.record(key, { entry: 'receipt', kind: 'summary', ...made })
  return made
}

/** A summary as a journal has it; one of an older version has only the text. */
interface RecordedSummary {
  readonly text: string
  readonly usage?: TokenUsage
  readonly metrics?: CallMetrics
}

/** Counts a summary, and gives its text. */
function accept(tally: RunTally, { text, usage, metrics }: RecordedSummary): string {
  if (metrics && usage) tally.addReply(metrics, usage)
  return text
}

/** Makes the request of a summary, which the budget is charged for in full. */
async function makeCall(
  state: CompactionParts,
  summary: SummaryRequest,
  key: string,
): Promise<RecordedSummary> {
  const { models, meter, storage } = state
  // The instructions of the summary are part of its prompt.
  const inputTokens = messagesTokens(summary.messages, models.estimate) + 500
  const looked = lookAtRoom(state)
  const room = looked && (await looked)
  const reservation = meter.ledger.reserveCall({
    inputTokens,
    room,
    maxOutputTokens: summary.maxTokens,
    fewestOutputTokens: models.capabilities?.fewestTokens,
    ...(models.profile && { profile: models.profile }),
  })
  const { deadlineMs, maxOutputTokens } = reservation
  const charge = SharedCharge.of(
    meter.ledger,
    reservation,
    { profile: models.profile },
    state.request.signal,
  )
  const onRetry = async ({ error }: { readonly error: unknown }): Promise<void> => {
    reservation.retried(error)
    await charge?.retried()
  }
  const options = { retry: { onRetry }, ...(deadlineMs !== undefined && { deadlineMs }) }
  const { name, model } = models.provider
  const call = { provider: name, model, inputTokens, maxOutputTokens }
  const intended = storage.log.intend(key, { entry: 'intent', kind: 'summary', ...call }, charge)
  await intendOrRelease(state, reservation, intended)
  const startedAt = performance.now()
  try {
    const { text, usage, message } = await askForSummary(models.provider, options, {
      ...summary,
      maxTokens: maxOutputTokens,
    })
    const metrics = measureCall({
      provider: name,
      model: message.origin?.model ?? model,
      latencyMs: performance.now() - startedAt,
      usage,
      estimated: { inputTokens, outputTokens: models.estimate(text) },
      ...(models.profile && { profile: models.profile }),
    })
    return { text, usage, metrics: { ...metrics, kind: 'summary' } }
  } catch (error) {
    const latencyMs = performance.now() - startedAt
    if (!(error instanceof JournalError))
      countFailure(state, error, { kind: 'summary', latencyMs, inputTokens, outputTokens: 0 })
    throw error
  } finally {
    reservation.settle({ reported: false })
  }
}
