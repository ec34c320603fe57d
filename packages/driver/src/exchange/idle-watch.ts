import type { Clock } from '../base/clock.js'
import type { Timeouts } from '../base/limits.js'

/**
 * Ends a silent stream: one clock for bytes, one for deltas of the reply. Both run only while a
 * read waits, so that a slow consumer is not mistaken for a silent server. One timer for the whole
 * stream, not one per read.
 */
export class IdleWatch {
  readonly #clock: Clock
  #timeouts: Pick<Timeouts, 'idleMs' | 'semanticIdleMs'>
  readonly #expire: (silence: string) => void
  #readSince: number | undefined
  #silentMs = 0
  #cancel: (() => void) | undefined

  constructor(clock: Clock, timeouts: Timeouts, expire: (silence: string) => void) {
    this.#clock = clock
    this.#timeouts = timeouts
    this.#expire = expire
  }

  /** From now on the stream may be silent for so long in all, whatever bytes come. */
  endWithin(ms: number): void {
    this.#timeouts = { idleMs: ms, semanticIdleMs: ms }
    this.#silentMs = 0
    this.#cancel?.()
    this.#cancel = undefined
  }

  /** A read waits. */
  start(): void {
    this.#readSince = this.#clock.now()
    if (!this.#cancel) this.#arm()
  }

  /**
   * A read got something, whether it had to wait or not; `semantic` when it was a delta of the
   * reply.
   */
  stop(semantic: boolean): void {
    const waited = this.#readSince === undefined ? 0 : this.#clock.now() - this.#readSince
    this.#readSince = undefined
    this.#silentMs = semantic ? 0 : this.#silentMs + waited
  }

  end(): void {
    this.#readSince = undefined
    this.#cancel?.()
    this.#cancel = undefined
  }

  #arm(): void {
    const waited = this.#clock.now() - (this.#readSince ?? 0)
    const { idleMs, semanticIdleMs } = this.#timeouts
    const idleLeft = idleMs - waited
    const semanticLeft = semanticIdleMs - this.#silentMs - waited
    const left = Math.min(idleLeft, semanticLeft)
    if (left <= 0) {
      this.#cancel = undefined
      this.#expire(
        idleLeft <= 0
          ? `no byte for ${idleMs} ms`
          : `no part of the reply for ${semanticIdleMs} ms`,
      )
      return
    }
    this.#cancel = this.#clock.after(left, () => {
      this.#cancel = undefined
      if (this.#readSince !== undefined) this.#arm()
    })
  }
}
