import { longestTimer } from '@modelport/core'

/** Time and randomness; tests pass a virtual one. */
export interface Clock {
  /** Milliseconds, never going back. */
  now(): number
  /** Calls back once after `ms`; the returned function cancels. */
  after(ms: number, callback: () => void): () => void
  /** A number of at least 0 and less than 1. */
  random(): number
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, Math.min(ms, longestTimer))
    return () => {
      clearTimeout(timer)
    }
  },
  random: () => Math.random(),
}
