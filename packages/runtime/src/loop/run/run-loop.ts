import {
  type AssistantMessage,
  type ChatMessage,
  isLlmError,
  LlmError,
  type ToolCall,
  textOf,
} from '@modelport/core'
import { causesOf } from '../../base/causes.js'
import { messageOf } from '../../base/message-of.js'
import { type BudgetDecision, BudgetExceededError } from '../../budget/budget.js'
import { toRunMessage } from '../../history/run-message.js'
import { EngineStop } from '../../journal/engine.js'
import { toStored } from '../../journal/journal-error.js'
import type { PendingItem } from '../../journal/pending-item.js'
import { referTo } from '../../journal/transcript-log.js'
import { missingText } from '../../output/final-text.js'
import { ActionParseError } from '../../reply/action-parse-error.js'
import { textFor, toParseCorrection } from '../../reply/corrections.js'
import { toTargets } from '../../reply/delegation.js'
import { proseOf } from '../../reply/json-object.js'
import {
  type InterpretedReply,
  type ModelReply,
  readReply,
  toFinal,
} from '../../reply/read-reply.js'
import type { ActionTargets } from '../../reply/repair-action.js'
import { dispatch } from '../calls/dispatch.js'
import { countGiven, givenCalls, isGiven } from '../calls/given-calls.js'
import { startEager } from '../calls/start-eager.js'
import { compactBefore } from '../model/auto-compaction.js'
import { checkOutput, expectedForms } from '../model/check-output.js'
import { callModel } from '../model/model-call.js'
import type { RunOutcome } from '../result/run-outcome.js'
import { storeCheckpoint, storeSuspension, toCheckpoint } from '../state/checkpoints.js'
import { loadTail } from '../state/load-tail.js'
import type { Uses } from '../state/run-state.js'
import { modeOf } from '../state/run-view.js'
import { chooseStep, isChosen } from './choose-step.js'
import { hasCutCall, withCutCalls } from './cut-reply.js'
import { toLengthLimit, toLimit } from './limit-outcome.js'
import { stopRun } from './stop-run.js'

/** The parts of a run that its steps use. */
type LoopParts = Uses<
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

/** Runs to the end; every outcome is a value. */
export async function runLoop(state: LoopParts): Promise<RunOutcome> {
  const outcome = await runSteps(state)
  // What an engine had recorded to its end was perhaps not reported to its end.
  state.events.release()
  return outcome
}

async function runSteps(state: LoopParts): Promise<RunOutcome> {
  try {
    await begin(state)
    for (;;) {
      const end = await runStep(state)
      state.events.goLive()
      if (end && !(end.status === 'final' && state.conversation.hasFollowUps))
        return reportLimit(state, end)
      state.conversation.appendFollowUps()
      await storeCheckpoint(state, 'step')
    }
  } catch (error) {
    if (error instanceof EngineStop) throw error
    return reportLimit(state, toOutcome(state, error))
  } finally {
    state.tools.eager.drop()
  }
}

/** Reports a run that ends without a reply, for pages that see its events only. */
function reportLimit({ events }: Uses<'events'>, outcome: RunOutcome): RunOutcome {
  const { status } = outcome
  if (status === 'limit' || status === 'budget') {
    const limit = status === 'limit' ? outcome.limit : outcome.decision.limit
    events.emit({ type: 'run-limited', status, limit, message: outcome.message })
  }
  return outcome
}

/**
 * Stores a new run, or takes what the journal recorded after the checkpoint; a journal that does
 * not know the run yet gets the checkpoint.
 */
async function begin(state: LoopParts): Promise<void> {
  const { resume, journal } = state.request.durable
  if (!resume) return storeCheckpoint(state, 'step')
  if (journal) {
    const tail = await toStored(() => journal.readTail(resume))
    if (tail) loadTail(state, resume, tail)
    else
      await toStored(() =>
        journal.writeCheckpoint(resume, { keep: 0, add: state.conversation.transcript.messages }),
      )
  }
  if (!state.storage.isInsideStep && !state.storage.log.hasStep(state.turn.step + 1))
    state.conversation.appendFollowUps()
}

