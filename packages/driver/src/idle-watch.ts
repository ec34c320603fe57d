import type { Clock } from './clock.js'
import type { Timeouts } from './limits.js'

/**
 * Ends a stream on which nothing comes: one clock for bytes, one for pieces of the answer, both running only while a read waits,
 * so that a slow consumer is never taken for a silent server. One timer in all, not one a read.
 */
export class IdleWatch {
  readonly #clock: Clock
  readonly #timeouts: Timeouts
  readonly #expire: (silence: string) => void
  #readSince: number | undefined
  #silentMs = 0
  #cancel: (() => void) | undefined

  constructor(clock: Clock, timeouts: Timeouts, expire: (silence: string) => void) {
    this.#clock = clock
    this.#timeouts = timeouts
    this.#expire = expire
  }

  /** A read begins to wait. */
  start(): void {
    this.#readSince = this.#clock.now()
    if (!this.#cancel) this.#arm()
  }

  /** The read got something; `semantic` when it was a piece of the answer. */
  stop(semantic: boolean): void {
    const waited = this.#clock.now() - (this.#readSince ?? this.#clock.now())
    this.#readSince = undefined
    this.#silentMs = semantic ? 0 : this.#silentMs + waited
  }

  /** Frees the timer. */
  end(): void {
    this.#readSince = undefined
    this.#cancel?.()
    this.#cancel = undefined
  }

  #arm(): void {
    const waited = this.#clock.now() - (this.#readSince ?? 0)
    const { idleMs, semanticIdleMs } = this.#timeouts
    const left = Math.min(idleMs - waited, semanticIdleMs - this.#silentMs - waited)
    if (left <= 0) {
      const silent =
        idleMs - waited <= 0 ? `no byte for ${idleMs} ms` : `no piece of the answer for ${semanticIdleMs} ms`
      this.#cancel = undefined
      this.#expire(silent)
      return
    }
    this.#cancel = this.#clock.after(left, () => {
      this.#cancel = undefined
      if (this.#readSince !== undefined) this.#arm()
    })
  }
}
