import type { ProviderErrorDetails } from '@modelport/core'

const longestDelay = 30_000

/** Milliseconds before a recall: what the server asks for, at least a random half to all of a second that doubles with each attempt. */
export function recallDelay(attempt: number, error: unknown, custom?: (attempt: number) => number): number {
  const { retryAfterMs = 0 } = (error ?? {}) as Partial<ProviderErrorDetails>
  if (custom) return Math.max(0, custom(attempt))
  const most = Math.min(longestDelay, 1000 * 2 ** (attempt - 1))
  return Math.max(retryAfterMs, Math.round(most * (0.5 + Math.random() / 2)))
}

/** Waits, unless the signal aborts first: then it rejects with the signal's reason. */
export function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason)
      return
    }
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
  })
}
