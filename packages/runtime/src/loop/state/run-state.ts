import {
  type Capabilities,
  type ChatMessage,
  LlmError,
  longestTimer,
  type ModelProfile,
  mergeOptions,
  type Provider,
  type StreamEvent,
  validateOptions,
} from '@modelport/core'
import { checkToolNames } from '../../base/check-request.js'
import { toObserver } from '../../base/observer.js'
import { randomId } from '../../base/random-id.js'
import { untilAborted } from '../../base/until-aborted.js'
import {
  type BudgetLedger,
  openRunLedger,
  type RunBudget,
  remainingMsOf,
} from '../../budget/budget.js'
import { type BudgetSnapshot, laterSnapshot } from '../../budget/budget-snapshot.js'
import { type EventQueue, RunEventEmitter } from '../../events/run-event-emitter.js'
import { estimateOf } from '../../history/known-parts.js'
import type { Transcript } from '../../history/transcript.js'
import { checkCheckpoint } from '../../journal/check-checkpoint.js'
import type { RunCheckpoint } from '../../journal/checkpoint.js'
import { EffectLog } from '../../journal/effect-log.js'
import type { Performed } from '../../journal/engine.js'
import type { JournalTail } from '../../journal/journal.js'
import type { StepChoice } from '../../journal/step-choice.js'
import { type OpenSchema, type StrictSchema, toStrictSchema } from '../../output/strict-schema.js'
import type { ActionMode } from '../../reply/action-mode.js'
import { renderCalls } from '../../reply/render-calls.js'
import type { Tool } from '../../tools/tool.js'
import { type CompiledParameters, compileParameters } from '../../tools/tool-parameters.js'
import { type RunGuards, toGuards } from '../guards/run-guards.js'
import { checkAutoCompaction } from '../request/check-compaction.js'
import { checkHandoffTools, handoffTool } from '../request/handoff.js'
import { type GivenLimits, type RunLimits, toLimits } from '../request/run-limits.js'
import type { RunPreset } from '../request/run-preset.js'
import type { AutoCompaction, InferRequest } from '../request/run-request.js'
import type { StepView } from '../request/step-view.js'
import { EagerCalls } from './eager-calls.js'
import { FoundTools } from './found-tools.js'
import { LongResults } from './long-results.js'
import { checkFingerprint, spentBy } from './resume.js'
import { RunControl } from './run-control.js'
import { RunConversation } from './run-conversation.js'
import { fingerprintOf } from './run-fingerprint.js'
import { type RunModel, RunModels } from './run-models.js'
import { RunStorage } from './run-storage.js'
import { RunTally } from './run-tally.js'
import { RunTools } from './run-tools.js'
import { markOf } from './step-mark.js'
import { TurnState } from './turn-state.js'

/**
 * The whole state of one run: its request and its progress. Each part is written by its own
 * methods.
 */
export class RunState {
  readonly request: InferRequest
  readonly models: RunModels
  readonly control: RunControl
  readonly found: FoundTools
  readonly durable: NonNullable<InferRequest['durable']>
  readonly observe: NonNullable<InferRequest['observe']>
  readonly preset: RunPreset
  readonly compaction: AutoCompaction | undefined
  readonly limits: RunLimits
  readonly longResults: LongResults
  readonly runId: string
  readonly signal: AbortSignal
  readonly events: RunEventEmitter
  /** Receives the events of replies as the provider gives them. */
  readonly onStreamEvent: ((event: StreamEvent) => void) | undefined
  /** The recorded entries of the current step. */
  readonly log: EffectLog
  readonly conversation: RunConversation
  readonly guards: RunGuards
  readonly storage: RunStorage
  readonly tally: RunTally
  readonly tools: RunTools = new RunTools()
  readonly turn: TurnState
  readonly eager: EagerCalls = new EagerCalls()
  /** Checks the output, if it must have a form. */
  readonly output: CompiledParameters | undefined
  /** The schema of the output as vendors can enforce it, or why there is none. */
  readonly outputForm: StrictSchema | OpenSchema | undefined
  readonly #budget: RunBudget | BudgetLedger | undefined
  #ledger: BudgetLedger
  #step: number

