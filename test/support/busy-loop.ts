import { createHook } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'

const turns = 15
/** A timer that is longer costs next to nothing. */
const longestMs = 3
/** As often as this in so many turns, nobody starts a timer that happens to come late. */
const startsOfLoop = 4

/** Where a timer was started, without the runtime's own frames. */
const stackOf = ({ stack = '' }: Error): string =>
  stack
    .split('\n')
    .slice(1)
    .filter((line) => !/\bnode:internal\b|busy-loop\.ts/.test(line))
    .join('\n')

/**
 * Watches some turns of the event loop, and returns where timers of some milliseconds, or
 * immediates, are started at the same place again and again; undefined if nothing polls.
 */
export async function findBusyLoop(): Promise<string | undefined> {
  const starts = new Map<string, number>()
  let isOwn = false
  const hook = createHook({
    init: (_id, type, _trigger, resource) => {
      const { _idleTimeout: ms = Infinity } = resource as { readonly _idleTimeout?: number }
      if (isOwn || (type !== 'Immediate' && !(type === 'Timeout' && ms <= longestMs))) return
      const stack = stackOf(new Error('started'))
      if (stack) starts.set(stack, (starts.get(stack) ?? 0) + 1)
    },
  }).enable()

  try {
    for (let turn = 0; turn < turns; turn++) {
      isOwn = true
      const next = sleep(1)
      isOwn = false
      await next
    }
  } finally {
    hook.disable()
  }
  return [...starts].find(([, count]) => count >= startsOfLoop)?.[0]
}
