import type { ToolCall, ToolResult } from '@modelport/core'
import type { LimitName } from '../../base/limit-name.js'
import { BudgetExceededError, remainingMsOf } from '../../budget/budget.js'
import type { EffectLog } from '../../journal/effect-log.js'
import type { PendingItem } from '../../journal/pending-item.js'
import { toRepeatGuidance } from '../../reply/corrections.js'
import { AgentNotHeard, refuseWrittenCall } from '../../reply/delegation.js'
import { toRefusal } from '../../reply/observation.js'
import type { PlannedCall } from '../../reply/read-reply.js'
import { isNeverSent } from '../../tools/outcome-unknown.js'
import { AskedResult, PendingResult } from '../../tools/pending-result.js'
import type { Tool } from '../../tools/tool.js'
import { executeBatch } from '../../tools/tool-batch.js'
import { isToolFailure } from '../../tools/tool-content.js'
import type { ToolOutcome } from '../../tools/tool-outcome.js'
import type { Intention } from '../guards/intentions.js'
import { signatureOf } from '../guards/repeat-guard.js'
import type { Uses } from '../state/run-state.js'
import { isGiven } from './given-calls.js'
import { authorizeOf, permit, type Verdict } from './permission.js'
import {
  answersOf,
  effectOf,
  executedResult,
  isHeld,
  isWithoutReceipt,
  knownBefore,
  outcomeOf,
  type Recovered,
  reconcile,
  recover,
  replayed,
  toQuestion,
  toUncertain,
  withAdvice,
  withNote,
} from './recovery.js'
import { toRecordable } from './result-size.js'
import { declarationOf, intentOf, type StepCall, toStepCall } from './step-call.js'
import { StepResults } from './step-results.js'

/** The parts of a run that its calls use. */
type StepParts = Uses<
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

/** The outcome of the calls of one step. */
export interface DispatchResult {
  /** Set when the run gets nowhere. */
  readonly limit?: Extract<LimitName, 'repeats' | 'no-progress'>
  readonly pending: readonly PendingItem[]
}

/**
 * Executes the calls of one step: refuses repeats, decides on every call, reuses recorded results,
 * runs the calls that are allowed, and commits each result when it arrives.
 */
export async function dispatch(
  state: StepParts,
  calls: readonly PlannedCall[],
  native: boolean,
): Promise<DispatchResult> {
  const step = new Step(state, calls, native)
  try {
    await step.run()
  } finally {
    step.close()
  }
  return step.finish()
}

/** The text for the model in place of a result that has not arrived. */
const placeholders: Readonly<Record<PendingItem['type'], string>> = {
  approval: 'This call waits for approval: it was not executed yet.',
  task: 'This call continues elsewhere: its result is not known yet.',
  wait: 'This call continues elsewhere: its result is not known yet.',
  question: 'This call waits for the answer of the user to a question of the tool.',
  uncertain:
    'This call was started before an interruption: whether it had an effect is not known yet.',
}

const allowed: Verdict = { effect: 'allow' }

/** How often a call whose reply is lost is sent in one process. */
const mostSends = 3

const sameCallIsSafe =
  'The same call again is safe: the receiver recognizes it and acts at most once.'
const sameCallIsHeld =
  'Do not make the same call again: find out first whether it happened, or tell the user.'

class Step {
  readonly #state: StepParts
  readonly #calls: readonly PlannedCall[]
  readonly #native: boolean
  readonly #results: StepResults
  readonly #pending: PendingItem[] = []
  /** The calls that may run, by id. */
  readonly #open = new Map<string, StepCall>()
  /** The calls that are sent once more, with the same key. */
  readonly #again: StepCall[] = []
  /** Why nothing more may start. */
  #failure: { readonly error: unknown } | undefined

  constructor(state: StepParts, calls: readonly PlannedCall[], native: boolean) {
    this.#state = state
    this.#calls = calls
    this.#native = native
    this.#results = new StepResults(state, calls, native)
  }