async function runStep(state: LoopParts): Promise<RunOutcome | undefined> {
  const { request } = state
  request.signal.throwIfAborted()
  const lastCall =
    request.preset.lastCallText !== undefined && !request.preset.lastCallWithinSteps ? 1 : 0
  const steps = countGiven(state) + request.limits.maxSteps + lastCall
  if (!state.storage.isInsideStep && state.turn.step >= steps) return toLimit('steps', state)
  const isLast = await openStep(state, steps)
  const given = givenCalls(state)
  if (given) return makeCalls(state, toMessage(given), given)

  const begin = (call: ToolCall): void => startEager(state, call)
  const reply = withCutCalls(await callModel(state, isLast, begin))
  failUnlessUsable(state, reply)
  if (reply.overrun) return endOverrun(state, reply.message, reply.overrun)
  let interpreted: InterpretedReply
  try {
    interpreted = readReply(
      reply,
      modeOf(state),
      targetsOf(state),
      (index) => `action_${state.turn.step}_${index + 1}`,
    )
  } catch (error) {
    if (!(error instanceof ActionParseError)) throw error
    const prose = acceptedProse(state, error)
    if (prose !== undefined) return finishRun(state, reply, toFinal(prose, prose))
    const { feedback, message: shown } = error
    return failParse(state, reply, { feedback, shown, problem: feedback })
  }
  if (interpreted.kind === 'final') return finishRun(state, reply, interpreted)
  forgetFailures(state)
  state.guards.parseFailures.succeed()
  if (!isLast) return makeCalls(state, reply.message, interpreted, reply)

  state.conversation.transcript.append(reply.message)
  return refuseLastCalls(state, interpreted)
}

/** The message of an assistant that asks for calls which the request gives. */
const toMessage = ({ calls }: RequestedCalls): AssistantMessage => ({
  role: 'assistant',
  content: '',
  toolCalls: calls.map(({ call }) => call),
})

type RequestedCalls = Extract<InterpretedReply, { kind: 'calls' }>

/**
 * Makes the calls of a step, and ends the run if that does.
 * @param reply the model's, if it asked for them
 */
async function makeCalls(
  state: LoopParts,
  message: AssistantMessage,
  { calls, native }: RequestedCalls,
  reply?: ModelReply,
): Promise<RunOutcome | undefined> {
  const before = state.conversation.transcript.sendable()
  state.conversation.transcript.append(message)
  const { limit, pending } = await dispatch(state, calls, native)
  const drained = state.events.drained()
  if (drained) await drained
  if (pending.length) return suspend(state, before, pending)
  if (reply && hasCutCall(reply)) return toLengthLimit(state, reply)
  if (limit) return toLimit(limit, state)
  if (!state.request.stopWhen) return undefined
  return stopRun(
    state,
    calls.map(({ call }) => call),
  )
}

/**
 * Begins a step, unless the resumed one was begun already. True for the last one, which has no
 * tools.
 */
async function openStep(state: LoopParts, steps: number): Promise<boolean> {
  const { request, meter, events, storage } = state
  const isResumed = state.storage.isInsideStep
  if (!isResumed) {
    if (!storage.log.hasStep(state.turn.step + 1)) {
      storage.log.clear()
      // The record of the step includes it.
      if (!isGiven(state, state.turn.step + 1)) meter.ledger.reserveStep()
    }
    state.turn.begin()
    state.events.step = state.turn.step
  }
  // Nothing is chosen for a step that asks no model.
  if (isChosen(state.request) && !isGiven(state, state.turn.step))
    state.models.choose(
      (isResumed ? state.request.durable.resume?.choice : undefined) ?? (await chooseStep(state)),
    )
  if (!isResumed) {
    const { agent } = state.control
    events.emit({
      type: 'step-start',
      ...(state.models.choice && { choice: state.models.choice }),
      ...(agent !== undefined && { agent }),
    })
  }
  const isLast = request.preset.lastCallText !== undefined && state.turn.step === steps
  if (isLast && !isResumed)
    state.conversation.transcript.append(toRunMessage(request.preset.lastCallText ?? ''))
  await state.tools.refresh(state)
  if (!isResumed) {
    await compactBefore(state)
    state.storage.takeMark('model')
  }
  state.storage.isInsideStep = false
  return isLast
}

