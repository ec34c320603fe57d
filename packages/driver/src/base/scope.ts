import { ProviderError } from '@modelport/core'
import type { Clock } from './clock.js'

/**
 * The life of one logical call: the caller's signal, the deadline and `close()`, joined into one
 * end. Listeners and timers are gone once it has ended, so ten thousand calls on one signal leave
 * nothing on it.
 */
export class CallScope {
  /** Why the call has ended, once it has. */
  reason: unknown
  ended = false
  readonly #clock: Clock
  readonly #deadlineAt: number
  readonly #signal: AbortSignal | undefined
  readonly #listeners = new Set<() => void>()
  #cancelDeadline: (() => void) | undefined
  readonly #withDetails: (error: ProviderError) => unknown

  /**
   * @param withDetails adds to the deadline's error, for example the reply so far
   * @throws the signal's reason when it is aborted already: nothing is sent then.
   */
  constructor(
    clock: Clock,
    provider: string,
    signal: AbortSignal | undefined,
    deadlineMs: number | undefined,
    withDetails: (error: ProviderError) => unknown = (error) => error,
  ) {
    signal?.throwIfAborted()
    this.#clock = clock
    this.#withDetails = withDetails
    this.#signal = signal
    this.#deadlineAt = deadlineMs === undefined ? Infinity : clock.now() + deadlineMs
    signal?.addEventListener('abort', this.#onAbort)
    if (deadlineMs !== undefined) {
      this.#cancelDeadline = clock.after(deadlineMs, () => {
        const message = `${deadlineMs} ms have passed`
        const error = new ProviderError('timeout', message, { provider, reason: 'deadline' })
        this.end(this.#failureOf(error))
      })
    }
  }

  /** What the deadline leaves, in milliseconds. */
  get remainingMs(): number {
    return this.#deadlineAt - this.#clock.now()
  }

  /** @throws the reason, once the call has ended. */
  throwIfEnded(): void {
    if (this.ended) throw this.reason
  }

  /** Ends the call; `reason` undefined means closed or finished. Later ends change nothing. */
  end(reason?: unknown): void {
    if (this.ended) return
    this.ended = true
    this.reason = reason
    this.#signal?.removeEventListener('abort', this.#onAbort)
    this.#cancelDeadline?.()
    for (const listener of [...this.#listeners]) listener()
    this.#listeners.clear()
  }

  /**
   * Calls `listener` when the call ends, at once if it has ended; the returned function removes it.
   */
  onEnd(listener: () => void): () => void {
    if (this.ended) {
      listener()
      return () => undefined
    }
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /** Waits; resolves early when the call ends. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(ms, () => {
        removeListener()
        resolve()
      })
      const removeListener = this.onEnd(() => {
        cancel()
        resolve()
      })
    })
  }

  /**
   * Runs in a timer, where nothing may throw: if the details cannot be added, the error is returned
   * unchanged.
   */
  #failureOf(error: ProviderError): unknown {
    try {
      return this.#withDetails(error)
    } catch {
      return error
    }
  }

  readonly #onAbort = (): void => {
    this.end(this.#signal?.reason)
  }
}
