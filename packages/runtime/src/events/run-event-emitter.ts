import type { StreamEvent } from '@modelport/core'
import { isPromiseLike } from '../base/is-promise-like.js'
import { toObserver } from '../base/observer.js'
import { untilAborted } from '../base/until-aborted.js'
import { JournalError } from '../journal/journal-error.js'
import type { RunEvent } from './run-event.js'

/** Stores the events of a run. */
export interface RunEventSink {
  /**
   * Called for every event, in order, at once. May return a promise: the run reads no more of the
   * model's stream, and starts no effect, before every promise is settled. If it throws or rejects,
   * the run stops as `failed` with the error as `cause`.
   */
  write(event: RunEvent): void | Promise<void>
}

/** Hands events to the reader of `inferStream`. */
export interface EventQueue {
  push(event: RunEvent): void
  /** Settles once everything pushed was read. */
  drained(): Promise<void> | undefined
}

/** Where events go. */
export interface EventReceivers {
  /** Called for every event; disabled if it throws. */
  readonly observer?: ((event: RunEvent) => unknown) | undefined
  /** Called for every event of a reply as the provider gives it; disabled if it throws. */
  readonly streamObserver?: ((event: StreamEvent) => unknown) | undefined
  readonly queue?: EventQueue | undefined
  readonly sink?: RunEventSink | undefined
  /** False drops the deltas of texts and thoughts; they still have numbers. */
  readonly deltas?: boolean | undefined
  /** Ends the wait for reader and sink. */
  readonly signal?: AbortSignal | undefined
}

/** An event of this run, without what all of them share. */
type Without<Event> = Event extends RunEvent ? Omit<Event, 'runId' | 'step' | 'seq' | 'at'> : never

/** Numbers the events of a run and hands them to observer, reader and sink. */
export class RunEventEmitter {
  /** The step events belong to. */
  step = 0
  /** Publishes each event in the slot `modelport:run`. Unset: nobody subscribes. */
  report: ((event: RunEvent) => void) | undefined
  /** Receives the events of replies as the provider gives them. Unset: nobody does. */
  readonly onStreamEvent: ((event: StreamEvent) => void) | undefined
  readonly #runId: string
  readonly #observe: (event: RunEvent) => void
  readonly #receivers: EventReceivers
  #writes: Promise<void> | undefined
  #failure: { readonly error: unknown } | undefined
  /** Number of the last event. */
  #seq = 0
  /** Events up to this number were handed out by an earlier process. */
  #known = 0
  /** Events of which nobody knows yet whether an earlier process handed them out. */
  #held: RunEvent[] | undefined

  constructor(runId: string, receivers: EventReceivers) {
    this.#runId = runId
    this.#receivers = receivers
    this.#observe = toObserver(receivers.observer)
    this.onStreamEvent = receivers.streamObserver && toObserver(receivers.streamObserver)
  }

  /** True if anybody receives the events. */
  get hasReceivers(): boolean {
    const { observer, queue, sink } = this.#receivers
    return (observer ?? queue ?? sink ?? this.report) !== undefined
  }

  /** Number of the last event. */
  get seq(): number {
    return this.#seq
  }

  /** Continues after a resume: events up to `known` are counted, but not handed out again. */
  resumeAt(seq: number, known: number): void {
    this.#seq = seq
    this.#known = known
  }

  /** True if the event that follows this number was handed out by an earlier process. */
  isPast(seq: number): boolean {
    return seq < this.#known
  }

  /** Skips to the number that a recorded effect ended with. */
  skipTo(seq: number): void {
    this.#seq = Math.max(this.#seq, seq)
  }

  /** From here on every event is new. */
  goLive(): void {
    this.#seq = Math.max(this.#seq, this.#known)
  }

  /**
   * Keeps events back until the engine says what comes next: an effect that it had shows that they
   * are old, one that is executed that they are new.
   */
  hold(): void {
    this.#held = []
  }

  /** Hands out what was kept back: it is new. */
  release(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const event of held) this.#handOut(event)
  }

  /** Drops what was kept back: an earlier process handed out the events up to this number. */
  dropHeld(seq: number): void {
    if (this.#held) this.#held = []
    this.#known = Math.max(this.#known, seq)
    this.skipTo(seq)
  }

  /** Counts an event that was not made because nobody receives it. */
  pass(): void {
    this.#seq++
  }

  /** Emits a delta of a reply: the event is made only if somebody receives it. */
  emitDelta(type: 'text-delta' | 'reasoning-delta', text: string, attempt: number): void {
    if (this.hasReceivers) this.emit({ type, text, attempt })
    else this.pass()
  }

  /** Emits a delta of a call, as {@link emitDelta}. */
  emitCallDelta(callId: string, text: string, attempt: number): void {
    if (this.hasReceivers) this.emit({ type: 'tool-call-delta', callId, text, attempt })
    else this.pass()
  }

  /** Completes the event, and hands it out. */
  emit(event: Without<RunEvent>): void {
    const seq = ++this.#seq
    if (seq <= this.#known || !this.hasReceivers) return
    const { deltas } = this.#receivers
    if (deltas === false && (event.type === 'text-delta' || event.type === 'reasoning-delta'))
      return
    // In place: a copy of one of so many shapes takes three times as long.
    const whole = Object.assign(event, {
      runId: this.#runId,
      step: this.step,
      seq,
      at: Date.now(),
    }) as RunEvent
    if (this.#held) this.#held.push(whole)
    else this.#handOut(whole)
  }

  #handOut(event: RunEvent): void {
    const { queue, sink } = this.#receivers
    queue?.push(event)
    if (sink) this.#write(sink, event)
    this.#observe(event)
    this.report?.(event)
  }

  /**
   * Settles when reader and sink have taken every event; undefined if they already have.
   * @throws what the sink throws.
   */
  drained(): Promise<void> | undefined {
    const read = this.#receivers.queue?.drained()
    const stored = this.stored()
    return stored ? Promise.all([stored, read]).then(() => undefined) : read
  }

  /**
   * Settles when the sink has taken every event; undefined if it already has.
   * @throws what the sink throws.
   */
  stored(): Promise<void> | undefined {
    this.#check()
    return (
      this.#writes && untilAborted(this.#writes, this.#receivers.signal).then(() => this.#check())
    )
  }

  #check(): void {
    if (this.#failure) throw this.#failure.error
  }

  #write(sink: RunEventSink, event: RunEvent): void {
    if (this.#failure) return
    const fail = (error: unknown): void => {
      this.#failure ??= { error: new JournalError('sink', error) }
    }
    try {
      const written = sink.write(event)
      if (!isPromiseLike(written)) return
      const writes: Promise<void> = Promise.all([this.#writes, written]).then(() => {
        if (this.#writes === writes) this.#writes = undefined
      }, fail)
      this.#writes = writes
    } catch (error) {
      fail(error)
    }
  }
}
