import type { StudioEvent } from '../protocol/protocol.js'

/** Adds up the time in which a run waits for a person. */
export class WaitClock {
  readonly #open = new Set<string>()
  #since = 0
  #ms = 0

  /** @param before the events of a run that continues, in order */
  constructor(before: readonly StudioEvent[]) {
    for (const [index, event] of before.entries()) {
      // The studio had ended at the last event before.
      if (event.type === 'continued') this.#stop(before[index - 1]?.at ?? event.at)
      this.add(event)
    }
    this.#stop(before.at(-1)?.at ?? 0)
  }

  /** Takes the next event of the run. */
  add(event: StudioEvent): void {
    if (event.type === 'wait') {
      if (this.#open.size === 0) this.#since = event.at
      this.#open.add(event.callId)
    }
    if (event.type === 'decision' && this.#open.delete(event.callId) && this.#open.size === 0)
      this.#ms += event.at - this.#since
  }

  /** Milliseconds until now. */
  ms(now: number): number {
    return this.#ms + (this.#open.size > 0 ? now - this.#since : 0)
  }

  #stop(at: number): void {
    this.#ms = this.ms(at)
    this.#open.clear()
  }
}
