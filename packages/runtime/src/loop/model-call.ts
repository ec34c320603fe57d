import {
  type AssistantMessage,
  type CallOptions,
  defaultOptions,
  isLlmError,
  mergeDetails,
  type LlmError,
  mergeOptions,
  type RetryNotice,
  textOf,
  type ToolDefinition,
  toUsage,
  addUsage,
  type FinishReason,
  type TokenUsage,
} from '@modelport/core'
import { AnswerMeter } from './answer-meter.js'
import { compactRefused, refusalCompaction } from './auto-compaction.js'
import { BudgetExceededError, type CallReservation } from '../budget/budget.js'
import { type Contract, lastFormatLevel, toContract } from '../reply/contract.js'
import { createManifest } from '../history/manifest.js'
import { contextUse, measureCall } from './metrics.js'
import type { ModelReply } from '../reply/read-reply.js'
import type { RunState } from './run-state.js'
import { openTurn, type TurnSource } from './turn-source.js'

/**
 * Makes one model call and reads it to its end. What the server refuses to be asked for is left out, and the call made again; a
 * conversation that is too long is compacted once, where the request allows it.
 */
export async function callModel(state: RunState, isLast: boolean): Promise<ModelReply> {
  for (let compacted = false; ; ) {
    const contract = contractOf(state, isLast)
    try {
      return await callOnce(state, contract, isLast)
    } catch (error) {
      if (!compacted && canShorten(state, error)) {
        state.events.emit({ type: 'model-error', message: error.message, code: error.code, recoverable: true })
        const report = await compactRefused(state)
        if (!report) throw error
        compacted = true
        state.events.emit({ type: 'context-compacted', reason: 'context-length', report })
      } else if (canAskForLess(state, contract, error)) {
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

function canAskForLess({ formatLevel, calls }: RunState, { options }: Contract, error: unknown): error is LlmError {
  const refused = isLlmError(error, 'unsupported') || isLlmError(error, 'invalid-request')
  return refused && options.responseFormat !== undefined && formatLevel < lastFormatLevel && !calls.length
}

/** What the model is told it may do in this step. */
function contractOf(
  { mode, toolDefinitions, delegation, request, output, formatLevel, preset }: RunState,
  isLast: boolean,
): Contract {
  const { reasoning } = mergeOptions(preset.options, request.options)
  return toContract({
    mode,
    tools: isLast ? [] : toolDefinitions,
    delegation: isLast ? [] : delegation.map(({ definition }) => definition),
    agents: isLast ? [] : (request.agents ?? []),
    ...(output && { output: output.schema }),
    formatLevel,
    nativePrompt: preset.nativePrompt ?? false,
    ...(request.actionPrompt !== undefined && { actionPrompt: request.actionPrompt }),
    ...(reasoning !== undefined && { reasoning }),
  })
}

async function callOnce(state: RunState, contract: Contract, isLast: boolean): Promise<ModelReply> {
  const { provider, ledger, events, request } = state
  const { profile } = request
  const isStreaming = profile?.supportsStreaming !== false
  const options = callOptions(state, contract, isLast)
  const system = options.system
  const messages = state.transcript.sendable()
  const manifest = prepareContext(state, contract.definitions, system, contract.prompt)
  const of = { provider: provider.name, model: provider.model }
  const reservation = ledger.reserveCall({
    inputTokens: manifest.totalEstimatedTokens,
    maxOutputTokens: options.maxTokens ?? defaultOptions.maxTokens,
    model: `${provider.name}/${provider.model}`,
    ...(profile && { profile }),
  })
  state.attempt++
  events.emit({
    type: 'model-call-start',
    ...of,
    attempt: state.attempt,
    streaming: isStreaming,
    native: state.mode === 'native',
    manifest,
  })
  const meter = new AnswerMeter((text) => state.estimate(text), reservation.maxOutputTokens)
  const startedAt = performance.now()
  state.answerTold = false
  try {
    const callOptions = [options, reservedOptions(state, options, reservation)]
    const reader = await openTurn(provider, messages, contract.definitions, callOptions, isStreaming)
    const reply = await readAnswer(state, reader, meter, reservation)
    const known = reply.usage.reported ? { inputTokens: reply.usage.inputTokens } : {}
    const overrun = reservation.settle({
      ...known,
      outputTokens: Math.max(reply.usage.outputTokens, meter.tokens()),
      reported: reply.usage.reported,
    })
    finish(state, reply, manifest.totalEstimatedTokens, meter.tokens(), performance.now() - startedAt)
    return overrun ? { ...reply, overrun } : reply
  } catch (error) {
    const unsent = (isLlmError(error, 'unsupported') || isLlmError(error, 'config')) && !('status' in error)
    if (unsent) reservation.release()
    else reservation.settle({ outputTokens: meter.tokens(), reported: false, error })
    const partial = (error as { readonly partial?: { readonly usage?: TokenUsage } } | undefined)?.partial?.usage
    if (partial?.reported) state.usage = addUsage(state.usage, partial)
    if (state.signal.aborted)
      events.emit({ type: 'model-error', message: 'the run was cancelled', code: 'cancelled', recoverable: false })
    throw error
  }
}

/** Options of the request under those of the preset, with what this step needs over them. */
function callOptions(state: RunState, contract: Contract, isLast: boolean): CallOptions {
  const { preset, request, failedActions, executedActions } = state
  const given = mergeOptions(preset.options, request.options)
  // A choice that forces a call is for the first step only: nothing would ever end otherwise.
  const { toolChoice, responseFormat: _format, reasoning, ...rest } = given
  // In JSON mode the instructions ask for reasoning; a model without a parameter for it would refuse the call.
  const keepsReasoning = state.mode !== 'json' || request.capabilities?.reasoning.supported !== false
  const forced = toolChoice !== undefined && toolChoice !== 'auto' && toolChoice !== 'none'
  const keepsChoice =
    toolChoice !== undefined && contract.definitions.length > 0 && !(forced && executedActions > 0) && !isLast
  const system = [contract.prompt, request.system ?? given.system ?? ''].filter(Boolean).join('\n\n')
  const { temperaturePerFailure } = preset
  return mergeOptions(
    rest,
    keepsReasoning && reasoning !== undefined ? { reasoning } : {},
    contract.options,
    system ? { system } : {},
    keepsChoice ? { toolChoice } : {},
    temperaturePerFailure === undefined
      ? {}
      : { temperature: Math.min(2, Math.round(failedActions * temperaturePerFailure * 1000) / 1000) },
    { signal: state.signal },
  )
}

function reservedOptions(state: RunState, options: CallOptions, reservation: CallReservation): CallOptions {
  const { deadlineMs, maxOutputTokens } = reservation
  const onRetry = (notice: RetryNotice): void => {
    reservation.retried(notice.error)
    state.events.emit({
      type: 'model-retry',
      attempt: state.attempt,
      nextAttempt: ++state.attempt,
      retryInSeconds: notice.delayMs / 1000,
      errorType: notice.error.code,
      message: notice.error.message,
    })
    options.retry?.onRetry?.(notice)
  }
  return {
    // Without a budget the provider's own default stands.
    ...((state.isBudgeted || options.maxTokens !== undefined) && { maxTokens: maxOutputTokens }),
    retry: { ...options.retry, onRetry },
    ...(deadlineMs !== undefined && { deadlineMs: Math.min(deadlineMs, options.deadlineMs ?? Infinity) }),
  }
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

async function readAnswer(
  state: RunState,
  reader: TurnSource,
  meter: AnswerMeter,
  reservation: CallReservation,
): Promise<ModelReply> {
  const { events } = state
  let finishReason: FinishReason = 'unknown'
  state.text = ''
  try {
    for await (const event of reader) {
      if (event.type === 'text-delta') state.text += event.text
      if (event.type === 'text-delta' || event.type === 'reasoning-delta') {
        meter.add(event.text)
        state.answerTold = true
        events.emit({ type: event.type, text: event.text, attempt: state.attempt })
        await events.drained()
      }
      if (event.type === 'tool-call-delta') {
        meter.add(event.text)
        events.emit({ type: event.type, callId: event.id, text: event.text, attempt: state.attempt })
        await events.drained()
      }
      if (event.type === 'turn-end') finishReason = event.reason
      if (state.isBudgeted && !meter.admitted((tokens) => reservation.admits(tokens))) {
        const decision = {
          limit: 'maxOutputTokens',
          effect: 'deny',
          observed: meter.tokens(),
          maximum: reservation.maxOutputTokens,
        } as const
        events.emit({ type: 'budget-decision', decision })
        throw new BudgetExceededError(decision)
      }
    }
  } finally {
    state.details = mergeDetails(state.details, reader.details())
    await reader.close()
  }
  const message = reader.messages().findLast((one): one is AssistantMessage => one.role === 'assistant') ?? {
    role: 'assistant',
    content: '',
  }
  return { message, finishReason, usage: reader.usage() }
}

function finish(
  state: RunState,
  reply: ModelReply,
  inputTokens: number,
  outputTokens: number,
  latencyMs: number,
): void {
  const { provider, request, events, mode, ledger } = state
  const { usage, message, finishReason } = reply
  state.usage = addUsage(state.usage, usage.turns.length ? usage : toUsage([]))
  const metrics = measureCall({
    provider: provider.name,
    model: message.origin?.model ?? provider.model,
    latencyMs,
    usage,
    estimated: { inputTokens, outputTokens },
    ...(request.profile && { profile: request.profile }),
  })
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
}
