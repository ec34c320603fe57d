import { isLlmError } from '@modelport/core'

/** Milliseconds before the first and the longest pause between two tries. */
const firstMs = 200
const longestMs = 30_000

/** What came of asking another agent: its value, or the error that kept it from being reached. */
export type Reached<T> = { readonly value: T } | { readonly away: Error }

/**
 * Asks another agent again and again while it cannot be reached or fails by itself.
 * @param mostMs gives up after this long
 * @throws any other error of `ask`, such as one that says what is wrong with the request
 */
export async function whileAway<T>(
  ask: () => Promise<T>,
  mostMs: number,
  signal: AbortSignal,
): Promise<Reached<T>> {
  const until = performance.now() + mostMs
  for (let pauseMs = firstMs; ; pauseMs = Math.min(pauseMs * 2, longestMs)) {
    try {
      return { value: await ask() }
    } catch (error) {
      signal.throwIfAborted()
      if (!isAway(error)) throw error
      if (performance.now() + pauseMs > until) return { away: error }
      await pause(pauseMs, signal)
    }
  }
}

const awayCodes: ReadonlySet<string> = new Set([
  'network',
  'timeout',
  'overloaded',
  'server',
  'rate-limit',
])

/** True for an error that says nothing about the request: nobody answers, or not now. */
export const isAway = (error: unknown): error is Error =>
  isLlmError(error) && awayCodes.has(error.code)

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
  })
