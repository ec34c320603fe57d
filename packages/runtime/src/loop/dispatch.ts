import { textOf, type ToolCall, type ToolResult } from '@modelport/core'
import { type Approval, type Decision, toApproval, toDecision } from './authorize.js'
import { signatureOf } from './repeat-guard.js'
import { messageOf } from '../base/message-of.js'
import { toObservations, toRefusal } from '../reply/observation.js'
import { toRepeatGuidance } from '../reply/corrections.js'
import { refuseWrittenCall } from '../reply/delegation.js'
import type { PlannedCall } from '../reply/read-reply.js'
import type { FailurePhase } from '../events/run-event.js'
import type { LimitName } from './run-result.js'
import type { RunState } from './run-state.js'
import type { RunContext } from '../tools/run-context.js'
import { executeBatch, type ToolOutcome } from '../tools/tool-batch.js'

/** What the calls of one step came to. */
export interface DispatchResult {
  /** Set when the run gets nowhere. */
  readonly limit?: Extract<LimitName, 'repeats' | 'no-progress'>
}

/** Executes the calls of one step: refuses repeats and what is not allowed, runs the rest, and commits each result when it arrives. */
export async function dispatch(
  state: RunState,
  calls: readonly PlannedCall[],
  native: boolean,
): Promise<DispatchResult> {
  const round = new Round(state, calls, native)
  try {
    await round.run()
  } finally {
    round.close()
  }
  return round.judge()
}

const phases: Readonly<Record<Exclude<ToolOutcome['status'], 'ok'>, FailurePhase>> = {
  'invalid-arguments': 'validation',
  'unknown-tool': 'lookup',
  failed: 'execution',
  timeout: 'timeout',
  cancelled: 'cancelled',
  refused: 'budget',
}

/** The calls of one step. */
class Round {
  readonly #state: RunState
  readonly #calls: readonly PlannedCall[]
  readonly #native: boolean
  readonly #results = new Map<string, ToolResult>()
  readonly #news: { from: string; text: string }[] = []
  #repeats = 0

  constructor(state: RunState, calls: readonly PlannedCall[], native: boolean) {
    this.#state = state
    this.#calls = calls
    this.#native = native
  }

  async run(): Promise<void> {
    const { limits, ledger, tools, delegation, signal, step } = this.#state
    const allowed: ToolCall[] = []
    const seen = new Set<string>()
    for (const planned of this.#calls) {
      this.#tell(planned)
      if (this.#refuseRepeat(planned, seen) || this.#refuseUnserved(planned)) continue
      const denial = this.#isKnown(planned.call.name) ? await this.#authorize(planned) : undefined
      if (denial === undefined) allowed.push(planned.call)
      else this.#answer(planned.call, toRefusal(planned.call, `Not allowed: ${denial}`))
    }
    await executeBatch(allowed, {
      tools: [...tools, ...delegation],
      step,
      signal,
      concurrency: limits.concurrency,
      timeoutMs: limits.toolTimeoutMs,
      remainingMs: ledger.remaining().runtimeMs,
      run: (call) => this.#runOf(call),
      onStart: (call) => this.#start(call),
      onResult: (call, result, outcome) => this.#take(call, result, outcome),
    })
  }

  #runOf(call: ToolCall): RunContext {
    const { runId, step, request, ledger } = this.#state
    const { keyPrefix = runId, ...scope } = request.scope ?? {}
    const { runtimeMs } = ledger.remaining()
    return {
      ...scope,
      runId,
      ...(runtimeMs !== Infinity && { deadline: Date.now() + runtimeMs }),
      idempotencyKey: `${keyPrefix}/${step}/${this.#calls.findIndex(({ call: { id } }) => id === call.id)}`,
    }
  }

  /** Answers what is still open, so that the transcript can be sent whatever happened. */
  close(): void {
    const { signal, transcript, mode } = this.#state
    const why = signal.aborted ? 'Cancelled before it was executed.' : 'Not executed: the run ended.'
    for (const { call } of this.#calls) if (!this.#results.has(call.id)) this.#answer(call, toRefusal(call, why))
    if (this.#native) return
    const observations = this.#calls.flatMap((planned) => {
      const result = this.#results.get(planned.call.id)
      return result ? [{ planned, result }] : []
    })
    transcript.append(toObservations(observations, mode === 'text' ? 'text' : 'json'))
  }

  judge(): DispatchResult {
    const { repeatStreak, progress } = this.#state
    const onlyRepeats = this.#repeats === this.#calls.length
    if (!onlyRepeats) repeatStreak.succeed()
    else if (repeatStreak.fail()) return { limit: 'repeats' }
    return progress.step(this.#news) ? { limit: 'no-progress' } : {}
  }

  #tell({ action, call }: PlannedCall): void {
    this.#state.events.emit({ type: 'action-requested', actionId: call.id, action })
  }

