/**
 * A subscriber slot: a channel of `node:diagnostics_channel`, named `modelport:call`,
 * `modelport:run`, `modelport:task` or `modelport:durable`.
 */
export interface Slot {
  /** True if anybody listens. */
  readonly hasSubscribers: boolean
  /** Gives a message to every subscriber. */
  publish(message: unknown): void
  /** Publishes the message and runs `work` in the stores that subscribers bound to the channel. */
  runStores<T>(message: unknown, work: () => T): T
}

interface Platform {
  readonly process?: {
    getBuiltinModule?(name: string): { channel(name: string): Slot } | undefined
  }
}

const slots = new Map<string, Slot>()

/**
 * The slot of a kind of thing, looked up when it is first needed; undefined where the platform has
 * no diagnostics channels.
 */
export function slotOf(kind: string): Slot | undefined {
  const cached = slots.get(kind)
  if (cached) return cached
  const { process } = globalThis as Platform
  const slot = process?.getBuiltinModule?.('diagnostics_channel')?.channel(`modelport:${kind}`)
  if (slot) slots.set(kind, slot)
  return slot
}

/**
 * Runs `work`, and publishes `{ span, type, value }` for its start, each reported event, and its
 * end or error. `span` is the same object in all messages of one `work`. Without subscribers it
 * only calls `work`.
 */
export function inSlot<T>(
  slot: Slot | undefined,
  about: object,
  work: (report?: (event: unknown) => void) => Promise<T>,
): Promise<T> {
  if (!slot?.hasSubscribers) return work()
  const span = {}
  const tell = (type: string, value: unknown): void => slot.publish({ span, type, value })
  return slot.runStores({ span, type: 'start', value: about }, async () => {
    try {
      const result = await work((event) => tell('event', event))
      tell('end', result)
      return result
    } catch (error) {
      tell('error', error)
      throw error
    }
  })
}
