import { type Content, type ToolResult } from '@modelport/core'
import { copyJson } from '../../base/copy-json.js'
import { messageOf } from '../../base/message-of.js'
import type { AskedEffect, EffectLog, RecordedEffect } from '../../journal/effect-log.js'
import type { RecordedOutcome, RunReceipt } from '../../journal/journal-entry.js'
import type { PendingItem, PendingTask, ResumeDecision } from '../../journal/pending-item.js'
import { checkAnswer } from '../../tools/asking.js'
import { AskedResult, PendingResult } from '../../tools/pending-result.js'
import type { StoredQuestion } from '../../tools/question.js'
import type { ReconcileOutcome } from '../../tools/reconcile.js'
import { toToolContent } from '../../tools/tool-content.js'
import type { ToolOutcome } from '../../tools/tool-outcome.js'
import type { Uses } from '../state/run-state.js'
import { intentOf, type StepCall } from './step-call.js'

/** The parts of a run that say what became of a call. */
type RecoveryParts = Uses<'request' | 'tools' | 'conversation' | 'meter' | 'events' | 'storage'>

/** The state of a call before it would be executed. */
export type Recovered =
  | { readonly is: 'live' }
  | { readonly is: 'pending'; readonly item: PendingItem }
  | {
      readonly is: 'done'
      readonly result: ToolResult
      readonly outcome: ToolOutcome
      /** True if an earlier process reported it. */
      readonly isReported: boolean
    }

const live: Recovered = { is: 'live' }

/** The attempt of a call that is held for an earlier one: a decision about it is about no later. */
const notBegun = 0

/**
 * Finds out what became of a call before a resume: it has a result, somebody decided, it can be
 * repeated or reconciled, or nobody knows.
 */
export async function recover(state: RecoveryParts, open: StepCall): Promise<Recovered> {
  const { isOnEngine } = state.storage.log
  const recorded = state.storage.log.find(open.key)
  // On an engine the receiver is asked where the effect is performed: see `knownBefore`.
  if (!recorded) return isHeld(open) && !isOnEngine ? askAgain(state, open, notBegun) : live
  const { intent } = recorded
  const receipt = lastReceipt(recorded)
  if (receipt) {
    state.events.skipTo(receipt.seq)
    const { question } = receipt.outcome
    if (question) return answer(state, open, { ...receipt.outcome, question })
    if (receipt.outcome.status !== 'pending')
      return done(open, receipt.outcome, state.events.isPast(receipt.seq))
    return lookAgain(state, open, receipt.outcome)
  }
  if (!intent || open.effect !== 'once') return live
  return isOnEngine
    ? settle(state, open, toUncertain(open, attemptOnEngine(open, intent.attempt)))
    : askAgain(state, open, intent.attempt)
}

type CallReceipt = Extract<RunReceipt, { kind: 'tool' | 'agent' }>

/**
 * What came of the last sending of a call. The receipt of a sending that asked says nothing about a
 * later one.
 */
function lastReceipt({ intent, receipt }: RecordedEffect): CallReceipt | undefined {
  if (!receipt || !('outcome' in receipt)) return undefined
  return receipt.attempt >= (intent?.attempt ?? 0) ? receipt : undefined
}

/** True for a call that an earlier process began, and whose end it did not record. */
export const isWithoutReceipt = (recorded: RecordedEffect): boolean =>
  recorded.intent !== undefined && lastReceipt(recorded) === undefined

/**
 * What is known of a call before an engine lets it be made: a call that may have been begun, or is
 * like one whose outcome is unknown, is looked up at its receiver; if that cannot tell, its intent
 * is all that is recorded, and a person decides.
 */
export async function knownBefore(
  state: RecoveryParts,
  open: StepCall,
  isFirst: boolean,
): Promise<Recovered> {
  const isDecided = state.storage.decisions.get(open.call.id)?.type === 'repeat'
  const isSure = isFirst && (isDecided || !isHeld(open))
  if (open.effect !== 'once' || isSure) return live
  const found = await reconcile(state, open)
  if (found.outcome === 'not-executed') return live
  if (found.outcome !== 'unknown') return keep(state.storage.log, open, cameOf(found))
  const { key, call } = open
  state.tools.eager.count(state.meter.ledger, call.id)
  await state.storage.log.intend(key, intentOf(open))
  const attempt = attemptOnEngine(open, state.storage.log.attemptOf(key))
  return { is: 'pending', item: toUncertain(open, attempt) }
}

