import { type ChatMessage, type TokenUsage, textOf, toUsage } from '@modelport/core'
import { type InferRequest, infer, type RunEvent, type RunResult } from '@modelport/runtime'
import { cardCost } from '../card/model-card.js'
import type { Dialog } from '../dialog/dialog.js'
import { text } from '../parse/text.js'
import { definePrompt } from '../prompt/define-prompt.js'
import type { AnyPrompt } from '../prompt/prompt.js'
import { AgentCallError, type CallSuspension } from './call-error.js'
import { countToolRounds, type DialogParts, takeApart } from './continue-dialog.js'
import { type EndedRun, toFailure } from './failure.js'
import { beginJournaled, type JournaledOptions, toJournaledOptions } from './journaled-options.js'
import { type CallLimits, limitsOfCall } from './limits.js'
import type { CallOutcome, CallSuccess, EventConsumer, FinalRun } from './outcome.js'
import { Recalls, recallDelay, toCancelled, toResumedRequest, waitFor } from './recall.js'
import { toReport } from './reports.js'
import { cardOf, toInferRequest } from './run-request.js'
import type { AgentCallOptions, CallerSettings } from './settings.js'
import { StateMachine } from './states.js'
import type { CallTrace, PromptVersion } from './trace.js'
import { TraceRecorder } from './trace-recorder.js'
import { TurnPlan } from './turn-plan.js'

/** The turn of a dialog that no prompt opened. */
const untitled = definePrompt({ path: 'modelport/untitled', text: '', parse: text() })

/** One run of the state machine over a dialog. */
export class AgentCall<Value> {
  readonly #settings: CallerSettings
  readonly #dialog: Dialog<Value>
  #options: JournaledOptions
  readonly #consumer: EventConsumer | undefined
  readonly #callId: string
  readonly #startedAt = Date.now()
  readonly #machine: StateMachine
  readonly #recorder: TraceRecorder
  #usage: TokenUsage = toUsage([])
  #cost: number | undefined
  #plan: TurnPlan | undefined
  #recalls: Recalls | undefined
  /** The result of the run before a recall, kept so that an abort during the wait loses nothing. */
  #lastResult: RunResult | undefined
  /** The reply so far. */
  #text = ''

