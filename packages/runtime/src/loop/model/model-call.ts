import {
  type CallOptions,
  defaultMaxTokens,
  isLlmError,
  type LlmError,
  slotOf,
  type TokenUsage,
  textOf,
} from '@modelport/core'
import { BudgetExceededError } from '../../budget/budget.js'
import { type CallMetrics, countsOf, measureCall, measureUsage } from '../../budget/metrics.js'
import { SharedCharge } from '../../budget/shared-charge.js'
import type { ContextManifest } from '../../history/manifest.js'
import type { RecordedReply, RunReceipt } from '../../journal/journal-entry.js'
import { JournalError } from '../../journal/journal-error.js'
import { fromRecordedError, toRecordedError } from '../../journal/recorded-error.js'
import { openTurn } from '../../middleware/turn-source.js'
import { describeRefusal, isFormatRefusal } from '../../output/format-refusal.js'
import { describeOpen } from '../../output/strict-schema.js'
import { lastFormatLevel, type PromptPlan, toPromptPlan } from '../../reply/prompt-plan.js'
import type { ModelReply } from '../../reply/read-reply.js'
import { isToolRefusal } from '../../reply/tool-refusal.js'
import { storeCheckpoint } from '../state/checkpoints.js'
import type { RunModel } from '../state/run-models.js'
import type { RunState } from '../state/run-state.js'
import type { TurnState } from '../state/turn-state.js'
import { compactRefused, refusalCompaction } from './auto-compaction.js'
import { callOptions, givenOptions, reservedOptions } from './call-options.js'
import { mustAnswer } from './check-output.js'
import { countFailure } from './count-failure.js'
import { chargeLost } from './lost-call.js'
import { type PreparedContext, prepareContext } from './prepare-context.js'
import { readTurn } from './read-turn.js'
import { ReplyMeter } from './reply-meter.js'
import { intendOrRelease } from './reserve-call.js'

/**
 * Makes one model call and reads it to its end. If the server refuses a field, the call is made
 * again without it. A conversation that is too long is compacted once, if the request allows it.
 */
export async function callModel(state: RunState, isLast: boolean): Promise<ModelReply> {
  for (;;) {
    const plan = planOf(state, isLast)
    warnOfOpenSchema(state, plan)
    try {
      return await callOnce(state, plan, isLast)
    } catch (error) {
      if (!state.turn.isCompacted && canShorten(state, error)) {
        state.events.emit({
          type: 'model-error',
          message: error.message,
          code: error.code,
          recoverable: true,
        })
        const report = await compactRefused(state)
        if (!report) throw error
        state.turn.isCompacted = true
        state.events.emit({ type: 'context-compacted', reason: 'context-length', report })
        await storeCheckpoint(state, 'model')
      } else if (canDropTools(state, plan, error)) {
        state.events.emit({
          type: 'model-error',
          message: error.message,
          code: error.code,
          recoverable: true,
        })
        state.refuseTools(error)
        await storeCheckpoint(state, 'model')
      } else if (canAskForLess(state.model, plan, error)) {
        state.events.emit({
          type: 'model-error',
          message: error.message,
          code: error.code,
          recoverable: true,
        })
        state.warn(describeRefusal(state.model.formatLevel, error))
        state.model.formatLevel++
      } else throw error
    }
  }
}

function warnOfOpenSchema(
  state: Pick<RunState, 'outputForm' | 'mode' | 'warn'>,
  { options: { responseFormat } }: PromptPlan,
): void {
  const { outputForm, mode } = state
  if (
    mode === 'native' &&
    responseFormat?.type === 'json-schema' &&
    outputForm &&
    'reason' in outputForm
  )
    state.warn(describeOpen(outputForm))
}

/**
 * True for a conversation that was refused before any part of a reply was reported: a reported part
 * cannot be taken back.
 */
function canShorten(
  state: Pick<RunState, 'turn' | 'compaction'>,
  error: unknown,
): error is LlmError {
  return (
    isLlmError(error, 'context-length') &&
    !state.turn.isShown &&
    refusalCompaction(state.compaction) !== undefined
  )
}

/** True for a refusal of tools in a mode that nobody demanded. */
const canDropTools = (
  { request, turn }: Pick<RunState, 'request' | 'turn'>,
  { definitions }: PromptPlan,
  error: unknown,
): error is LlmError =>
  definitions.length > 0 &&
  (request.mode ?? 'auto') === 'auto' &&
  !turn.isShown &&
  isToolRefusal(error)

/** True for a refusal of a format that this server has not accepted before. */
function canAskForLess(
  model: RunModel,
  { options }: PromptPlan,
  error: unknown,
): error is LlmError {
  const { formatLevel, isFormatAccepted } = model
  return (
    isFormatRefusal(error) &&
    options.responseFormat !== undefined &&
    formatLevel < lastFormatLevel &&
    !isFormatAccepted
  )
}

