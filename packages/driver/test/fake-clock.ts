import type { Clock } from '@modelport/driver'

/** Time that passes only when a test says so. */
export class FakeClock implements Clock {
  time = 0
  readonly #timers = new Map<object, { readonly at: number; readonly callback: () => void }>()
  readonly #random: () => number

  constructor(random: () => number = () => 0.5) {
    this.#random = random
  }

  now(): number {
    return this.time
  }

  random(): number {
    return this.#random()
  }

  after(ms: number, callback: () => void): () => void {
    const key = {}
    this.#timers.set(key, { at: this.time + ms, callback })
    return () => {
      this.#timers.delete(key)
    }
  }

  get pending(): number {
    return this.#timers.size
  }

  /** Lets time pass and calls back in order. */
  advance(ms: number): void {
    const until = this.time + ms
    for (;;) {
      const [next] = [...this.#timers]
        .filter(([, { at }]) => at <= until)
        .sort(([, a], [, b]) => a.at - b.at)
      if (!next) break
      this.#timers.delete(next[0])
      this.time = next[1].at
      next[1].callback()
    }
    this.time = until
  }
}
