import {
  type CallOptions,
  defaultMaxTokens,
  isLlmError,
  slotOf,
  type TokenUsage,
  type ToolCall,
  textOf,
} from '@modelport/core'
import { BudgetExceededError, type CallReservation } from '../../budget/budget.js'
import { type CallMetrics, countsOf, measureCall, measureUsage } from '../../budget/metrics.js'
import type { SharedAmounts } from '../../budget/shared-budget.js'
import { SharedCharge } from '../../budget/shared-charge.js'
import type { ContextManifest } from '../../history/manifest.js'
import type { EffectLog } from '../../journal/effect-log.js'
import type { RecordedReply, RunReceipt } from '../../journal/journal-entry.js'
import { JournalError } from '../../journal/journal-error.js'
import { fromRecordedError, toRecordedError } from '../../journal/recorded-error.js'
import { openTurn } from '../../middleware/turn-source.js'
import { describeOpen } from '../../output/strict-schema.js'
import { type PromptPlan, toPromptPlan } from '../../reply/prompt-plan.js'
import type { ModelReply } from '../../reply/read-reply.js'
import type { Uses } from '../state/run-state.js'
import { modeOf } from '../state/run-view.js'
import type { TurnState } from '../state/turn-state.js'
import { callOptions, givenOptions, reservedOptions } from './call-options.js'
import { mustAnswer } from './check-output.js'
import { countFailure } from './count-failure.js'
import { degrade } from './degradations.js'
import { chargeLost } from './lost-call.js'
import { type PreparedContext, prepareContext } from './prepare-context.js'
import { readTurn } from './read-turn.js'
import { ReplyMeter } from './reply-meter.js'
import { intendOrRelease, lookAtRoom } from './reserve-call.js'

/** The parts of a run that a model call uses. */
type CallParts = Uses<
  | 'request'
  | 'models'
  | 'control'
  | 'tools'
  | 'conversation'
  | 'guards'
  | 'meter'
  | 'events'
  | 'storage'
  | 'turn'
>

/**
 * Makes one model call and reads it to its end. If the server refuses something, the call is made
 * again without it, as far as that can be: see {@link degrade}.
 */
export async function callModel(
  state: CallParts,
  isLast: boolean,
  onCall: (call: ToolCall) => void,
): Promise<ModelReply> {
  for (;;) {
    const plan = planOf(state, isLast)
    warnOfOpenSchema(state, plan)
    try {
      return await callOnce(state, plan, isLast, onCall)
    } catch (error) {
      if (!(await degrade(state, plan, error))) throw error
    }
  }
}

function warnOfOpenSchema(
  state: Uses<'request' | 'models' | 'tools' | 'meter'>,
  { options: { responseFormat } }: PromptPlan,
): void {
  const { request } = state
  const mode = modeOf(state)
  if (
    mode === 'native' &&
    responseFormat?.type === 'json-schema' &&
    request.outputForm &&
    'reason' in request.outputForm
  )
    state.meter.warn(describeOpen(request.outputForm))
}

/** The actions of the model in this step, and their form in the request. */
function planOf(
  state: Uses<'request' | 'models' | 'tools' | 'guards'>,
  isLast: boolean,
): PromptPlan {
  const { tools, request, models } = state
  const mode = modeOf(state)
  const { reasoning } = givenOptions(state)
  const isAnswer = isLast || mustAnswer(state)
  return toPromptPlan({
    mode,
    tools: isAnswer ? [] : tools.definitions,
    delegation: isAnswer ? [] : tools.delegation.map(({ definition }) => definition),
    agents: isAnswer ? [] : tools.agents,
    ...(request.outputCheck && { output: request.outputCheck.schema }),
    ...(request.output?.schema && { replies: request.output.schema }),
    strictOutput: request.strictOutput?.schema,
    schemaWithTools: models.capabilities?.schema.withTools === true,
    formatLevel: models.current.formatLevel,
    nativePrompt: request.preset.nativePrompt ?? false,
    ...(request.preset.actionPrompt !== undefined && { actionPrompt: request.preset.actionPrompt }),
    ...(reasoning !== undefined && { reasoning }),
  })
}

/** Makes one request, or reuses its recorded reply. */
async function callOnce(
  state: CallParts,
  plan: PromptPlan,
  isLast: boolean,
  onCall: (call: ToolCall) => void,
): Promise<ModelReply> {
  const { storage, request } = state
  const options = callOptions(state, plan, isLast)
  const context = prepareContext(state, plan.definitions, options.system ?? undefined, plan.prompt)
  const hasFormat = plan.options.responseFormat !== undefined
  const key = storage.log.keyOf('model', state.turn.nextRequest())
  const before = receiptOf(storage.log, key)
  if (before && !(before.error && request.durable.repeatFailed))
    return replay(state, before, hasFormat)

  const { name, model } = state.models.provider
  const effect = {
    kind: 'model',
    label: model,
    repeat: 'always',
    input: { provider: name, model },
  } as const
  const made = await storage.log.perform(key, effect, () =>
    makeRecordedCall(state, plan, { options, context, key, onCall }),
  )
  if (made) return accept(state, made.value, hasFormat)
  const recorded = receiptOf(storage.log, key)
  if (!recorded) throw new TypeError(`${key} has no reply`)
  return replay(state, recorded, hasFormat)
}

type ModelReceipt = Extract<RunReceipt, { kind: 'model' }>

function receiptOf(log: EffectLog, key: string): ModelReceipt | undefined {
  const receipt = log.find(key)?.receipt
  return receipt?.kind === 'model' ? receipt : undefined
}

/** A request that is about to be made. */
interface PreparedCall {
  readonly options: CallOptions
  readonly context: PreparedContext
  /** The key of its record. */
  readonly key: string
  /** Called with each call that is complete in the stream. */
  readonly onCall: (call: ToolCall) => void
}