  async run(): Promise<void> {
    await this.#decide()
    const calls = [...this.#open.values()]
    if (this.#state.storage.log.isOnEngine) return this.#performAll(calls)
    const isKnown = this.#state.storage.log.hasRecords || calls.some(isHeld)
    let live = isKnown ? await this.#recover(calls) : calls
    // Calls that are sent again wait until the others have their results.
    while (live.length) {
      await this.#execute(live)
      live = this.#again.splice(0)
    }
  }

  /** One after the other: an engine knows an effect by its place. */
  async #performAll(calls: readonly StepCall[]): Promise<void> {
    for (const open of calls) {
      const before = await recover(this.#state, open)
      const found = before.is === 'live' ? await this.#perform(open) : before
      if (found.is === 'pending') this.#pending.push(found.item)
      else if (found.is === 'done')
        this.#settle(open, found.result, found.outcome, found.isReported)
    }
  }

  /** Lets the engine perform a call; `live` if that was here, and took its result. */
  async #perform(open: StepCall): Promise<Recovered> {
    const { storage } = this.#state
    const makeIt = (isFirst: boolean): Promise<Recovered> => this.#makeOnEngine(open, isFirst)
    try {
      const made = await storage.log.perform(open.key, effectOf(open), makeIt)
      return made ? made.value : replayed(this.#state, open)
    } catch (error) {
      if (error instanceof BudgetExceededError)
        this.#results.addMissing(open.call, toRefusal(open.call, error.message))
      throw error
    }
  }

  /** Makes a call, unless an earlier try of it may have had its effect. */
  async #makeOnEngine(open: StepCall, isFirst: boolean): Promise<Recovered> {
    open.wasTried = !isFirst
    const found = await knownBefore(this.#state, open, isFirst)
    if (found.is !== 'live') return found
    let live: readonly StepCall[] = [open]
    while (live.length) {
      await this.#execute(live)
      live = this.#again.splice(0)
    }
    return found
  }

  #execute(live: readonly StepCall[]): Promise<void> {
    const { request, meter, tools, turn, storage } = this.#state
    return executeBatch(
      live.map(({ call }) => call),
      {
        tools: tools.all.map(tools.eager.toTaken),
        step: turn.step,
        signal: request.signal,
        concurrency: request.limits.concurrency,
        timeoutMs: request.limits.toolTimeoutMs,
        remainingMs: remainingMsOf(meter.ledger),
        run: ({ id }, index) => this.#of(id, live[index]).run,
        answers: ({ id }) => answersOf(storage.log, this.#of(id).key),
        onStart: ({ id }) => this.#start(this.#of(id)),
        onProgress: ({ id }, progress) => this.#report(this.#of(id), progress),
        onResult: (call, result, outcome) => this.#take(call, result, outcome),
      },
    )
  }

  close(): void {
    this.#results.close(new Map(this.#pending.map(({ id, type }) => [id, placeholders[type]])))
  }

  async finish(): Promise<DispatchResult> {
    const { request, conversation, turn } = this.#state
    if (this.#pending.length) return { pending: this.#pending }
    const limit = this.#results.judge()
    const said = await request.afterTools?.(this.#results.toList(), {
      step: turn.step,
      signal: request.signal,
    })
    if (said !== undefined)
      conversation.transcript.append(
        typeof said === 'string' ? { role: 'user', content: said } : said,
      )
    return { pending: [], ...(limit && { limit }) }
  }

  /** Decides on every call, before any of them runs. */
  async #decide(): Promise<void> {
    const seen = new Set<string>()
    const reported = countReported(this.#state, this.#calls.length)
    for (const [index, planned] of this.#calls.entries()) {
      const { action, call } = planned
      const isReported = index < reported
      if (!isReported)
        this.#state.events.emit({ type: 'action-requested', actionId: call.id, action })
      const isFirst = !seen.has(signatureOf(action))
      if (this.#refuseRepeat(planned, seen, isReported) || this.#refuseUnserved(planned)) continue

      const tool = this.#state.tools.find(call.name)
      const intention = this.#intend(planned, tool, isFirst)
      const verdict =
        tool && authorizeOf(this.#state) ? await permit(this.#state, planned, index, tool) : allowed
      if (verdict.effect === 'wait') this.#pending.push(verdict.item)
      else if (verdict.effect === 'deny')
        this.#results.add(call, toRefusal(call, `Not allowed: ${verdict.reason}`))
      else
        this.#open.set(call.id, toStepCall(this.#state, planned, index, tool, intention, verdict))
    }
  }

  /** Every call that is asked for counts, also one that nobody allows: a resume may allow it. */
  #intend(planned: PlannedCall, tool: Tool | undefined, isFirst: boolean): Intention | undefined {
    const { action, call } = planned
    const hasEffect = !declarationOf(this.#state, planned, tool)?.readOnly
    if (call.error !== undefined || !hasEffect) return undefined
    return this.#state.guards.intentions.take(action, isFirst)
  }

  /**
   * Reuses the results that were recorded before a resume, and holds calls whose outcome is unknown
   * from an earlier try; returns the calls that have to run now.
   */
  async #recover(calls: readonly StepCall[]): Promise<readonly StepCall[]> {
    const live: StepCall[] = []
    for (const open of recordedFirst(this.#state.storage.log, calls)) {
      const found = await recover(this.#state, open)
      if (found.is === 'live') live.push(open)
      else if (found.is === 'pending') this.#pending.push(found.item)
      else this.#settle(open, found.result, found.outcome, found.isReported)
    }
    return live.sort((a, b) => a.index - b.index)
  }

  #refuseRepeat({ action, call }: PlannedCall, seen: Set<string>, isReported: boolean): boolean {
    const { guards, events, request, turn } = this.#state
    // Whoever gives a call twice wants it twice.
    if (isGiven(this.#state, turn.step)) return false
    const signature = signatureOf(action)
    const twice =
      seen.has(signature) &&
      request.limits.repeatWindow > 0 &&
      !request.limits.repeatableTools.includes(call.name)
    seen.add(signature)
    if (call.error !== undefined || !(twice || guards.repeats.repeats(action))) return false
    if (!isReported) events.emit({ type: 'action-repeated', actionId: call.id, action })
    const [name, args] =
      action.type === 'tool_call' ? [action.tool, action.args] : [action.agent, call.arguments]
    this.#results.addRepeat(
      call,
      toRepeatGuidance(action.type, name, args, request.preset.repeatText),
    )
    return true
  }

  /**
   * Refuses a written call that cannot be served. The tool runner would list names that the model
   * was not shown.
   */
  #refuseUnserved(planned: PlannedCall): boolean {
    const { tools } = this.#state
    const refusal = this.#native
      ? undefined
      : refuseWrittenCall(planned.action, tools.served, tools.agents)
    if (refusal)
      this.#results.take(planned, toRefusal(planned.call, refusal.message), {
        ...refusal,
        latencyMs: 0,
      })
    return refusal !== undefined
  }

  /** A budget that has no room for the call refuses it here, before it is executed. */
  async #start(open: StepCall): Promise<void> {
    const { tools, meter, storage } = this.#state
    if (this.#failure) throw this.#failure.error
    const { key, call } = open
    const isFirst = open.sends === 0
    // A call that is sent again, with an answer or after a lost reply, is still one call.
    if (isFirst && !answersOf(storage.log, key).length) tools.eager.count(meter.ledger, call.id)
    await storage.log.intend(key, intentOf(open)).catch(this.#stop)
    open.sends++
    if (isFirst) this.#announce(open)
  }

  #announce({ action, call }: StepCall): void {
    const { events } = this.#state
    if (action.type === 'tool_call') {
      events.emit({ type: 'tool-start', actionId: call.id, tool: action.tool, args: action.args })
      return
    }
    const asked =
      action.action === 'infer'
        ? { prompt: action.prompt }
        : { tool: action.tool, args: action.args }
    events.emit({
      type: 'agent-call-start',
      actionId: call.id,
      agent: action.agent,
      action: action.action,
      ...asked,
    })
  }

  /** Settles when reader and sink have taken the event. */
  #report({ action, call }: StepCall, progress: unknown): Promise<void> | undefined {
    const { events } = this.#state
    const tool = action.type === 'tool_call' ? action.tool : action.agent
    events.emit({ type: 'tool-progress', actionId: call.id, tool, progress })
    return events.drained()
  }

  #take({ id }: ToolCall, result: ToolResult, outcome: ToolOutcome): Promise<void> | undefined {
    const open = this.#of(id)
    const isUnknown = outcome.uncertain ?? this.#staysUnknown(open, outcome)
    if (isUnknown && open.effect !== 'read-only')
      return this.#takeUncertain(open, result, { ...outcome, uncertain: true })
    if (outcome.status !== 'cancelled') return this.#commit(open, result, outcome)

    // A call that was cut off has no receipt: whether it had an effect is found out when the run is
    // resumed.
    this.#use(open, withNote(open, result, outcome), outcome)
    return undefined
  }