/** The actions of the model in this step, and their form in the request. */
function planOf(state: RunState, isLast: boolean): PromptPlan {
  const { mode, tools, request, output, strictOutput, model, preset, capabilities } = state
  const { reasoning } = givenOptions(state)
  const isAnswer = isLast || mustAnswer(state)
  return toPromptPlan({
    mode,
    tools: isAnswer ? [] : tools.definitions,
    delegation: isAnswer ? [] : tools.delegation.map(({ definition }) => definition),
    agents: isAnswer ? [] : tools.agents,
    ...(output && { output: output.schema }),
    ...(request.output?.schema && { replies: request.output.schema }),
    strictOutput: strictOutput?.schema,
    schemaWithTools: capabilities?.schema.withTools === true,
    formatLevel: model.formatLevel,
    nativePrompt: preset.nativePrompt ?? false,
    ...(preset.actionPrompt !== undefined && { actionPrompt: preset.actionPrompt }),
    ...(reasoning !== undefined && { reasoning }),
  })
}

/** Makes one request, or reuses its recorded reply. */
async function callOnce(state: RunState, plan: PromptPlan, isLast: boolean): Promise<ModelReply> {
  const { log, durable } = state
  const options = callOptions(state, plan, isLast)
  const context = prepareContext(state, plan.definitions, options.system ?? undefined, plan.prompt)
  const hasFormat = plan.options.responseFormat !== undefined
  const key = log.keyOf('model', state.turn.nextRequest())
  const before = receiptOf(log, key)
  if (before && !(before.error && durable.repeatFailed)) return replay(state, before, hasFormat)

  const { name, model } = state.provider
  const effect = {
    kind: 'model',
    label: model,
    repeat: 'always',
    input: { provider: name, model },
  } as const
  const made = await log.perform(key, effect, () =>
    makeRecordedCall(state, plan, options, context, key),
  )
  if (made) return accept(state, made.value, hasFormat)
  const recorded = receiptOf(log, key)
  if (!recorded) throw new TypeError(`${key} has no reply`)
  return replay(state, recorded, hasFormat)
}

type ModelReceipt = Extract<RunReceipt, { kind: 'model' }>

function receiptOf(log: RunState['log'], key: string): ModelReceipt | undefined {
  const receipt = log.find(key)?.receipt
  return receipt?.kind === 'model' ? receipt : undefined
}

/** Makes one request, and records its reply or its failure. */
async function makeRecordedCall(
  state: RunState,
  plan: PromptPlan,
  options: CallOptions,
  context: PreparedContext,
  key: string,
): Promise<RecordedReply> {
  const { log } = state
  const { intent, receipt } = log.find(key) ?? {}
  if (intent && !receipt) chargeLost(state, intent)
  let made: RecordedReply
  try {
    made = await makeCall(state, plan, options, context, key)
  } catch (error) {
    const hasFailed = !(error instanceof JournalError)
    state.turn.hasFailed = hasFailed
    const isRecorded = hasFailed && !state.signal.aborted && !(error instanceof BudgetExceededError)
    if (isRecorded)
      await log.record(key, { entry: 'receipt', kind: 'model', error: toRecordedError(error) })
    else await log.settle(key, state.signal.aborted)
    throw error
  }
  await log.record(key, { entry: 'receipt', kind: 'model', reply: made })
  return made
}

