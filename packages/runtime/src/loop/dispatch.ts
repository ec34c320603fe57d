import type { ToolCall, ToolResult } from '@modelport/core'
import { remainingMsOf } from '../budget/budget.js'
import type { EffectLog } from '../journal/effect-log.js'
import type { PendingItem } from '../journal/pending-item.js'
import { toRepeatGuidance } from '../reply/corrections.js'
import { refuseWrittenCall } from '../reply/delegation.js'
import { toRefusal } from '../reply/observation.js'
import type { PlannedCall } from '../reply/read-reply.js'
import { AskedResult, PendingResult } from '../tools/pending-result.js'
import { executeBatch } from '../tools/tool-batch.js'
import type { ToolOutcome } from '../tools/tool-outcome.js'
import { authorizeOf, permit, type Verdict } from './permission.js'
import { answersOf, outcomeOf, recover, toQuestion, withNote } from './recovery.js'
import { signatureOf } from './repeat-guard.js'
import type { LimitName } from './run-result.js'
import type { RunState } from './run-state.js'
import { type StepCall, toStepCall } from './step-call.js'
import { StepResults } from './step-results.js'

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
  state: RunState,
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

class Step {
  readonly #state: RunState
  readonly #calls: readonly PlannedCall[]
  readonly #native: boolean
  readonly #results: StepResults
  readonly #pending: PendingItem[] = []
  /** The calls that may run, by id. */
  readonly #open = new Map<string, StepCall>()
  /** Why nothing more may start. */
  #failure: { readonly error: unknown } | undefined

  constructor(state: RunState, calls: readonly PlannedCall[], native: boolean) {
    this.#state = state
    this.#calls = calls
    this.#native = native
    this.#results = new StepResults(state, calls, native)
  }

  async run(): Promise<void> {
    const { limits, ledger, tools, signal, step, eager } = this.#state
    await this.#decide()
    const live = this.#state.log.hasRecords ? await this.#recover() : [...this.#open.values()]
    await executeBatch(
      live.map(({ call }) => call),
      {
        tools: tools.all.map(eager.toTaken),
        step,
        signal,
        concurrency: limits.concurrency,
        timeoutMs: limits.toolTimeoutMs,
        remainingMs: remainingMsOf(ledger),
        run: ({ id }, index) => this.#of(id, live[index]).run,
        answers: ({ id }) => answersOf(this.#state.log, this.#of(id).key),
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
    const { request, transcript, step, signal } = this.#state
    if (this.#pending.length) return { pending: this.#pending }
    const limit = this.#results.judge()
    const said = await request.afterTools?.(this.#results.toList(), { step, signal })
    if (said !== undefined)
      transcript.append(typeof said === 'string' ? { role: 'user', content: said } : said)
    return { pending: [], ...(limit && { limit }) }
  }

  /** Decides on every call, before any of them runs. */
  async #decide(): Promise<void> {
    const state = this.#state
    const seen = new Set<string>()
    const reported = countReported(state, this.#calls.length)
    for (const [index, planned] of this.#calls.entries()) {
      const { action, call } = planned
      const isReported = index < reported
      if (!isReported) state.events.emit({ type: 'action-requested', actionId: call.id, action })
      if (this.#refuseRepeat(planned, seen, isReported) || this.#refuseUnserved(planned)) continue
      const tool = state.tools.all.find(({ definition }) => definition.name === call.name)
      const verdict =
        tool && authorizeOf(state) ? await permit(state, planned, index, tool) : allowed
      if (verdict.effect === 'wait') this.#pending.push(verdict.item)
      else if (verdict.effect === 'deny')
        this.#results.add(call, toRefusal(call, `Not allowed: ${verdict.reason}`))
      else this.#open.set(call.id, toStepCall(state, planned, index, tool, verdict.arguments))
    }
  }

  /**
   * Reuses the results that were recorded before a resume; returns the calls that have to run now.
   */
  async #recover(): Promise<readonly StepCall[]> {
    const live: StepCall[] = []
    for (const open of recordedFirst(this.#state.log, [...this.#open.values()])) {
      const found = await recover(this.#state, open)
      if (found.is === 'live') live.push(open)
      else if (found.is === 'pending') this.#pending.push(found.item)
      else this.#results.take(open, found.result, found.outcome, found.isReported)
    }
    return live.sort((a, b) => a.index - b.index)
  }

  #refuseRepeat({ action, call }: PlannedCall, seen: Set<string>, isReported: boolean): boolean {
    const { guards, events, preset, limits } = this.#state
    const signature = signatureOf(action)
    const twice =
      seen.has(signature) && limits.repeatWindow > 0 && !limits.repeatableTools.includes(call.name)
    seen.add(signature)
    if (call.error !== undefined || !(twice || guards.repeats.repeats(action))) return false
    if (!isReported) events.emit({ type: 'action-repeated', actionId: call.id, action })
    const [name, args] =
      action.type === 'tool_call' ? [action.tool, action.args] : [action.agent, call.arguments]
    this.#results.addRepeat(call, toRepeatGuidance(action.type, name, args, preset.repeatText))
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
    const { eager, ledger, log } = this.#state
    if (this.#failure) throw this.#failure.error
    const { key, kind, action, call, effect, run } = open
    // A call that is sent again with an answer is still one call.
    if (!answersOf(log, key).length) eager.count(ledger, call.id)
    const { idempotencyKey } = run
    const intent = {
      entry: 'intent',
      kind,
      callId: call.id,
      action,
      idempotencyKey,
      effect,
    } as const
    await log.intend(key, intent).catch(this.#stop)
    open.isStarted = true
    this.#announce(open)
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

  async #take({ id }: ToolCall, given: ToolResult, outcome: ToolOutcome): Promise<void> {
    const open = this.#of(id)
    const { key, kind } = open
    const result = withNote(open, given, outcome)
    const receipt = {
      entry: 'receipt',
      kind,
      callId: id,
      outcome: outcomeOf(result, outcome),
    } as const
    // A call that was cut off has no receipt: whether it had an effect is found out when the run is
    // resumed.
    if (open.isStarted && outcome.status !== 'cancelled')
      await this.#state.log.record(key, receipt).catch(this.#stop)
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
      this.#results.take(open, result, outcome)
      return
    }
    const type = open.kind === 'agent' ? 'task' : 'wait'
    const until = value.until === undefined ? {} : { until: value.until }
    this.#pending.push({ type, id: open.call.id, action: open.action, taskId: value.id, ...until })
  }

  #of(id: string, given?: StepCall): StepCall {
    const open = given ?? this.#open.get(id)
    if (!open) throw new TypeError(`the call "${id}" is not one of this step`)
    return open
  }
}

/**
 * How many calls of the step an earlier process has reported and decided on: all of them, once one
 * was started.
 */
function countReported({ log, durable }: Pick<RunState, 'log' | 'durable'>, all: number): number {
  const kinds = new Set(log.entries.map(({ kind }) => kind))
  if (kinds.has('tool') || kinds.has('agent')) return all
  const decided = log.entries.some(
    ({ entry, kind }) => entry === 'receipt' && kind === 'authorization',
  )
  if (decided && durable.resume?.pending.length) return all
  let count = 0
  while (count < all && log.find(log.keyOf('authorization', count))) count++
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
