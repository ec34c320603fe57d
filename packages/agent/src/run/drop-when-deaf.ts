import type { TurnEnd } from './task-runner.js'
import type { Turn } from './turn.js'

/** Milliseconds that a turn has to end by itself once its signal aborts. */
const graceMs = 500

/**
 * Works on a turn, and waits for it no longer than its signal allows: a handler or an upstream call
 * that does not watch the signal would keep its place in the agent for ever. What it writes later
 * is refused.
 * @param mayDrop asked when the time is over; false waits on
 */
export async function dropWhenDeaf(
  turn: Turn,
  work: (turn: Turn) => Promise<TurnEnd>,
  mayDrop: () => boolean,
): Promise<TurnEnd> {
  const { signal } = turn
  const dropped: PromiseWithResolvers<never> = Promise.withResolvers()
  let isDropped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const drop = (): void => {
    if (!mayDrop()) return
    isDropped = true
    dropped.reject(signal.reason)
  }
  const onAbort = (): void => {
    timer = setTimeout(drop, graceMs)
  }
  signal.addEventListener('abort', onAbort, { once: true })

  const refuseLate =
    <Args extends readonly unknown[]>(
      call: (...args: Args) => Promise<void>,
    ): ((...args: Args) => Promise<void>) =>
    (...args) =>
      isDropped ? Promise.reject(signal.reason as Error) : call(...args)
  const working = work({
    ...turn,
    write: refuseLate(turn.write),
    remember: refuseLate((messages) => turn.remember(messages)),
  })
  try {
    return await Promise.race([working, dropped.promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    // Nobody waits for either any more.
    working.catch(() => undefined)
    dropped.promise.catch(() => undefined)
  }
}