async function makeCall(
  state: RunState,
  plan: PromptPlan,
  options: CallOptions,
  { inputTokens, manifest }: PreparedContext,
  key: string,
): Promise<RecordedReply> {
  const { provider, ledger, events, log, profile, capabilities } = state
  const { name, model } = provider
  const isStreaming = profile?.supportsStreaming !== false
  const reservation = ledger.reserveCall({
    inputTokens,
    maxOutputTokens: options.maxTokens ?? defaultMaxTokens,
    fewestOutputTokens: capabilities?.fewestTokens,
    model: `${name}/${model}`,
    ...(profile && { profile }),
  })
  const { maxOutputTokens } = reservation
  const meter = new ReplyMeter(state.estimate, maxOutputTokens)
  const charge = SharedCharge.of(ledger, reservation, { profile }, state.signal)
  const call = { provider: name, model, inputTokens, maxOutputTokens }
  const intended = log.intend(key, { entry: 'intent', kind: 'model', ...call }, charge)
  await intendOrRelease(state, reservation, intended)
  const startedAt = performance.now()
  try {
    reportStart(state, ++state.turn.attempt, isStreaming, manifest)
    const allOptions = [options, reservedOptions(state, options, reservation, charge)]
    const messages = state.sendable()
    state.eager.begin(
      state.mode === 'native' && !state.durable.journal && plan.definitions.length > 0,
    )
    const reader = await ofRun(state, () =>
      openTurn(provider, messages, plan.definitions, allOptions, isStreaming),
    )
    const { usage, ...reply } = await readTurn(state, reader, meter, reservation)
    const { reported } = usage
    const estimated = { inputTokens, outputTokens: meter.tokens() }
    const outputTokens = Math.max(usage.outputTokens, estimated.outputTokens)
    const overrun = reservation.settle({
      ...(reported && { inputTokens: usage.inputTokens }),
      outputTokens,
      reported,
      ...(reported && { usage: countsOf({ usage }, measureUsage({ usage, estimated })) }),
    })
    const metrics = measureCall({
      provider: name,
      model: reply.message.origin?.model ?? model,
      latencyMs: performance.now() - startedAt,
      usage,
      estimated,
      ...(profile && { profile }),
    })
    const broken = reportCacheBreak(state, manifest, options, usage)
    const measured = { ...metrics, ...broken }
    return { ...reply, usage, metrics: measured, ...(overrun && { overrun }) }
  } catch (error) {
    if (isUnsent(state.turn, error)) reservation.release()
    else {
      const outputTokens = meter.tokens()
      const decision = reservation.settle({ outputTokens, reported: false, error })
      countFailure(state, error, {
        latencyMs: performance.now() - startedAt,
        inputTokens,
        outputTokens,
      })
      if (decision) throw new BudgetExceededError(decision)
    }
    if (state.signal.aborted)
      events.emit({
        type: 'model-error',
        message: 'the run was cancelled',
        code: 'cancelled',
        recoverable: false,
      })
    throw error
  }
}

/** Reports that a request is made. Without a manifest nobody receives the event. */
function reportStart(
  { provider, events, mode }: Pick<RunState, 'provider' | 'events' | 'mode'>,
  attempt: number,
  streaming: boolean,
  manifest: ContextManifest | undefined,
): void {
  const { name, model } = provider
  const native = mode === 'native'
  if (!manifest) events.pass()
  else
    events.emit({
      type: 'model-call-start',
      provider: name,
      model,
      attempt,
      streaming,
      native,
      manifest,
    })
}

/**
 * Reports why the vendor's cache had less of a prompt than before. Without a manifest nobody
 * receives the event.
 */
function reportCacheBreak(
  { tally, events, provider: { name, model } }: Pick<RunState, 'tally' | 'events' | 'provider'>,
  manifest: ContextManifest | undefined,
  options: CallOptions,
  usage: TokenUsage,
): Pick<CallMetrics, 'cacheBreak'> {
  const broken = manifest && tally.cache.check(manifest, options, usage)
  if (!broken) return {}
  events.emit({ type: 'cache-break', provider: name, model, ...broken })
  return { cacheBreak: broken.cause }
}

/** True if no server was asked: the call costs nothing. */
function isUnsent(turn: TurnState, error: unknown): boolean {
  if (error instanceof JournalError) return !turn.isShown
  return (isLlmError(error, 'unsupported') || isLlmError(error, 'config')) && !('status' in error)
}

/** The outcome of a call before the resume. */
function replay(
  state: RunState,
  { seq, reply, error }: Extract<RunReceipt, { kind: 'model' }>,
  hasFormat: boolean,
): ModelReply {
  state.turn.attempt++
  state.events.skipTo(seq)
  if (reply) {
    state.turn.text = textOf(reply.message.content)
    return accept(state, { ...reply, metrics: { ...reply.metrics, recorded: true } }, hasFormat)
  }
  const failure = fromRecordedError(
    error ?? { code: 'unknown', message: 'the recorded call has no reply' },
  )
  state.turn.hasFailed = true
  countFailure(state, failure, { latencyMs: 0, inputTokens: 0, outputTokens: 0 })
  throw failure
}

/** Counts a reply and reports it. */
function accept(
  state: RunState,
  { metrics, overrun, ...reply }: RecordedReply,
  hasFormat: boolean,
): ModelReply {
  const { provider, profile, events, mode, ledger, turn } = state
  const { usage, message, finishReason } = reply
  turn.accept()
  state.model.isFormatAccepted ||= hasFormat
  state.tally.addReply(metrics, usage, reply.details)
  if (!events.hasReceivers) events.pass()
  else
    events.emit({
      type: 'model-call-end',
      provider: provider.name,
      model: metrics.model,
      attempt: turn.attempt,
      streaming: profile?.supportsStreaming !== false,
      native: mode === 'native',
      metrics,
      text: textOf(message.content),
      finishReason,
      budget: ledger.spent,
    })
  return overrun ? { ...reply, overrun } : reply
}

/** Marks the provider call that `work` makes: the events of the run describe it. */
function ofRun<T>({ events }: Pick<RunState, 'events'>, work: () => T): T {
  const slot = events.report && slotOf('run')
  return slot ? slot.runStores({ type: 'model-call' }, work) : work()
}
