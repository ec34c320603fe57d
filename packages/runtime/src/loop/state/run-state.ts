import { LlmError, type Provider } from '@modelport/core'
import { type EventQueue, RunEventEmitter } from '../../events/run-event-emitter.js'
import type { RunCheckpoint } from '../../journal/checkpoint.js'
import { EffectLog } from '../../journal/effect-log.js'
import { type RunGuards, toGuards } from '../guards/run-guards.js'
import { openRequest, type RunRequest } from '../request/open-request.js'
import type { InferRequest } from '../request/run-request.js'
import { checkFingerprint } from './resume.js'
import { RunControl } from './run-control.js'
import { RunConversation } from './run-conversation.js'
import { fingerprintOf } from './run-fingerprint.js'
import { RunMeter } from './run-meter.js'
import { RunModels } from './run-models.js'
import { RunStorage } from './run-storage.js'
import { RunTools } from './run-tools.js'
import { markOf } from './step-mark.js'
import { TurnState } from './turn-state.js'

/**
 * The parts of a run that a function uses. No signature names the whole: see `RunState` for what
 * there is.
 */
export type Uses<Part extends keyof RunState> = Pick<RunState, Part>

/**
 * The place where a run is put together: what was asked, and its parts. Each part is changed by its
 * own methods only.
 */
export class RunState {
  readonly request: RunRequest
  readonly models: RunModels
  readonly control: RunControl
  readonly tools: RunTools
  readonly conversation: RunConversation
  readonly guards: RunGuards
  readonly meter: RunMeter
  readonly events: RunEventEmitter
  readonly storage: RunStorage
  readonly turn: TurnState

  /** @throws {LlmError} `config`, `invalid-request` — what is wrong with the request. */
  constructor(provider: Provider, given: InferRequest, signal: AbortSignal, queue?: EventQueue) {
    const request = openRequest(given, signal)
    this.request = request
    const { runId, observe, durable, limits } = request
    const { resume, engine } = durable
    this.models = new RunModels(provider, given, resume)
    this.control = new RunControl(given, resume)
    this.tools = new RunTools(resume?.found)
    this.events = new RunEventEmitter(runId, {
      observer: observe.onEvent?.bind(observe),
      streamObserver: observe.onStreamEvent?.bind(observe),
      queue,
      sink: observe.sink,
      deltas: observe.deltas,
      signal,
    })
    this.meter = new RunMeter(request, this.events)
    this.conversation = new RunConversation(given, limits.maxResultLength)
    if (!resume && request.agent === undefined)
      this.control.follow(this.conversation.transcript.messages)
    this.turn = new TurnState(resume)
    this.guards = toGuards(limits, resume?.guards)
    if (engine) this.events.hold()
    this.storage = new RunStorage(
      durable,
      this.#openLog(),
      (phase) => markOf(this, phase),
      () => fingerprintOf(this),
    )
    if (resume) this.#restore(resume)
    checkCombination(this)
  }

  #openLog(): EffectLog {
    const { request, events, meter } = this
    const { durable, runId, signal } = request
    return new EffectLog(durable, {
      runId,
      keyPrefix: durable.scope?.keyPrefix ?? runId,
      step: () => this.turn.step,
      seq: () => events.seq,
      budget: () => meter.ledger.snapshot(),
      onLive: () => events.goLive(),
      onExecuted: () => events.release(),
      stored: () => events.stored(),
      isCancelled: () => signal.aborted,
      // What an engine had recorded of an effect: what was spent, and which events are old.
      onReplayed: ({ entries, seq }) => {
        meter.advance(entries.map(({ budget }) => budget))
        events.dropHeld(seq)
      },
    })
  }

  #restore(resume: RunCheckpoint): void {
    const { storage, events, conversation, request } = this
    checkFingerprint(resume, storage.fingerprint, request.durable.acceptChange)
    const { step, phase, seq, entries } = resume
    events.step = step
    // Inside a step, events of recorded effects are counted again but not emitted.
    events.resumeAt(entries.length ? 0 : seq, seq)
    storage.log.load(entries)
    storage.transcript.advance(conversation.transcript.messages)
    storage.takeMark(phase)
  }
}

/** @throws {LlmError} `config` — two settings exclude each other. */
function checkCombination({ request, models }: Uses<'request' | 'models'>): void {
  if (request.stopWhen && (request.outputSchema ?? request.output))
    throw new LlmError(
      'config',
      'stopWhen: a run that is stopped has no output; leave out outputSchema and output',
    )
  if (models.main.mode === 'text' && request.agents?.length)
    throw new LlmError('config', 'mode "text" does not support agents; use "json" or "native"')
}
