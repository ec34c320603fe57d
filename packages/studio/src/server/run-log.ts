import type { StudioEvent } from '../protocol/protocol.js'
import type { JournalRecord, StudioJournals } from '../store/studio-journals.js'
import type { StudioStore } from '../store/studio-store.js'
import type { LiveRun } from './live-run.js'

/**
 * Milliseconds of events that a killed process loses at most; one transaction writes all of them.
 */
const batchMs = 200

/** Writes the events of a run to its store while it happens. The run says so if that fails. */
export class RunLog {
  readonly #store: StudioStore
  readonly #live: LiveRun
  #waiting: StudioEvent[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #written: Promise<void> = Promise.resolve()

  constructor(store: StudioStore, live: LiveRun) {
    this.#store = store
    this.#live = live
    live.subscribe(live.events.length, (events) => {
      this.#waiting.push(...events)
      this.#timer ??= setTimeout(() => this.#write(), batchMs)
    })
  }

  /** Writes the rest. @throws what the store threw for any of the events */
  async finish(): Promise<void> {
    clearTimeout(this.#timer)
    this.#write()
    await this.#written
  }

  /**
   * Writes the events so far and a record of the run's journal together.
   * @throws what the store threw
   */
  record(journals: StudioJournals, record: JournalRecord): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    return this.#then((events) => journals.write(this.#live.run.id, events, record))
  }

  #write(): void {
    this.#timer = undefined
    if (this.#waiting.length > 0)
      void this.#then((events) => this.#store.append(this.#live.run.id, events))
  }

  #then(write: (events: readonly StudioEvent[]) => Promise<void>): Promise<void> {
    const events = this.#waiting
    this.#waiting = []
    this.#written = this.#written.then(() => write(events))
    this.#written.catch((error: unknown) => this.#live.markNotKept(error))
    return this.#written
  }
}
