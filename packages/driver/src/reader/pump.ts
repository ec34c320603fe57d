/**
 * Calls `advance` while `isWanted` is true, one call at a time. A loop, not recursion: an `advance`
 * may complete synchronously. No promises on this path; it runs once per event.
 */
export class Pump {
  readonly #advance: () => void
  readonly #isWanted: () => boolean
  readonly #onError: (error: unknown) => void
  /** True from the call of `advance` to `completed`. */
  #pending = false
  #looping = false

  /**
   * `onError` gets what `advance` throws; nothing is wanted after it, unless it calls `completed`.
   */
  constructor(advance: () => void, isWanted: () => boolean, onError: (error: unknown) => void) {
    this.#advance = advance
    this.#isWanted = isWanted
    this.#onError = onError
  }

  /** Starts the loop, unless it runs or waits for `completed`. */
  start(): void {
    if (this.#looping) return
    this.#looping = true
    while (!this.#pending && this.#isWanted()) {
      this.#pending = true
      try {
        this.#advance()
      } catch (error) {
        this.#onError(error)
      }
    }
    this.#looping = false
  }

  /** The pending `advance` has completed: the loop continues. */
  completed(): void {
    this.#pending = false
    this.start()
  }
}
