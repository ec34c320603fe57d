/**
 * Milliseconds without a reply after which a connection counts as lost. The client can lose a query
 * that is sent just as its connection breaks: the query then neither resolves nor rejects.
 */
export const silenceMs = 10_000

/** A query that got no reply in time. */
class SilentConnectionError extends Error {
  readonly code = 'CONNECT_TIMEOUT'

  constructor(limitMs: number) {
    super(`no reply within ${limitMs / 1000} s`)
  }
}

/** True when the query got no reply in time, so that its connection must not be used again. */
export const isSilent = (error: unknown): boolean => error instanceof SilentConnectionError

/** The result of a query, or a rejection that counts as a lost connection. */
export async function inTime<Result>(
  query: PromiseLike<Result>,
  limitMs: number = silenceMs,
): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new SilentConnectionError(limitMs)), limitMs)
  })
  try {
    return await Promise.race([query, silence])
  } finally {
    clearTimeout(timer)
  }
}