  /**
   * True for a sending that failed and says nothing of an earlier one of the same call, which may
   * have had its effect: it reached nobody, or it failed on the way. Only what the receiver of an
   * idempotent call answers is about both.
   */
  #staysUnknown(open: StepCall, { error }: ToolOutcome): boolean {
    const { key, sends, wasTried, intention, effect } = open
    const recorded = this.#state.storage.log.find(key)
    const wasBegun = wasTried || (recorded !== undefined && isWithoutReceipt(recorded))
    const mayHaveHappened = sends > 1 || wasBegun || intention?.isRepeated === true
    if (!mayHaveHappened || error === undefined) return false

    return isNeverSent(error) || (effect === 'idempotent' && !isAnswer(error))
  }

  /** The one road of a call whose outcome is unknown: see `EffectDeclaration`. */
  async #takeUncertain(open: StepCall, result: ToolResult, outcome: ToolOutcome): Promise<void> {
    const mayBeSent = open.sends < mostSends
    if (open.effect === 'idempotent') {
      // A call whose time is over is not sent again: it had its limit.
      if (outcome.status !== 'timeout' && mayBeSent) this.#again.push(open)
      else await this.#commit(open, withAdvice(result, sameCallIsSafe), outcome)
      return
    }

    const found = await reconcile(this.#state, open)
    const isUnknowable = found.outcome === 'unknown' && found.message !== undefined
    if (found.outcome === 'executed' || found.outcome === 'failed')
      await this.#commit(open, ...executedResult(open, found, outcome.latencyMs))
    else if (found.outcome === 'not-executed' && mayBeSent) this.#again.push(open)
    else if (open.needsPerson || (open.asksReceiver && !isUnknowable)) {
      const attempt = this.#state.storage.log.attemptOf(open.key)
      this.#pending.push(toUncertain(open, attempt))
    } else {
      const { call, run } = open
      this.#state.meter.warn(
        `whether the call of "${call.name}" had an effect is unknown (idempotency key ${run.idempotencyKey})`,
      )
      await this.#commit(open, withAdvice(result, sameCallIsHeld), outcome)
    }
  }

  /** Records what came of a call that was started, then uses it. */
  async #commit(open: StepCall, given: ToolResult, came: ToolOutcome): Promise<void> {
    const { key, kind, call } = open
    const noted = withNote(open, given, came)
    const [result, outcome] = this.#state.storage.log.isStored
      ? toRecordable(noted, came)
      : [noted, came]
    const receipt = {
      entry: 'receipt',
      kind,
      callId: call.id,
      outcome: outcomeOf(result, outcome),
    } as const
    if (open.sends > 0) await this.#state.storage.log.record(key, receipt).catch(this.#stop)
    this.#use(open, result, outcome)
  }

  /** After an entry that could not be written no call starts. */
  readonly #stop = (error: unknown): never => {
    this.#failure ??= { error }
    throw error
  }

  #use(open: StepCall, result: ToolResult, outcome: ToolOutcome): void {
    const { value } = outcome
    if (value instanceof AskedResult) {
      this.#pending.push(toQuestion(open, value.question))
      return
    }
    if (outcome.status !== 'pending' || !(value instanceof PendingResult)) {
      this.#settle(open, result, outcome)
      return
    }
    const type = open.kind === 'agent' ? 'task' : 'wait'
    this.#pending.push({
      type,
      id: open.call.id,
      action: open.action,
      taskId: value.id,
      ...(value.until !== undefined && { until: value.until }),
      ...(open.tool?.cancelPending && { cancelable: true }),
    })
  }

  #settle(open: StepCall, result: ToolResult, outcome: ToolOutcome, isReported = false): void {
    const { intention } = open
    if (intention) this.#state.guards.intentions.settle(intention, outcome.uncertain === true)
    this.#results.take(open, result, outcome, isReported)
  }

  #of(id: string, given?: StepCall): StepCall {
    const open = given ?? this.#open.get(id)
    if (!open) throw new TypeError(`the call "${id}" is not one of this step`)
    return open
  }
}

