import { type ToolCall, type ToolResult, textOf } from '@modelport/core'
import type { LimitName } from '../../base/limit-name.js'
import type { FailurePhase } from '../../events/run-event.js'
import { sourcesOf, withSources } from '../../history/sources.js'
import { toObservations, toRefusal } from '../../reply/observation.js'
import type { PlannedCall } from '../../reply/read-reply.js'
import type { ToolOutcome } from '../../tools/tool-outcome.js'
import type { StepResult } from '../guards/progress-guard.js'
import type { FinishedCall } from '../request/output-parser.js'
import type { Uses } from '../state/run-state.js'
import { modeOf } from '../state/run-view.js'

/** The parts of a run that take the results of calls. */
type ResultParts = Uses<
  | 'request'
  | 'models'
  | 'control'
  | 'tools'
  | 'conversation'
  | 'guards'
  | 'meter'
  | 'events'
  | 'turn'
>

const phases: Readonly<Record<Exclude<ToolOutcome['status'], 'ok' | 'pending'>, FailurePhase>> = {
  'invalid-arguments': 'validation',
  'unknown-tool': 'lookup',
  failed: 'execution',
  timeout: 'timeout',
  cancelled: 'cancelled',
  refused: 'budget',
}

/** The results of the calls of one step: committed to the transcript, counted, reported. */
export class StepResults {
  readonly #state: ResultParts
  readonly #calls: readonly PlannedCall[]
  readonly #native: boolean
  readonly #results = new Map<string, ToolResult>()
  readonly #outcomes = new Map<string, ToolOutcome>()
  readonly #news: StepResult[] = []
  #repeats = 0

  constructor(state: ResultParts, calls: readonly PlannedCall[], native: boolean) {
    this.#state = state
    this.#calls = calls
    this.#native = native
  }

  /** Adds the result of a call that is not executed because it was executed before. */
  addRepeat(call: ToolCall, text: string): void {
    this.#repeats++
    this.add(call, toRefusal(call, text))
  }

  /** Adds the result of a call that has none yet. */
  addMissing(call: ToolCall, result: ToolResult): void {
    if (!this.#results.has(call.id)) this.add(call, result)
  }

  /** Adds the result of a call. */
  add(call: ToolCall, result: ToolResult): void {
    this.#results.set(call.id, result)
    if (this.#native) this.#state.conversation.transcript.commit(call, result)
  }

  /** Takes what came of a call: adds its result, counts it, and reports it. */
  take(
    { action, call }: PlannedCall,
    given: ToolResult,
    outcome: ToolOutcome,
    isReported = false,
  ): void {
    const source = this.#state.tools.find(call.name)?.source
    const result = withSources(given, source === undefined ? [] : [source])
    this.add(call, result)
    this.#outcomes.set(call.id, outcome)
    this.#state.tools.found.take(call.name, result)
    const { status, latencyMs } = outcome
    const isExecuted = status === 'ok' || status === 'failed' || status === 'timeout'
    this.#state.meter.tally.addAction(isExecuted, status !== 'ok')
    if (status === 'ok') {
      this.#state.guards.repeats.remember(action)
      this.#state.control.take(action)
      // Whoever polls expects the same result for a while.
      const mayRepeat = this.#state.request.limits.repeatableTools.includes(call.name)
      this.#news.push({
        from: action.type === 'tool_call' ? action.tool : action.agent,
        text: mayRepeat ? `step ${this.#state.turn.step}` : textOf(result.content),
      })
    }
    if (isReported) return
    const failure =
      status === 'ok' || status === 'pending'
        ? undefined
        : {
            message: outcome.message ?? textOf(result.content),
            recoverable: status !== 'cancelled',
            phase: phases[status],
          }
    if (action.type === 'tool_call') {
      const of = { actionId: call.id, tool: action.tool, args: action.args, latencyMs }
      this.#state.events.emit(
        failure
          ? { type: 'tool-error', ...of, ...failure }
          : { type: 'tool-result', ...of, result: outcome.value },
      )
      return
    }
    const of = { actionId: call.id, agent: action.agent, action: action.action, latencyMs }
    this.#state.events.emit(
      failure
        ? { type: 'agent-call-error', ...of, ...failure }
        : { type: 'agent-call-result', ...of, result: outcome.value },
    )
  }

  /** Adds a result for each call without one, so that the transcript can always be sent. */
  close(placeholders: ReadonlyMap<string, string>): void {
    const { request, conversation } = this.#state
    const mode = modeOf(this.#state)
    const why = request.signal.aborted
      ? 'Cancelled before it was executed.'
      : 'Not executed: the run ended.'
    for (const { call } of this.#calls)
      if (!this.#results.has(call.id))
        this.add(call, toRefusal(call, placeholders.get(call.id) ?? why))
    if (this.#native) return
    const observations = this.#calls.flatMap((planned) => {
      const result = this.#results.get(planned.call.id)
      return result ? [{ planned, result }] : []
    })
    const message = toObservations(observations, mode === 'text' ? 'text' : 'json')
    conversation.transcript.append(withSources(message, sourcesOf([...this.#results.values()])))
  }

  /** The limit that the step reached, if any. */
  judge(): Extract<LimitName, 'repeats' | 'no-progress'> | undefined {
    const { repeatStreak, progress } = this.#state.guards
    const onlyRepeats = this.#repeats === this.#calls.length
    if (!onlyRepeats) repeatStreak.succeed()
    else if (repeatStreak.fail()) return 'repeats'
    return progress.step(this.#news) ? 'no-progress' : undefined
  }

  /** Every call with its result. */
  toList(): readonly FinishedCall[] {
    return this.#calls.flatMap(({ call }) => {
      const result = this.#results.get(call.id)
      if (!result) return []
      const { id, name, arguments: given } = call
      const outcome = this.#outcomes.get(id)
      return [
        {
          callId: id,
          name,
          arguments: given,
          content: result.content,
          isError: result.isError === true,
          ...(outcome && { outcome }),
        },
      ]
    })
  }
}
