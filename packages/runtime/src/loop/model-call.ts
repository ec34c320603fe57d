import {
  addUsage,
  type CallOptions,
  defaultOptions,
  isLlmError,
  type LlmError,
  mergeDetails,
  mergeOptions,
  textOf,
  type TokenUsage,
  type ToolDefinition,
  toUsage,
} from '@modelport/core'
import { AnswerMeter } from './answer-meter.js'
import { compactRefused, refusalCompaction } from './auto-compaction.js'
import { BudgetExceededError } from '../budget/budget.js'
import { callOptions, reservedOptions } from './call-options.js'
import { storeCheckpoint } from './checkpoints.js'
import { type PromptPlan, lastFormatLevel, toPromptPlan } from '../reply/prompt-plan.js'
import { type ContextManifest, createManifest } from '../history/manifest.js'
import { isFormatRefusal } from '../output/format-refusal.js'
import { JournalError } from '../journal/journal-error.js'
import type { RecordedReply, RunReceipt } from '../journal/journal-entry.js'
import { fromRecordedError, toRecordedError } from '../journal/recorded-error.js'
import { chargeLost } from './lost-call.js'
import { contextUse, measureCall } from './metrics.js'
import { readTurn } from './read-turn.js'
import type { ModelReply } from '../reply/read-reply.js'
import type { RunState } from './run-state.js'
import { openTurn } from './turn-source.js'

/**
 * Makes one model call and reads it to its end. What the server refuses to be asked for is left out, and the call made again; a
 * conversation that is too long is compacted once, if the request allows it.
 */
export async function callModel(state: RunState, isLast: boolean): Promise<ModelReply> {
  for (;;) {
    const plan = planOf(state, isLast)
    try {
      return await callOnce(state, plan, isLast)
    } catch (error) {
      if (!state.compacted && canShorten(state, error)) {
        state.events.emit({ type: 'model-error', message: error.message, code: error.code, recoverable: true })
        const report = await compactRefused(state)
        if (!report) throw error
        state.compacted = true
        state.events.emit({ type: 'context-compacted', reason: 'context-length', report })
        await storeCheckpoint(state, 'model')
      } else if (canAskForLess(state, plan, error)) {
        state.events.emit({ type: 'model-error', message: error.message, code: error.code, recoverable: true })
        state.formatLevel++
      } else throw error
    }
  }
}

/** True for a conversation that was refused before anything of an answer was told: that cannot be taken back. */
function canShorten(state: RunState, error: unknown): error is LlmError {
  return isLlmError(error, 'context-length') && !state.answerTold && refusalCompaction(state) !== undefined
}

function canAskForLess(
  { formatLevel, modelCalls }: RunState,
  { options }: PromptPlan,
  error: unknown,
): error is LlmError {
  return (
    isFormatRefusal(error) && options.responseFormat !== undefined && formatLevel < lastFormatLevel && modelCalls === 0
  )
}

/** What the model is told it may do in this step. */
function planOf(
  { mode, toolDefinitions, delegation, request, output, strictOutput, formatLevel, preset }: RunState,
  isLast: boolean,
): PromptPlan {
  const { reasoning } = mergeOptions(preset.options, request.options)
  return toPromptPlan({
    mode,
    tools: isLast ? [] : toolDefinitions,
    delegation: isLast ? [] : delegation.map(({ definition }) => definition),
    agents: isLast ? [] : (request.agents ?? []),
    ...(output && { output: output.schema, strictOutput: strictOutput?.schema }),
    formatLevel,
    nativePrompt: preset.nativePrompt ?? false,
    ...(request.actionPrompt !== undefined && { actionPrompt: request.actionPrompt }),
    ...(reasoning !== undefined && { reasoning }),
  })
}

/** Makes one request, or takes what is recorded of it. */
async function callOnce(state: RunState, plan: PromptPlan, isLast: boolean): Promise<ModelReply> {
  const { log, request } = state
  const options = callOptions(state, plan, isLast)
  const manifest = prepareContext(state, plan.definitions, options.system ?? undefined, plan.prompt)
  const key = log.keyOf('model', state.requests++)
  const recorded = log.find(key)
  const { receipt } = recorded ?? {}
  if (receipt?.kind === 'model' && !(receipt.error && request.repeatFailed)) return replay(state, receipt)
  if (recorded?.intent && !receipt) chargeLost(state, recorded.intent)
  let made: RecordedReply
  try {
    made = await makeCall(state, plan, options, manifest, key)
  } catch (error) {
    state.callFailed = !(error instanceof JournalError)
    const isRecorded = state.callFailed && !state.signal.aborted && !(error instanceof BudgetExceededError)
    if (isRecorded) await log.record(key, { entry: 'receipt', kind: 'model', error: toRecordedError(error) })
    throw error
  }
  const stored = log.record(key, { entry: 'receipt', kind: 'model', reply: made })
  if (stored) await stored
  return accept(state, made)
}

