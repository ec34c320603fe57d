import type { Clock } from '@modelport/driver'
import { ConformanceError } from './assert.js'

interface Timer {
  readonly at: number
  readonly callback: () => void
}

/** How often, and how many real milliseconds apart, a test looks for what should come at once. */
const looks = { count: 100, ms: 20 }
const waited = looks.count * looks.ms
const advice = 'check that the provider passes on the clock and the timeouts of its configuration'

/** Lets everything run that waits for no clock: promises, streams, and what they start. */
export async function settle(turns = 4): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    await new Promise<void>((resolve) => {
      setTimeout(resolve, 0)
    })
  }
}

/**
 * The promise, or a failure after two real seconds: nothing may hang. The seconds are counted in
 * small pieces, one turn of the event loop after the other, since a machine that does something
 * else for two seconds has not hung.
 */
export async function withoutHang<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const hang = new Promise<never>((_, reject) => {
    const look = (left: number): void => {
      if (left === 0)
        reject(
          new ConformanceError(
            `${what}: expected to settle, found it still waiting after ${waited} ms; ${advice}`,
          ),
        )
      else timer = setTimeout(look, looks.ms, left - 1)
    }
    look(looks.count)
  })
  try {
    return await Promise.race([promise, hang])
  } finally {
    clearTimeout(timer)
  }
}

/** Waits, for a very short real time, until the condition holds. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  let isOver = false
  const wait = async (): Promise<void> => {
    while (!isOver && !condition()) await settle(1)
  }
  try {
    await withoutHang(wait(), what)
  } finally {
    // Nobody looks any more after it was given up.
    isOver = true
  }
}

/** Time that passes only when a test says so. */
export class VirtualClock implements Clock {
  #now = 0
  #random: number
  readonly #timers = new Set<Timer>()

  constructor(random = 0.5) {
    this.#random = random
  }

  now(): number {
    return this.#now
  }

  random(): number {
    return this.#random
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + ms, callback }
    this.#timers.add(timer)
    return () => {
      this.#timers.delete(timer)
    }
  }

  /** How many timers wait. */
  get pending(): number {
    return this.#timers.size
  }

  /** True when a timer waits that is due within `ms`. */
  dueWithin(ms: number): boolean {
    return [...this.#timers].some(({ at }) => at - this.#now <= ms)
  }

  /** Lets `ms` pass, calling back in order, with everything else settled in between. */
  async advance(ms: number): Promise<void> {
    const until = this.#now + ms
    for (let next = this.#next(until); next; next = this.#next(until)) {
      this.#fire(next)
      await settle()
    }
    this.#now = until
    await settle()
  }

  /**
   * Lets time pass to each next timer that is due within `stepMs`, until the promise settles.
   * Longer timers never fire.
   */
  async run<T>(promise: Promise<T>, what: string, stepMs = 25_000): Promise<T> {
    let settled = false
    const done = (): void => {
      settled = true
    }
    promise.then(done, done)
    const watch = async (): Promise<T> => {
      await settle()
      while (!settled) {
        const next = this.#next(this.#now + stepMs)
        if (next) this.#fire(next)
        await settle()
      }
      return promise
    }
    try {
      return await withoutHang(watch(), what)
    } finally {
      settled = true
    }
  }

  #next(until: number): Timer | undefined {
    const due = [...this.#timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)
    return due[0]
  }

  #fire(timer: Timer): void {
    this.#timers.delete(timer)
    this.#now = Math.max(this.#now, timer.at)
    timer.callback()
  }
}