/** Makes one request, and records its reply or its failure. */
async function makeRecordedCall(
  state: CallParts,
  plan: PromptPlan,
  call: PreparedCall,
): Promise<RecordedReply> {
  const { storage } = state
  const { key } = call
  const { intent, receipt } = storage.log.find(key) ?? {}
  if (intent && !receipt) chargeLost(state, intent)
  let made: RecordedReply
  try {
    made = await makeCall(state, plan, call)
  } catch (error) {
    const hasFailed = !(error instanceof JournalError)
    state.turn.hasFailed = hasFailed
    const isRecorded =
      hasFailed && !state.request.signal.aborted && !(error instanceof BudgetExceededError)
    if (isRecorded)
      await storage.log.record(key, {
        entry: 'receipt',
        kind: 'model',
        error: toRecordedError(error),
      })
    else await storage.log.settle(key, state.request.signal.aborted)
    throw error
  }
  await storage.log.record(key, { entry: 'receipt', kind: 'model', reply: made })
  return made
}

/** Takes the room of a call and of its longest reply. */
function reserveReply(
  { models: { provider, profile, capabilities }, meter }: CallParts,
  inputTokens: number,
  { maxTokens }: CallOptions,
  room: SharedAmounts | undefined,
): CallReservation {
  return meter.ledger.reserveCall({
    inputTokens,
    room,
    maxOutputTokens: maxTokens ?? defaultMaxTokens,
    fewestOutputTokens: capabilities?.fewestTokens,
    model: `${provider.name}/${provider.model}`,
    ...(profile && { profile }),
  })
}

async function makeCall(
  state: CallParts,
  plan: PromptPlan,
  { options, context: { inputTokens, manifest }, key, onCall }: PreparedCall,
): Promise<RecordedReply> {
  const { models, meter, events, storage } = state
  const { name, model } = models.provider
  const isStreaming = models.profile?.supportsStreaming !== false
  const looked = lookAtRoom(state)
  const reservation = reserveReply(state, inputTokens, options, looked && (await looked))
  const { maxOutputTokens } = reservation
  const replyMeter = new ReplyMeter(state.models.estimate, maxOutputTokens)
  const charge = SharedCharge.of(
    meter.ledger,
    reservation,
    { profile: models.profile },
    state.request.signal,
  )
  const call = { provider: name, model, inputTokens, maxOutputTokens }
  const intended = storage.log.intend(key, { entry: 'intent', kind: 'model', ...call }, charge)
  await intendOrRelease(state, reservation, intended)
  const startedAt = performance.now()
  try {
    reportStart(state, ++state.turn.attempt, isStreaming, manifest)
    const allOptions = [options, reservedOptions(state, options, reservation, charge)]
    const messages = state.conversation.sendable(state.models.current.mode)
    state.tools.eager.begin(
      modeOf(state) === 'native' && !state.request.durable.journal && plan.definitions.length > 0,
    )
    const reader = await ofRun(state, () =>
      openTurn(models.provider, messages, plan.definitions, allOptions, isStreaming),
    )
    const { usage, ...reply } = await readTurn(state, reader, replyMeter, reservation, onCall)
    const { reported } = usage
    const estimated = { inputTokens, outputTokens: replyMeter.tokens() }
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
      ...(models.profile && { profile: models.profile }),
    })
    const broken = reportCacheBreak(state, manifest, options, usage)
    const measured = { ...metrics, ...broken }
    return { ...reply, usage, metrics: measured, ...(overrun && { overrun }) }
  } catch (error) {
    if (isUnsent(state.turn, error)) reservation.release()
    else {
      const outputTokens = replyMeter.tokens()
      const decision = reservation.settle({ outputTokens, reported: false, error })
      countFailure(state, error, {
        latencyMs: performance.now() - startedAt,
        inputTokens,
        outputTokens,
      })
      if (decision) throw new BudgetExceededError(decision)
    }
    if (state.request.signal.aborted)
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
  state: Uses<'request' | 'models' | 'tools' | 'events'>,
  attempt: number,
  streaming: boolean,
  manifest: ContextManifest | undefined,
): void {
  const { models, events } = state
  const { name, model } = models.provider
  const native = modeOf(state) === 'native'
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
  {
    meter,
    events,
    models: {
      provider: { name, model },
    },
  }: Uses<'models' | 'meter' | 'events'>,
  manifest: ContextManifest | undefined,
  options: CallOptions,
  usage: TokenUsage,
): Pick<CallMetrics, 'cacheBreak'> {
  const broken = manifest && meter.tally.cache.check(manifest, options, usage)
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
  state: CallParts,
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
  state: CallParts,
  { metrics, overrun, ...reply }: RecordedReply,
  hasFormat: boolean,
): ModelReply {
  const { models, events, meter, turn } = state
  const mode = modeOf(state)
  const { usage, message, finishReason } = reply
  turn.accept()
  state.models.current.isFormatAccepted ||= hasFormat
  state.meter.tally.addReply(metrics, usage, reply.details)
  if (!events.hasReceivers) events.pass()
  else
    events.emit({
      type: 'model-call-end',
      provider: models.provider.name,
      model: metrics.model,
      attempt: turn.attempt,
      streaming: models.profile?.supportsStreaming !== false,
      native: mode === 'native',
      metrics,
      text: textOf(message.content),
      finishReason,
      budget: meter.ledger.spent,
    })
  return overrun ? { ...reply, overrun } : reply
}

/** Marks the provider call that `work` makes: the events of the run describe it. */
function ofRun<T>({ events }: Uses<'events'>, work: () => T): T {
  const slot = events.report && slotOf('run')
  return slot ? slot.runStores({ type: 'model-call' }, work) : work()
}
