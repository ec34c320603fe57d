import { vi } from 'vitest'

/**
 * Stops the clock, as `vi.useFakeTimers` does, and returns what lists the timers that run: where
 * each was started. Those of undici do not count: it looks at its connections now and then, which
 * an earlier file of the same process may have left open.
 */
export function useOwnTimers(): () => readonly string[] {
  vi.useFakeTimers()
  const running = new Map<unknown, string>()
  const { setTimeout: start, clearTimeout: stop } = globalThis

  const counted = (work: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => {
    const timer = start(() => {
      running.delete(timer)
      work(...args)
    }, ms)
    const stack = new Error('started').stack ?? ''
    if (!stack.includes('undici')) running.set(timer, stack)
    return timer
  }
  Object.assign(globalThis, {
    setTimeout: counted,
    clearTimeout: (timer: Parameters<typeof stop>[0]) => {
      running.delete(timer)
      stop(timer)
    },
  })
  return () => [...running.values()]
}
