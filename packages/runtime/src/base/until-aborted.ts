/**
 * Waits for the value, and no longer than until the signal aborts: then it rejects with the
 * signal's reason, and nobody waits for the value any more.
 */
export async function untilAborted<T>(
  value: T | PromiseLike<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (!signal) return value
  let stop: () => void = () => undefined
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop)
  })
  try {
    return await Promise.race([aborted, value])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
