/** Waits for changes that a store reports; one that comes while nobody waits is not lost. */
export class ChangeWatch {
  #hasChanged = false
  #onChange: (() => void) | undefined
  readonly #end: () => void

  /** @param watch calls back at each change, and returns what ends that */
  constructor(watch: (onChange: () => void) => () => void) {
    this.#end = watch(() => {
      this.#hasChanged = true
      this.#onChange?.()
    })
  }

  /** Waits for a change since the last wait, at most this long. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#hasChanged) {
      const change = new AbortController()
      this.#onChange = () => change.abort()
      await pause(ms, AbortSignal.any([change.signal, signal]))
      this.#onChange = undefined
    }
    this.#hasChanged = false
  }

  close(): void {
    this.#end()
  }
}

/** Waits this long, or until the signal aborts. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) {
      resolve()
      return
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
    function done(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
  })