/**
 * The text of the second reply in a row that is prose instead of an action: the model will not
 * write one.
 */
function acceptedProse(state: LoopParts, { rawResponse }: ActionParseError): string | undefined {
  const { request, guards } = state
  const mode = modeOf(state)
  if (
    mode !== 'json' ||
    request.preset.correctsProse ||
    request.outputCheck ||
    !guards.parseFailures.count
  )
    return undefined
  const prose = proseOf(rawResponse)
  if (prose !== undefined)
    state.meter.warn(
      'the model wrote prose where a JSON action was asked for; it is taken as the reply',
    )
  return prose
}

/** Ends the run until somebody decides. */
async function suspend(
  state: LoopParts,
  before: readonly ChatMessage[],
  pending: readonly PendingItem[],
): Promise<RunOutcome> {
  // A run that was suspended, and waits again without a new event, says so again.
  if (state.request.durable.resume?.pending.length) state.events.goLive()
  state.events.emit({ type: 'run-suspended', pending })
  await state.events.drained()
  const checkpoint = await storeSuspension(state, before, pending)
  return { status: 'suspended', pending, checkpoint }
}

const targetsOf = ({ tools }: Uses<'tools'>): ActionTargets =>
  toTargets(tools.definitions, tools.agents)

/** The reply is paid for, so the transcript keeps it; nothing it asks for is executed. */
function endOverrun(
  state: Uses<'conversation' | 'events'>,
  reply: AssistantMessage,
  decision: BudgetDecision,
): RunOutcome {
  state.conversation.transcript.append(reply)
  state.conversation.transcript.cancelOpen('Not executed: the budget was spent.')
  state.events.emit({ type: 'budget-decision', decision })
  const { limit, observed, maximum } = decision
  return {
    status: 'budget',
    decision,
    message: `budget: ${limit} is ${observed}, the limit is ${maximum}`,
    reply,
  }
}

/** A reply that the vendor stopped or gave up on is neither final nor a mistake of the model. */
function failUnlessUsable(
  state: Uses<'models' | 'conversation'>,
  { message, finishReason }: ModelReply,
): void {
  if (finishReason !== 'content-filter' && finishReason !== 'error') return
  if (!message.toolCalls?.length && (textOf(message.content) || message.refusal))
    state.conversation.transcript.append(message)
  if (finishReason === 'error')
    throw new LlmError('server', `${state.models.provider.name}: the server gave up on its reply`)
  throw new LlmError(
    'content-filter',
    `${state.models.provider.name}: the reply was refused or filtered`,
  )
}

async function finishRun(
  state: LoopParts,
  reply: ModelReply,
  interpreted: Extract<InterpretedReply, { kind: 'final' }>,
): Promise<RunOutcome | undefined> {
  const { action, content } = interpreted
  const { message, finishReason } = reply
  const isCut = finishReason === 'length'
  const checked = await checkOutput(state, { text: action.content, content, message, finishReason })
  if (!checked.ok) {
    const { message: problem, ...rest } = checked
    return failParse(state, reply, { ...rest, shown: problem, problem })
  }
  forgetFailures(state)
  state.conversation.transcript.append(message)
  state.turn.text = action.content
  const missing =
    modeOf(state) === 'json' ? missingText(textOf(message.content), action.content) : ''
  if (missing) state.events.emit({ type: 'text-delta', text: missing, attempt: state.turn.attempt })
  state.events.emit({ type: 'final', action, ...(isCut && { truncated: true }) })
  return {
    status: 'final',
    content,
    ...(checked.output !== undefined && { output: checked.output }),
    ...(isCut && { truncated: true }),
  }
}