/** An engine records that a call is held as the first attempt at it: the call was not begun. */
const attemptOnEngine = (open: StepCall, attempt: number): number =>
  isHeld(open) && attempt === 1 ? notBegun : attempt

/**
 * What an engine had recorded of a call, as it was then: a decision that let the call be made says
 * nothing about what came of it.
 */
export function replayed(
  { storage, events }: Uses<'events' | 'storage'>,
  open: StepCall,
): Recovered {
  const recorded = storage.log.find(open.key) ?? {}
  const receipt = lastReceipt(recorded)
  if (!receipt) {
    const attempt = attemptOnEngine(open, recorded.intent?.attempt ?? 1)
    return { is: 'pending', item: toUncertain(open, attempt) }
  }
  const { outcome, seq } = receipt
  if (outcome.question) return { is: 'pending', item: toQuestion(open, outcome.question) }
  if (outcome.status === 'pending') return { is: 'pending', item: toTask(open, outcome) }
  return done(open, outcome, events.isPast(seq))
}

/** A call as an effect of an engine. */
export const effectOf = ({ kind, call, action, effect }: StepCall): AskedEffect => ({
  kind,
  label: call.name,
  repeat: effect === 'read-only' ? 'always' : effect === 'idempotent' ? 'same-key' : 'never',
  input: { ...action },
})

/**
 * True for a call like one whose outcome is unknown, if only its receiver or a person can say
 * whether it may be made.
 */
export const isHeld = ({ intention, effect }: StepCall): boolean =>
  intention?.isRepeated === true && effect === 'once'

/** The shortest and the longest time between two looks at work that continues elsewhere. */
const shortestLookMs = 1_000
const longestLookMs = 3_600_000

/**
 * Asks the tool whether work is over that was to be looked at by now. Work that is not is looked at
 * again after as long as it is late already.
 */
async function lookAgain(
  state: RecoveryParts,
  open: StepCall,
  outcome: RecordedOutcome,
): Promise<Recovered> {
  const item = toTask(open, outcome)
  const { until } = outcome
  const lateMs = until === undefined || state.storage.log.isOnEngine ? -1 : Date.now() - until
  if (lateMs < 0 || state.storage.decisions.has(item.id)) return settle(state, open, item)
  const found = await reconcile(state, open, outcome.taskId)
  if (found.outcome === 'executed' || found.outcome === 'failed')
    return keep(state.storage.log, open, cameOf(found))
  if (found.outcome === 'unknown' && found.message !== undefined)
    return keep(state.storage.log, open, { ...failed(found.message), uncertain: true })
  const nextMs = Math.min(Math.max(lateMs, shortestLookMs), longestLookMs)
  return settle(state, open, { ...item, until: Date.now() + nextMs })
}

/** Asks the receiver what became of a call, then whoever resumes the run. */
async function askAgain(
  state: RecoveryParts,
  open: StepCall,
  attempt?: number,
): Promise<Recovered> {
  const found = await reconcile(state, open)
  if (found.outcome === 'not-executed') return live
  if (found.outcome !== 'unknown') return keep(state.storage.log, open, cameOf(found))
  return settle(state, open, toUncertain(open, attempt))
}

/** The item of a call that may have had its effect. */
export const toUncertain = ({ call, action, run }: StepCall, attempt: number = 1): PendingItem => ({
  type: 'uncertain',
  id: call.id,
  action,
  idempotencyKey: run.idempotencyKey,
  ...(attempt !== 1 && { attempt }),
})

/**
 * Stores the answer to the question that a call ended with, once, and sends the call again; without
 * an answer it stays pending.
 */
async function answer(
  state: Uses<'conversation' | 'storage'>,
  open: StepCall,
  outcome: RecordedOutcome & { readonly question: StoredQuestion },
): Promise<Recovered> {
  const { question } = outcome
  // An earlier process stored the answer, and ended before it sent the call.
  if (question.answer) return live
  const given = state.storage.decisions.get(open.call.id)
  if (given?.type !== 'answer' || given.digest !== question.digest)
    return settle(state, open, toQuestion(open, question))
  const answered = {
    ...question,
    answer: checkAnswer(question, given),
    ...(given.by !== undefined && { by: given.by }),
  }
  const { key, kind, call } = open
  await state.storage.log.record(key, {
    entry: 'receipt',
    kind,
    callId: call.id,
    outcome: { ...outcome, question: answered },
  })
  return live
}

/** The question as a pending item, without what is shown to nobody. */
export const toQuestion = (
  { call, action }: StepCall,
  { message, schema, url, from, digest }: StoredQuestion,
): PendingItem => ({
  type: 'question',
  id: call.id,
  action,
  digest,
  question: {
    message,
    ...(schema && { schema }),
    ...(url !== undefined && { url }),
    ...(from !== undefined && { from }),
  },
})