  #refuseRepeat({ action, call }: PlannedCall, seen: Set<string>): boolean {
    const { repeats, events, preset, limits } = this.#state
    const signature = signatureOf(action)
    const twice = seen.has(signature) && limits.repeatWindow > 0 && !limits.repeatableTools.includes(call.name)
    seen.add(signature)
    if (call.error !== undefined || !(twice || repeats.repeats(action))) return false
    this.#repeats++
    events.emit({ type: 'action-repeated', actionId: call.id, action })
    const [name, args] = action.type === 'tool_call' ? [action.tool, action.args] : [action.agent, call.arguments]
    this.#answer(call, toRefusal(call, toRepeatGuidance(action.type, name, args, preset.repeatText)))
    return true
  }

  /** Answers a written call that cannot be served. The tool runner would answer it with names the model was not shown. */
  #refuseUnserved({ action, call }: PlannedCall): boolean {
    const { toolDefinitions, request } = this.#state
    const refusal = this.#native ? undefined : refuseWrittenCall(action, toolDefinitions, request.agents ?? [])
    if (refusal) this.#take(call, toRefusal(call, refusal.message), { ...refusal, latencyMs: 0 })
    return refusal !== undefined
  }

  #isKnown(name: string): boolean {
    const { tools, delegation } = this.#state
    return [...tools, ...delegation].some(({ definition }) => definition.name === name)
  }

  /** Why the call may not be executed, or undefined. */
  async #authorize({ action, call }: PlannedCall): Promise<string | undefined> {
    const { request, events, runId, step, signal } = this.#state
    if (!request.authorize || call.error !== undefined) return undefined
    const actionId = call.id
    let decision: Decision
    try {
      decision = toDecision(await this.#state.wait(request.authorize(action, { runId, step, actionId, signal })))
    } catch (error) {
      this.#goOn()
      decision = { effect: 'deny', reason: messageOf(error) }
    }
    events.emit({
      type: 'policy-decision',
      actionId,
      effect: decision.effect,
      ...(decision.reason !== undefined && { reason: decision.reason }),
    })
    let reason = decision.effect === 'deny' ? decision.reason : undefined
    if (decision.effect === 'require-approval') {
      const approval = await this.#ask(decision)
      events.emit({ type: 'approval-decision', actionId, ...approval })
      if (!approval.approved) reason = approval.reason ?? 'approval was refused'
    }
    return reason
  }

  async #ask(decision: Extract<Decision, { effect: 'require-approval' }>): Promise<Approval> {
    if (!decision.ask) return { approved: false, reason: 'approval is required, and nobody can be asked' }
    try {
      return toApproval(await this.#state.wait(decision.ask(this.#state.signal)))
    } catch (error) {
      this.#goOn()
      return { approved: false, reason: messageOf(error) }
    }
  }

  /** Throws what ended the run while somebody was asked: that is no denial. */
  #goOn(): void {
    const { signal, ledger } = this.#state
    signal.throwIfAborted()
    ledger.checkTime()
  }

  /** A budget that has no room for the call refuses it here, before it is executed. */
  #start(call: ToolCall): void {
    const { ledger, events } = this.#state
    ledger.reserveToolCall()
    const { action } = this.#plannedOf(call)
    if (action.type === 'tool_call') {
      events.emit({ type: 'tool-start', actionId: call.id, tool: action.tool, args: action.args })
      return
    }
    const asked = action.action === 'infer' ? { prompt: action.prompt } : { tool: action.tool, args: action.args }
    events.emit({ type: 'agent-call-start', actionId: call.id, agent: action.agent, action: action.action, ...asked })
  }

  #take(call: ToolCall, result: ToolResult, outcome: ToolOutcome): void {
    const state = this.#state
    const { action } = this.#plannedOf(call)
    this.#answer(call, result)
    if (outcome.status === 'ok' || outcome.status === 'failed' || outcome.status === 'timeout') state.executedActions++
    if (outcome.status === 'ok') {
      state.repeats.remember(action)
      // Whoever polls expects the same answer for a while.
      const mayRepeat = state.limits.repeatableTools.includes(call.name)
      this.#news.push({
        from: action.type === 'tool_call' ? action.tool : action.agent,
        text: mayRepeat ? `step ${state.step}` : textOf(result.content),
      })
    } else state.failedActions++
    const { latencyMs } = outcome
    const failure =
      outcome.status === 'ok'
        ? undefined
        : {
            message: outcome.message ?? textOf(result.content),
            recoverable: outcome.status !== 'cancelled',
            phase: phases[outcome.status],
          }
    if (action.type === 'tool_call') {
      const of = { actionId: call.id, tool: action.tool, args: action.args, latencyMs }
      state.events.emit(
        failure ? { type: 'tool-error', ...of, ...failure } : { type: 'tool-result', ...of, result: outcome.value },
      )
      return
    }
    const of = { actionId: call.id, agent: action.agent, action: action.action, latencyMs }
    state.events.emit(
      failure
        ? { type: 'agent-call-error', ...of, ...failure }
        : { type: 'agent-call-result', ...of, result: outcome.value },
    )
  }

  #answer(call: ToolCall, result: ToolResult): void {
    this.#results.set(call.id, result)
    if (this.#native) this.#state.transcript.commit(call, result)
  }

  #plannedOf(call: ToolCall): PlannedCall {
    return (
      this.#calls.find((planned) => planned.call.id === call.id) ?? {
        call,
        action: { type: 'tool_call', tool: call.name, args: call.arguments },
      }
    )
  }
}