  constructor(
    settings: CallerSettings,
    dialog: Dialog<Value>,
    options: AgentCallOptions,
    consumer?: EventConsumer,
  ) {
    this.#settings = settings
    this.#dialog = dialog
    this.#options = toJournaledOptions(options)
    this.#callId =
      this.#options.runId ?? `call_${crypto.getRandomValues(new BigUint64Array(2)).join('')}`
    this.#consumer = consumer
    this.#recorder = new TraceRecorder(
      () => this.#machine,
      consumer && ((entry): void => consumer.push(entry)),
    )
    this.#machine = new StateMachine((from, to) => this.#recorder.add({ type: 'state', from, to }))
  }

  /** Runs to one of the two ends; never rejects. */
  async run(): Promise<CallOutcome<Value>> {
    const { calls } = this.#options
    if (!calls) return this.#run()
    try {
      this.#options = beginJournaled(this.#options, this.#dialog)
    } catch (error) {
      const thrown = { thrown: error, aborted: false, isDeadline: false }
      return this.#fail(toFailure(thrown, undefined, undefined), undefined)
    }
    const outcome = await this.#run()
    calls.end(outcome)
    return outcome
  }

  async #run(): Promise<CallOutcome<Value>> {
    const deadline =
      this.#options.deadlineMs === undefined
        ? undefined
        : AbortSignal.timeout(this.#options.deadlineMs)
    const signals = [this.#options.signal, deadline].filter((one) => one !== undefined)
    // AbortSignal.any costs more than the rest of a call without tools.
    const signal =
      signals.length > 1 ? AbortSignal.any(signals) : (signals[0] ?? new AbortController().signal)
    let plan: TurnPlan | undefined
    try {
      const limits = limitsOfCall(this.#settings.limits, this.#options.limits)
      const parts = takeApart(this.#dialog, this.#options)
      const recalls = new Recalls(limits.maxRecalls, this.#options.resume)
      this.#recalls = recalls
      plan = this.#makePlan(limits, parts)
      this.#plan = plan
      const request = toInferRequest({
        settings: this.#settings,
        options: this.#options,
        dialog: this.#dialog,
        parts,
        plan,
        limits,
        recalls,
        signal,
        callId: this.#callId,
        consumer: this.#consumer,
        onEvent: (event) => this.#observe(event),
      })
      this.#options.calls?.useTools(request)
      const result = await this.#runWithRecalls(request, recalls, signal)
      if (result.status !== 'final') return this.#fail(toFailure(result, plan, deadline), result)
      return this.#succeed(result as FinalRun<Value>)
    } catch (error) {
      const isDeadline = deadline?.aborted === true && error === deadline.reason
      const thrown: EndedRun = {
        thrown: error,
        aborted: signal.aborted && error === signal.reason,
        isDeadline,
      }
      const last = this.#lastResult
      return this.#fail(
        toFailure(thrown, plan, deadline),
        last,
        thrown.aborted ? toCancelled(last, error) : undefined,
      )
    }
  }

  #makePlan(limits: CallLimits, parts: DialogParts): TurnPlan {
    const { prompt, args } = this.#dialog.top ?? { prompt: untitled, args: {} }
    return new TurnPlan({
      prompt,
      args,
      settings: this.#settings,
      limits,
      recorder: this.#recorder,
      parserArgs: this.#options.parserArgs,
      toolRounds: this.#options.resume ? countToolRounds(parts.messages) : 0,
    })
  }

  /** Runs `infer`, and resumes it after faults as often as the limit allows. */
  async #runWithRecalls(
    first: InferRequest,
    recalls: Recalls,
    signal: AbortSignal,
  ): Promise<RunResult> {
    let request = first
    const { remainingMs } = recalls
    if (remainingMs) {
      this.#machine.signal('fault')
      await waitFor(remainingMs, signal)
    }
    for (;;) {
      const result = await infer(this.#settings.provider, request)
      this.#lastResult = result
      if (!recalls.allows(result)) return result
      await this.#recall(recalls, result, signal)
      request = result.checkpoint ? toResumedRequest(first, result.checkpoint, result) : first
    }
  }

  async #recall(
    recalls: Recalls,
    result: Extract<RunResult, { status: 'failed' }>,
    signal: AbortSignal,
  ): Promise<void> {
    const { error } = result
    const attempt = recalls.count + 1
    const delayMs = recallDelay(attempt, error, this.#settings.recallDelayMs)
    const state = this.#machine.state
    this.#machine.signal('fault')
    this.#recorder.add({
      type: 'recall',
      attempt,
      code: error.code,
      message: error.message,
      delayMs,
    })
    this.#report(toReport('recall', error, error, state, this.#trace()))
    recalls.begin(delayMs)
    if (this.#options.journal) await recalls.store(result, this.#options.journal)
    await waitFor(delayMs, signal)
  }

  #observe(event: RunEvent): void {
    this.#options.onRunEvent?.(event)
    if (event.type === 'text-delta' || event.type === 'reasoning-delta')
      this.#pushDelta(event.type, event.text)
    else {
      if (event.type === 'model-call-start') this.#text = ''
      this.#recorder.observe(event)
    }
  }

  /** Passes deltas to the reader, with the value so far. */
  #pushDelta(type: 'text-delta' | 'reasoning-delta', text: string): void {
    if (!this.#consumer) return
    this.#consumer.push({ type, text })
    if (type === 'reasoning-delta') return
    this.#text += text
    const value = this.#plan?.partial(this.#text)
    if (value !== undefined) this.#consumer.push({ type: 'partial', value })
  }

  #succeed(result: FinalRun<Value>): CallSuccess<Value> {
    this.#recorder.understood()
    this.#count(result)
    this.#machine.signal('accepted')
    const trace = this.#trace(Date.now())
    this.#handOut(trace)
    return {
      status: 'success',
      // The parser of the turn's prompt made it.
      value: (result as FinalRun<unknown>).output as Value,
      text: result.text,
      dialog: this.#dialog.follow(withReplyText(result)),
      trace,
      runResult: result,
      details: result.details,
      usage: result.usage,
      ...(this.#cost !== undefined && { cost: this.#cost }),
      ...(result.truncated && { truncated: true }),
    }
  }

  #fail(
    failure: ReturnType<typeof toFailure>,
    result: RunResult | undefined,
    ended: RunResult | undefined = result,
  ): CallOutcome<Value> {
    if (result) this.#count(result)
    const { state } = this.#machine
    this.#machine.signal('ended')
    const dialog = result ? this.#dialog.follow(result.transcript) : this.#dialog
    const trace = this.#trace(Date.now())
    this.#handOut(trace)
    const prompt = this.#dialog.topPrompt?.path
    const where = `agent "${this.#settings.name}"${prompt === undefined ? '' : `, prompt "${prompt}"`}`
    const { code, message, cause, limit } = failure
    const suspension = failure.suspension && this.#withRecalls(failure.suspension)
    const runResult =
      suspension && ended?.status === 'suspended' ? { ...ended, ...suspension } : ended
    const known = {
      ...(limit && { limit }),
      ...(suspension && { suspension }),
      ...(runResult && { runResult }),
    }
    const error = new AgentCallError(
      code,
      `${where}: ${message}`,
      { state, dialog, trace, ...known },
      { cause },
    )
    if (!suspension) this.#report(toReport('failure', error, cause, state, trace))
    return { status: 'failure', error }
  }

  #withRecalls({ pending, checkpoint }: CallSuspension): CallSuspension {
    return { pending, checkpoint: this.#recalls?.mark(checkpoint) ?? checkpoint }
  }

  #count({ usage, metrics }: RunResult): void {
    this.#usage = usage
    const card = cardOf(this.#settings)
    this.#cost = (card && usage.reported ? cardCost(usage, card) : undefined) ?? metrics.totalCost
  }

  #handOut(trace: CallTrace): void {
    try {
      this.#options.onTrace?.(trace)
    } catch {
      // A listener must not change how the call ends.
    }
  }

  #report(report: ReturnType<typeof toReport>): void {
    try {
      void Promise.resolve(this.#settings.reports?.(report)).catch(() => undefined)
    } catch {
      // A report that cannot be kept must not change how the call ends.
    }
  }

  #trace(endedAt?: number): CallTrace {
    const { system } = this.#settings
    const prompt = this.#dialog.topPrompt
    const handlers = [prompt?.onParseError, prompt?.onToolResults, prompt?.lastCall]
    const used = [system, prompt, ...handlers].filter(
      (one): one is AnyPrompt => typeof one === 'object',
    )
    return {
      callId: this.#options.resume?.runId ?? this.#callId,
      agent: this.#settings.name,
      prompts: used.map((one): PromptVersion => ({ path: one.path, hash: one.hash })),
      state: this.#machine.state,
      startedAt: this.#startedAt,
      ...(endedAt !== undefined && { endedAt }),
      entries: this.#recorder.entries,
      usage: this.#usage,
      ...(this.#cost !== undefined && { cost: this.#cost }),
      ...(this.#options.extra !== undefined && { extra: this.#options.extra }),
    }
  }
}

/**
 * The transcript with the reply as its tail: a model that was asked for an action wrote it into a
 * JSON object.
 */
function withReplyText({ transcript, text }: RunResult): readonly ChatMessage[] {
  const tail = transcript.at(-1)
  if (tail?.role !== 'assistant' || textOf(tail.content) === text) return transcript
  return [...transcript.slice(0, -1), { ...tail, content: text }]
}