/** Why a reply is not used. */
interface Rejection {
  /** For the model. */
  readonly feedback: string
  /** For the event. */
  readonly shown: string
  /** For the result, if it is the last one. */
  readonly problem: string
  /** The whole text for the model, in place of one made of the feedback. */
  readonly correction?: string
}

const beShorter = 'It was cut off at its limit of length: be shorter.'

function failParse(
  state: LoopParts,
  reply: ModelReply,
  { feedback, shown, problem, correction }: Rejection,
): RunOutcome | undefined {
  const { guards, events, request } = state
  const mode = modeOf(state)
  const { parseFailures } = guards
  const { message } = reply
  // A parser of the request knows the finish reason, and corrects as it likes.
  const isCut = reply.finishReason === 'length' && !state.request.output
  // A small model that rambles around its JSON can be told to be shorter.
  const isOver = parseFailures.fail() || (isCut && mode === 'native')
  events.emit({
    type: 'reply-rejected',
    message: shown,
    recoverable: !isOver,
    parseFailures: parseFailures.count,
  })
  state.conversation.markFailure()
  // Some servers refuse an empty message.
  if (textOf(message.content)) state.conversation.transcript.append({ ...message, toolCalls: [] })
  if (isOver)
    return { ...(isCut ? toLengthLimit(state, reply) : toLimit('parse-failures', state)), problem }
  const text =
    correction ??
    toParseCorrection(
      isCut && mode === 'json' ? `${feedback} ${beShorter}` : feedback,
      expectedForms(state)[mode],
      textFor(request.preset.parseFailureText, mode),
    )
  state.conversation.transcript.append(toRunMessage(text))
  return undefined
}

/** Removes replies that were not an action: the model has understood the correction. */
const forgetFailures = ({ conversation, request }: Uses<'request' | 'conversation'>): void =>
  conversation.forgetFailures(request.preset.forgetParseFailures === true)

/** Calls after the last chance to make some. */
function refuseLastCalls(
  state: Uses<'request' | 'conversation' | 'guards'>,
  { native }: Extract<InterpretedReply, { kind: 'calls' }>,
): RunOutcome {
  if (native) state.conversation.transcript.cancelOpen('Not executed: no more calls are allowed.')
  return toLimit('steps', state)
}

/**
 * The text of a reply that broke off stays in the transcript; a checkpoint has the conversation
 * before it.
 */
function toOutcome(state: LoopParts, error: unknown): RunOutcome {
  const outcome = outcomeOf(state, error)
  const { conversation, turn, models } = state
  if (turn.cutText) {
    const origin = { provider: models.provider.name, model: models.provider.model }
    conversation.transcript.append({ role: 'assistant', content: turn.cutText, cut: true, origin })
  }
  return outcome
}

function outcomeOf(state: LoopParts, error: unknown): RunOutcome {
  const { request, events, conversation } = state
  conversation.transcript.cancelOpen(
    request.signal.aborted ? 'Cancelled before it was executed.' : 'Not executed: the run ended.',
  )
  if (request.signal.aborted)
    return { status: 'cancelled', reason: request.signal.reason as unknown }
  const decision = decisionOf(error)
  if (decision) return { status: 'budget', decision: decision.decision, message: decision.message }
  const failure = isLlmError(error)
    ? error
    : new LlmError('unknown', messageOf(error), { cause: error })
  events.emit({
    type: 'model-error',
    message: failure.message,
    code: failure.code,
    recoverable: false,
  })
  if (!state.turn.hasFailed) return { status: 'failed', error: failure }
  const mark = state.storage.markNow('model')
  return {
    status: 'failed',
    error: failure,
    checkpoint: toCheckpoint(state, mark, {
      transcript: referTo(conversation.transcript.messages),
    }),
  }
}

/** The refusal behind an error, however it was wrapped on its way. */
function decisionOf(error: unknown): BudgetExceededError | undefined {
  for (const one of causesOf(error)) if (one instanceof BudgetExceededError) return one
  return undefined
}