/** The answered questions of a call, in their order. */
export const answersOf = (log: EffectLog, key: string): readonly StoredQuestion[] =>
  log.entries.flatMap((entry) => {
    const question = entry.key === key && 'outcome' in entry ? entry.outcome.question : undefined
    return question?.answer ? [question] : []
  })

/**
 * Applies what somebody decided about an item; without a decision it stays pending, unless the user
 * moved on. A `repeat` permits one more start: if the process ended after that start too, the
 * outcome is unknown once more.
 */
async function settle(
  state: Uses<'conversation' | 'storage'>,
  open: StepCall,
  item: PendingItem,
): Promise<Recovered> {
  const decision = state.storage.decisions.get(item.id)
  if (decision?.type === 'repeat' && !state.storage.log.isBegunAfterCheckpoint(open.key))
    return live
  // Nobody has seen an item of a call that was begun after the checkpoint, so earlier user messages
  // do not close it.
  const isSeen =
    (item.type !== 'uncertain' && item.type !== 'question') ||
    !state.storage.log.isBegunAfterCheckpoint(open.key)
  const outcome =
    decision && isOutcome(decision)
      ? decided(decision)
      : isSeen && state.conversation.hasFollowUps
        ? abandoned(item)
        : undefined
  return outcome ? keep(state.storage.log, open, outcome) : { is: 'pending', item }
}

type OutcomeDecision = Extract<ResumeDecision, { type: 'result' | 'failure' | 'give-up' }>

/**
 * False for a decision about the permission: the process that applied it started the call and
 * ended, so it says nothing about the outcome.
 */
const isOutcome = (decision: ResumeDecision): decision is OutcomeDecision =>
  ['result', 'failure', 'give-up'].includes(decision.type)

function decided(decision: OutcomeDecision): RecordedOutcome {
  if (decision.type === 'result') return executed(decision.result)
  if (decision.type === 'failure') return failed(decision.message)
  const text = 'Whether this call had an effect is unknown, and nobody will find out.'
  return { ...failed(text), uncertain: true }
}

/** Work that was begun elsewhere continues without the run: the same call again would double it. */
const abandoned = ({ type }: PendingItem): RecordedOutcome => ({
  ...failed(abandonedTexts[type] ?? abandonedTexts.wait),
  ...(type !== 'approval' && type !== 'question' && { uncertain: true }),
})

const abandonedTexts: Readonly<Partial<Record<PendingItem['type'], string>>> & {
  readonly wait: string
} = {
  uncertain:
    'This call was interrupted, and whether it had an effect is unknown: the user sent a new message first.',
  question:
    'This call asked the user, who sent a new message instead of an answer: it was not executed further.',
  wait: 'The result was not waited for: the user sent a new message first. Whether it had an effect is not known.',
}

/** What the receiver says of a call that was executed. */
const cameOf = (
  found: Extract<ReconcileOutcome, { outcome: 'executed' | 'failed' }>,
): RecordedOutcome =>
  found.outcome === 'executed' ? executed(found.result) : failed(found.message)

function executed(value: unknown): RecordedOutcome {
  const content = toToolContent(value)
  const isJson = isJsonOf(value, content)
  return { status: 'ok', content, ...(isJson && { isJson }), latencyMs: 0 }
}
const failed = (message: string): RecordedOutcome => ({
  status: 'failed',
  content: message,
  message,
  latencyMs: 0,
})

async function keep(log: EffectLog, open: StepCall, given: RecordedOutcome): Promise<Recovered> {
  const { key, kind, call } = open
  const outcome = { ...given, content: noted(open, given.content) }
  await log.record(key, { entry: 'receipt', kind, callId: call.id, outcome })
  return done(open, outcome, false)
}

function done(
  { call }: StepCall,
  { status, content, isJson, message, latencyMs, uncertain }: RecordedOutcome,
  isReported: boolean,
): Recovered {
  const isError = status !== 'ok'
  return {
    is: 'done',
    isReported,
    result: { callId: call.id, content, ...(isError && { isError }) },
    outcome: {
      status,
      latencyMs,
      ...(message === undefined ? { value: valueOf(content, isJson) } : { message }),
      ...(uncertain && { uncertain }),
    },
  }
}

/** What the tool returned, as far as its content tells. */
function valueOf(content: Content, isJson = false): unknown {
  if (!isJson || typeof content !== 'string') return content
  try {
    return JSON.parse(content)
  } catch {
    return content // a note stands before it, or the value had no JSON
  }
}

