import { AgentError } from '../base/agent-error.js'

/** Lets a number of tasks run at once and keeps the others waiting, in order. */
export class Gate {
  readonly #limit: number
  readonly #maxQueue: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(limit: number, maxQueue: number) {
    this.#limit = limit
    this.#maxQueue = maxQueue
  }

  /**
   * Refuses early whatever {@link enter} would refuse.
   * @throws {AgentError} `busy`
   */
  check(): void {
    if (this.#running < this.#limit || this.#waiting.length < this.#maxQueue) return
    const text = `The agent works on ${this.#running} tasks and ${this.#waiting.length} wait; come back later`
    throw new AgentError('busy', text, { retryAfterMs: 1_000 })
  }

  /** Waits for a place. Call the returned function once to give it back. */
  async enter(): Promise<() => void> {
    if (this.#running >= this.#limit)
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#running++
    let isOpen = true
    return () => {
      if (!isOpen) return
      isOpen = false
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running--
    }
  }
}
