import type { RunEvent } from './run-event.js'

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
  #observer: ((event: RunEvent) => unknown) | undefined

  constructor(runId: string, observer: ((event: RunEvent) => unknown) | undefined, sink: EventSink | undefined) {
    this.#runId = runId
    this.#observer = observer
    this.#sink = sink
  }

  emit(event: Without<RunEvent>): void {
    const whole = { ...event, runId: this.#runId, step: this.step } as RunEvent
    this.#sink?.push(whole)
    if (!this.#observer) return
    const disable = (): void => {
      this.#observer = undefined
    }
    try {
      const answer = this.#observer(whole)
      if (answer instanceof Promise) answer.catch(disable)
    } catch {
      disable()
    }
  }

  /** Settles when a reader of the events has taken all of them; at once where nobody reads. */
  drained(): Promise<void> | undefined {
    return this.#sink?.drained()
  }
}