function toTask(
  { call, action, kind }: StepCall,
  { taskId = '', until }: RecordedOutcome,
): PendingTask {
  const type = kind === 'agent' ? 'task' : 'wait'
  return { type, id: call.id, action, taskId, ...(until !== undefined && { until }) }
}

/** Asks the tool, or the agent, what became of a call, or of the work that it left pending. */
export async function reconcile(
  state: Uses<'request' | 'meter' | 'events'>,
  { call, action, tool, run }: StepCall,
  taskId?: string,
): Promise<ReconcileOutcome> {
  const unknown: ReconcileOutcome = { outcome: 'unknown' }
  const context = { run, signal: state.request.signal, ...(taskId !== undefined && { taskId }) }
  try {
    if (action.type === 'agent_call') {
      const agent = state.request.agents?.find(({ name }) => name === action.agent)
      const request =
        action.action === 'infer'
          ? ({ action: 'infer', prompt: action.prompt } as const)
          : ({ action: 'tool_call', tool: action.tool, args: action.args } as const)
      return (await state.meter.wait(agent?.reconcile?.(request, context))) ?? unknown
    }
    if (!tool?.reconcile) return unknown
    const checked = await state.meter.wait(tool.validate(copyJson(call.arguments)))
    return checked.ok ? await state.meter.wait(tool.reconcile(checked.value, context)) : unknown
  } catch (error) {
    state.request.signal.throwIfAborted()
    state.meter.ledger.checkTime()
    state.events.emit({
      type: 'model-error',
      message: messageOf(error),
      code: 'reconcile',
      recoverable: true,
    })
    return unknown
  }
}

/** The part of a result that a journal keeps. */
export function outcomeOf(
  { content }: ToolResult,
  { status, message, latencyMs, value, uncertain }: ToolOutcome,
): RecordedOutcome {
  const kept = status === 'invalid-arguments' || status === 'unknown-tool' ? 'refused' : status
  if (value instanceof AskedResult)
    return { status: 'pending', content, latencyMs, question: value.question }
  const task =
    value instanceof PendingResult
      ? { taskId: value.id, ...(value.until !== undefined && { until: value.until }) }
      : {}
  return {
    status: kept,
    content,
    ...(status === 'ok' && isJsonOf(value, content) && { isJson: true }),
    latencyMs,
    ...(uncertain && { uncertain }),
    ...(message !== undefined && { message }),
    ...task,
  }
}

/** True for the content of a value that had to be written as JSON. */
const isJsonOf = (value: unknown, content: Content): boolean =>
  value !== undefined && typeof value !== 'string' && typeof content === 'string'

/** The result of a call that was executed, as its receiver says. */
export function executedResult(
  { call: { id: callId } }: StepCall,
  found: Extract<ReconcileOutcome, { outcome: 'executed' | 'failed' }>,
  latencyMs: number,
): readonly [ToolResult, ToolOutcome] {
  if (found.outcome === 'failed') {
    const { message } = found
    return [
      { callId, content: message, isError: true },
      { status: 'failed', message, latencyMs },
    ]
  }
  const { result: value } = found
  return [
    { callId, content: toToolContent(value) },
    { status: 'ok', value, latencyMs },
  ]
}

/** What the model reads of a failure that does not say it itself. */
const isUnknown = 'Whether it had an effect is not known.'

/** Says to the model that the outcome of a call is unknown, and what it may do about it. */
export function withAdvice(result: ToolResult, advice: string): ToolResult {
  const { content } = result
  if (typeof content !== 'string')
    return { ...result, content: [...content, { type: 'text', text: `${isUnknown} ${advice}` }] }
  const end = /[.!?]$/.test(content) ? '' : '.'
  const words = /unknown|not known/.test(content) ? [advice] : [isUnknown, advice]
  return { ...result, content: [`${content}${end}`, ...words].join(' ') }
}

/** Says to the model that somebody changed the arguments. */
export function withNote(open: StepCall, result: ToolResult, { status }: ToolOutcome): ToolResult {
  if (status === 'cancelled' || status === 'pending') return result
  return { ...result, content: noted(open, result.content) }
}

function noted({ isChanged, call }: StepCall, content: Content): Content {
  if (!isChanged) return content
  const note = `The arguments were changed before the call was executed: ${call.argumentsText}`
  return typeof content === 'string'
    ? `${note}\n${content}`
    : [{ type: 'text', text: note }, ...content]
}