  /** @throws {LlmError} `config`, `invalid-request` — what is wrong with the request. */
  constructor(provider: Provider, request: InferRequest, signal: AbortSignal, queue?: EventQueue) {
    this.request = request
    this.signal = signal
    const {
      durable = {},
      observe = {},
      limits: { budget, compaction, preset = {}, profile: _, capabilities: __, ...limits } = {},
    } = request
    this.durable = durable
    this.observe = observe
    this.preset = preset
    this.limits = limitsOf(request, preset.limits, limits)
    this.longResults = new LongResults(this.limits.maxResultLength)
    this.compaction = compaction
    const { resume, scope, engine } = durable
    if (resume) checkCheckpoint(resume)
    this.models = new RunModels(provider, request, resume)
    this.control = new RunControl(request, resume)
    this.found = new FoundTools(resume?.found)
    validateOptions(mergeOptions(preset.options, request.options))
    this.runId = resume?.runId ?? durable.runId ?? `run_${randomId()}`
    this.#step = resume?.step ?? 0
    this.events = new RunEventEmitter(this.runId, {
      observer: observe.onEvent?.bind(observe),
      queue,
      sink: observe.sink,
      deltas: observe.deltas,
      signal,
    })
    this.onStreamEvent = observe.onStreamEvent && toObserver(observe.onStreamEvent.bind(observe))
    this.#budget = budget
    this.#ledger = this.#openLedger(resume && spentBy(resume, resume.entries))
    this.output = request.outputSchema && compileParameters(request.outputSchema, 'outputSchema')
    const outputSchema = this.output?.schema ?? request.output?.schema
    this.outputForm = outputSchema && toStrictSchema(outputSchema)
    if (Array.isArray(request.tools)) checkToolNames(request.tools as readonly Tool[])
    checkHandoffTools(request)
    if (compaction) checkAutoCompaction(compaction)
    this.conversation = new RunConversation(request)
    if (!resume && request.agent === undefined) this.control.follow(this.transcript.messages)
    this.turn = new TurnState(resume)
    this.guards = toGuards(this.limits, resume?.guards)
    this.tally = new RunTally(resume)
    this.log = new EffectLog(durable, {
      runId: this.runId,
      keyPrefix: scope?.keyPrefix ?? this.runId,
      step: () => this.#step,
      seq: () => this.events.seq,
      budget: () => this.#ledger.snapshot(),
      onLive: () => this.events.goLive(),
      onExecuted: () => this.events.release(),
      stored: () => this.events.stored(),
      isCancelled: () => signal.aborted,
      onReplayed: (performed) => this.#takeReplayed(performed),
    })
    if (engine) this.events.hold()
    this.storage = new RunStorage(durable, () => fingerprintOf(this))
    if (resume) this.#restore(resume)
    if (request.stopWhen && (request.outputSchema ?? request.output))
      throw new LlmError(
        'config',
        'stopWhen: a run that is stopped has no output; leave out outputSchema and output',
      )
    if (this.models.main.mode === 'text' && request.agents?.length)
      throw new LlmError('config', 'mode "text" does not support agents; use "json" or "native"')
  }

  get step(): number {
    return this.#step
  }

  get model(): RunModel {
    return this.models.current
  }

  get provider(): Provider {
    return this.model.provider
  }

  get profile(): ModelProfile | undefined {
    return this.model.profile
  }

  get capabilities(): Capabilities | undefined {
    return this.model.capabilities
  }

  /** What the application sees of the run between two steps. */
  get view(): StepView {
    const { step, runId, signal, transcript, tally, request } = this
    return {
      step,
      runId,
      transcript: transcript.messages,
      usage: tally.usage,
      context: request.context,
      signal,
    }
  }

  get choice(): StepChoice | undefined {
    return this.models.choice
  }

  /**
   * How the model says what it wants in the current step. Plain text, as in native mode, if there
   * is nothing to call and no schema to fill.
   */
  get mode(): ActionMode {
    const { request, preset, tools, output } = this
    const isAsked = (request.mode ?? 'auto') !== 'auto' || preset.unknownMode !== undefined
    const isPlain = !isAsked && !output && !request.agents?.length && !tools.definitions.length
    return isPlain && this.model.mode === 'json' ? 'native' : this.model.mode
  }

