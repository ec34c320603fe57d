import { toObserver } from '../base/observer.js'
import type { RunEvent } from './run-event.js'

/** Stores the events of a run. */
export interface RunEventSink {
  /**
   * Called for every event, in order, at once. May return a promise: the run reads no more of the model's stream, and starts no effect, before every promise
   * is settled. If it throws or rejects, the run stops as `failed`.
   */
  write(event: RunEvent): void | Promise<void>
}

/** Where events go besides the observer; the promise settles when there is room for more. */
export interface EventSink {
  push(event: RunEvent): void
  /** Settles once everything pushed was taken. */
  drained(): Promise<void> | undefined
}

/** An event of this run, without what all of them share. */
type Without<Event> = Event extends RunEvent ? Omit<Event, 'runId' | 'step'> : never

/** Tells events to whoever observes the run; what an observer throws never reaches it. */
export class EventEmitter {
  /** The step events belong to. */
  step = 0
  readonly #runId: string
  readonly #sink: EventSink | undefined
  readonly #tell: (event: RunEvent) => void

  constructor(runId: string, observer: ((event: RunEvent) => unknown) | undefined, sink: EventSink | undefined) {
    this.#runId = runId
    this.#tell = toObserver(observer)
    this.#sink = sink
  }

  emit(event: Without<RunEvent>): void {
    const whole = { ...event, runId: this.#runId, step: this.step } as RunEvent
    this.#sink?.push(whole)
    this.#tell(whole)
  }

  /** Settles when a reader of the events has taken all of them; at once where nobody reads. */
  drained(): Promise<void> | undefined {
    return this.#sink?.drained()
  }
}