/** True for what a receiver answered, not for an error on the way to it or back. */
const isAnswer = (error: unknown): boolean =>
  isToolFailure(error) && !(error instanceof AgentNotHeard)

/**
 * How many calls of the step an earlier process has reported and decided on: all of them, once one
 * was started.
 */
function countReported({ storage, request }: Uses<'request' | 'storage'>, all: number): number {
  const kinds = new Set(storage.log.entries.map(({ kind }) => kind))
  if (kinds.has('tool') || kinds.has('agent')) return all
  const decided = storage.log.entries.some(
    ({ entry, kind }) => entry === 'receipt' && kind === 'authorization',
  )
  if (decided && request.durable.resume?.pending.length) return all
  let count = 0
  while (count < all && storage.log.find(storage.log.keyOf('authorization', count))) count++
  return count
}

/**
 * Calls with a receipt first, in the order of the receipts: guards then count as they did before.
 */
function recordedFirst(log: EffectLog, open: readonly StepCall[]): readonly StepCall[] {
  const order = log.entries.filter(({ entry }) => entry === 'receipt').map(({ key }) => key)
  const placeOf = ({ key }: StepCall): number => {
    const place = order.indexOf(key)
    return place < 0 ? Infinity : place
  }
  return order.length
    ? [...open].sort((a, b) => (placeOf(a) === placeOf(b) ? 0 : placeOf(a) - placeOf(b)))
    : open
}