  get ledger(): BudgetLedger {
    return this.#ledger
  }

  get transcript(): Transcript {
    return this.conversation.transcript
  }

  /** The schema of the output in the strict form, if that loses nothing. */
  get strictOutput(): StrictSchema | undefined {
    return this.outputForm && 'schema' in this.outputForm ? this.outputForm : undefined
  }

  nextStep(): void {
    this.events.step = ++this.#step
    this.turn.begin()
  }

  /** The server refused tools: from here on the run asks for actions as JSON. */
  refuseTools({ message }: LlmError): void {
    this.model.mode = 'json'
    this.events.emit({ type: 'mode-changed', mode: 'json', reason: message })
    this.warn(`the server refused tools, so the run asks for actions as JSON: ${message}`)
  }

  /**
   * The messages, fit to be sent in the mode of the run.
   * @throws {LlmError} as {@link Transcript.sendable}.
   */
  sendable(): readonly ChatMessage[] {
    return this.longResults.show(renderCalls(this.transcript.sendable(), this.model.mode))
  }

  /** Takes what a journal recorded after the checkpoint. */
  loadTail(resume: RunCheckpoint, { entries, seq = 0 }: JournalTail): void {
    this.log.loadTail(entries)
    this.#ledger = this.#openLedger(spentBy(resume, [...resume.entries, ...entries]))
    const known = Math.max(resume.seq, seq, ...entries.map((entry) => entry.seq))
    this.events.resumeAt(this.events.seq, known)
  }

  /** Takes what an engine had recorded of an effect: what was spent, and which events are old. */
  #takeReplayed({ entries, seq }: Performed): void {
    const before = this.#ledger.snapshot()
    const after = entries.reduce((latest, { budget }) => laterSnapshot(latest, budget), before)
    this.#ledger = this.#openLedger(after)
    this.events.dropHeld(seq)
  }

  #restore(resume: RunCheckpoint): void {
    checkFingerprint(resume, this.storage.fingerprint, this.durable.acceptChange)
    const { step, phase, seq, entries } = resume
    this.events.step = step
    // Inside a step, events of recorded effects are counted again but not emitted.
    this.events.resumeAt(entries.length ? 0 : seq, seq)
    this.log.load(entries)
    this.storage.transcript.advance(this.transcript.messages)
    this.storage.mark = markOf(this, phase)
  }

  /**
   * Waits for the application's own code, and no longer than until the run is cancelled or its time
   * is over.
   */
  async wait<T>(value: T | PromiseLike<T>): Promise<T> {
    const runtimeMs = remainingMsOf(this.#ledger)
    if (runtimeMs === Infinity) return untilAborted(value, this.signal)
    let timer: ReturnType<typeof setTimeout> | undefined
    const over = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => {
          try {
            this.#ledger.checkTime()
          } catch (error) {
            reject(error)
          }
          // One more: a timer may be early, and the budget must then find the time over.
        },
        Math.min(Math.ceil(runtimeMs) + 1, longestTimer),
      )
    })
    try {
      return await untilAborted(Promise.race([value, over]), this.signal)
    } finally {
      clearTimeout(timer)
    }
  }

  warn(warning: string): void {
    this.tally.warn(warning)
  }

  get estimate(): (text: string) => number {
    return estimateOf(this.provider)
  }

  #openLedger(restored: BudgetSnapshot | undefined): BudgetLedger {
    return openRunLedger(this.#budget, this.runId, {
      onDecision: (decision) => {
        this.events.emit({ type: 'budget-decision', decision })
      },
      restored,
    })
  }
}

/** The limits of a run. Control may pass to and fro. */
function limitsOf(
  { handoffs }: InferRequest,
  preset: GivenLimits | undefined,
  given: GivenLimits,
): RunLimits {
  const limits = toLimits(preset, given)
  return handoffs
    ? { ...limits, repeatableTools: [...limits.repeatableTools, handoffTool] }
    : limits
}