async function makeCall(
  state: RunState,
  plan: PromptPlan,
  options: CallOptions,
  manifest: ContextManifest,
  key: string,
): Promise<RecordedReply> {
  const { provider, ledger, events, log, request } = state
  const { profile } = request
  const { name, model } = provider
  const isStreaming = profile?.supportsStreaming !== false
  const inputTokens = manifest.totalEstimatedTokens
  const reservation = ledger.reserveCall({
    inputTokens,
    maxOutputTokens: options.maxTokens ?? defaultOptions.maxTokens,
    model: `${name}/${model}`,
    ...(profile && { profile }),
  })
  const { maxOutputTokens } = reservation
  const meter = new AnswerMeter((text) => state.estimate(text), maxOutputTokens)
  state.answerTold = false
  try {
    await log.intend(key, { entry: 'intent', kind: 'model', provider: name, model, inputTokens, maxOutputTokens })
    state.attempt++
    const native = state.mode === 'native'
    const { attempt } = state
    events.emit({ type: 'model-call-start', provider: name, model, attempt, streaming: isStreaming, native, manifest })
    const startedAt = performance.now()
    const allOptions = [options, reservedOptions(state, options, reservation)]
    const messages = state.transcript.sendable()
    const reader = await openTurn(provider, messages, plan.definitions, allOptions, isStreaming)
    const { usage, ...reply } = await readTurn(state, reader, meter, reservation)
    const { reported } = usage
    const outputTokens = Math.max(usage.outputTokens, meter.tokens())
    const overrun = reservation.settle({ ...(reported && { inputTokens: usage.inputTokens }), outputTokens, reported })
    const metrics = measureCall({
      provider: name,
      model: reply.message.origin?.model ?? model,
      latencyMs: performance.now() - startedAt,
      usage,
      estimated: { inputTokens, outputTokens: meter.tokens() },
      ...(profile && { profile }),
    })
    return { ...reply, usage, metrics, ...(overrun && { overrun }) }
  } catch (error) {
    if (isUnsent(state, error)) reservation.release()
    else reservation.settle({ outputTokens: meter.tokens(), reported: false, error })
    addPartialUsage(state, error)
    if (state.signal.aborted)
      events.emit({ type: 'model-error', message: 'the run was cancelled', code: 'cancelled', recoverable: false })
    throw error
  }
}

/** True if no server was asked: the call costs nothing. */
function isUnsent({ answerTold }: RunState, error: unknown): boolean {
  if (error instanceof JournalError) return !answerTold
  return (isLlmError(error, 'unsupported') || isLlmError(error, 'config')) && !('status' in error)
}

function addPartialUsage(state: RunState, error: unknown): void {
  const partial = (error as { readonly partial?: { readonly usage?: TokenUsage } } | undefined)?.partial?.usage
  if (partial?.reported) state.usage = addUsage(state.usage, partial)
}

/** What a call before the resume came to. */
function replay(state: RunState, { seq, reply, error }: Extract<RunReceipt, { kind: 'model' }>): ModelReply {
  state.attempt++
  state.answerTold = false
  state.events.skipTo(seq)
  if (reply) {
    state.text = textOf(reply.message.content)
    return accept(state, reply)
  }
  const failure = fromRecordedError(error ?? { code: 'unknown', message: 'the recorded call has no reply' })
  state.callFailed = true
  addPartialUsage(state, failure)
  throw failure
}

function prepareContext(
  state: RunState,
  tools: readonly ToolDefinition[],
  system: string | undefined,
  toolPrompt: string,
): NonNullable<RunState['manifest']> {
  const { provider, request, events, runId, step, manifest: previous } = state
  const { profile, query, agentName } = request
  const queryText = query === undefined ? undefined : textOf(query)
  const manifest = createManifest({
    runId,
    step,
    provider,
    messages: state.transcript.messages,
    tools,
    estimate: (text) => state.estimate(text),
    ...(agentName !== undefined && { agentName }),
    ...(system !== undefined && { system }),
    ...(toolPrompt && !tools.length && { toolPrompt }),
    ...(queryText !== undefined && { query: queryText }),
    ...(profile && { profile }),
    ...(previous && { previous }),
  })
  state.manifest = manifest
  const context =
    profile?.contextWindow === undefined ? undefined : contextUse(manifest.totalEstimatedTokens, profile.contextWindow)
  events.emit({
    type: 'context-prepared',
    provider: provider.name,
    model: provider.model,
    manifest,
    ...(context && { context }),
  })
  return manifest
}

/** Counts a reply and reports it. */
function accept(state: RunState, { metrics, overrun, ...reply }: RecordedReply): ModelReply {
  const { provider, request, events, mode, ledger } = state
  const { usage, message, finishReason } = reply
  state.callFailed = false
  state.usage = addUsage(state.usage, usage.turns.length ? usage : toUsage([]))
  state.details = mergeDetails(state.details, reply.details ?? {})
  state.calls.push(metrics)
  events.emit({
    type: 'model-call-end',
    provider: provider.name,
    model: metrics.model,
    attempt: state.attempt,
    streaming: request.profile?.supportsStreaming !== false,
    native: mode === 'native',
    metrics,
    text: textOf(message.content),
    finishReason,
    budget: ledger.spent,
  })
  return overrun ? { ...reply, overrun } : reply
}
