import type { LlmError } from '@modelport/core'

/** Calls older than this say nothing of a provider's health, in milliseconds. */
const windowMs = 60_000

/** The recent calls of a provider, and whether it is passed over because of them. */
export class ProviderHealth {
  readonly #coolDownMs: number
  readonly #now: () => number
  #calls: { readonly at: number; readonly ok: boolean }[] = []
  #coolUntil = -Infinity

  constructor(coolDownMs: number, now: () => number) {
    this.#coolDownMs = coolDownMs
    this.#now = now
  }

  /** True while it is passed over. */
  get cooling(): boolean {
    return this.#now() < this.#coolUntil
  }

  /**
   * Records a call. If more than half of at least two calls within a minute failed, or a key was
   * refused, the provider cools down.
   */
  record(ok: boolean, error?: LlmError): void {
    const at = this.#now()
    this.#calls = [...this.#calls.filter((call) => at - call.at < windowMs), { at, ok }].slice(
      -1000,
    )
    const failed = this.#calls.filter((call) => !call.ok).length
    const failing = this.#calls.length >= 2 && failed / this.#calls.length > 0.5
    if (!ok && (failing || error?.code === 'auth')) this.#coolUntil = at + this.#coolDownMs
  }
}
