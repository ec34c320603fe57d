// One thread, one seed: time, timers and everything that arrives from outside are events of a
// queue. Each event belongs to a process, or to the world; the event of a dead process never
// happens, that of a frozen one waits until it wakes.
import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** A process of the cluster. */
export interface Process {
  readonly name: string
  isDead: boolean
  /** Frozen until this time, in virtual milliseconds. */
  wakesAt: number
  /** It dies in this sending to the receiver from now on, 1 for the next one. */
  diesIn?: { sendings: number; readonly arrives: boolean } | undefined
  /** How far its wall clock is from the time of the world, in milliseconds. */
  clockOffset: number
}

interface Event {
  readonly at: number
  readonly order: number
  readonly owner: Process | undefined
  readonly run: () => void
  isCancelled: boolean
}

/** Random numbers of a seed: mulberry32. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Turns of the event loop that settle what one event made ready. */
const turnsPerEvent = 2

const current = new AsyncLocalStorage<Process | undefined>()
/** The time of a world that begins, in milliseconds since 1970. */
export const epoch: number = Date.UTC(2030, 0, 1)

export class VirtualWorld {
  /** Virtual milliseconds since the world began. */
  now = 0
  /** Events that happened. */
  events = 0
  /** Messages that arrive much later than others, and are under way. */
  late = 0
  readonly random: () => number
  readonly #queue: Event[] = []
  #order = 0
  #held: Promise<unknown>[] = []

  constructor(seed: number) {
    this.random = randomOf(seed)
  }

  /** The process that the code belongs to which runs now. */
  get process(): Process | undefined {
    return current.getStore()
  }

  /** Runs code as a process. */
  as<Result>(owner: Process | undefined, run: () => Result): Result {
    return current.run(owner, run)
  }

  /** Lets an event happen after a while. */
  schedule(delay: number, owner: Process | undefined, run: () => void): Event {
    const event: Event = {
      at: this.now + Math.max(0, delay),
      order: this.#order++,
      owner,
      run,
      isCancelled: false,
    }
    this.#insert(event)
    return event
  }

  /** Counts a message that is under way for so long. */
  delay(ms: number): number {
    if (ms < 20) return ms
    this.late++
    this.schedule(ms + 20, undefined, () => this.late--)
    return ms
  }

  /** Stops the world until something outside of it is over, such as a statement of a server. */
  hold(outside: Promise<unknown>): void {
    this.#held.push(outside)
  }

  /** A short time that differs each time, in milliseconds. */
  latency(): number {
    return 0.2 + this.random() * 4
  }

  /** Resolves after a while; never for a process that died meanwhile. */
  pause(ms: number, owner: Process | undefined = this.process): Promise<void> {
    return new Promise((resolve) => this.schedule(ms, owner, resolve))
  }

  /** Lets events happen until a time, or until the condition holds. */
  async run(until: number, isDone: () => boolean = () => false): Promise<void> {
    // Whoever called something outside of an event has made it ready, too.
    await this.#settle()
    while (!isDone()) {
      const next = this.#queue.at(-1)
      if (!next || next.at > until) break
      this.#queue.pop()
      await this.#happen(next)
    }
    if (!isDone()) this.now = Math.max(this.now, until)
  }

  async #happen(event: Event): Promise<void> {
    const { owner } = event
    if (event.isCancelled || owner?.isDead) return
    this.now = Math.max(this.now, event.at)
    if (owner && owner.wakesAt > this.now) {
      this.#insert(Object.assign(event, { at: owner.wakesAt }))
      return
    }
    this.events++
    this.as(owner, event.run)
    await this.#settle()
  }

  /** What is ready happens now, however long something outside of the world takes. */
  async #settle(): Promise<void> {
    while (this.#held.length > 0) {
      const held = this.#held
      this.#held = []
      await Promise.all(held)
    }
    for (let turn = 0; turn < turnsPerEvent; turn++) await nextTurn()
  }

  /** The queue ends with what is next. */
  #insert(event: Event): void {
    let low = 0
    let high = this.#queue.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const other = this.#queue[middle]!
      const isLater = other.at > event.at || (other.at === event.at && other.order > event.order)
      if (isLater) low = middle + 1
      else high = middle
    }
    this.#queue.splice(low, 0, event)
  }

  /** Replaces the clocks, timers and random bytes of the thread. @returns puts them back */
  install(): () => void {
    const before = {
      setTimeout: globalThis.setTimeout,
      clearTimeout: globalThis.clearTimeout,
      setInterval: globalThis.setInterval,
      clearInterval: globalThis.clearInterval,
    }
    const { Date } = globalThis
    const { now } = Date
    const { random } = Math
    const instant = performance.now
    const { timeout } = AbortSignal
    const { getRandomValues, randomUUID, subtle } = crypto
    const { digest } = subtle
    const timer =
      (every: boolean) =>
      (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
        this.#timer(() => run(...args), Math.max(1, Number.isFinite(ms) ? ms : 1), every)
    const clear = (handle?: { cancel?: () => void }): void => handle?.cancel?.()
    Object.assign(globalThis, {
      setTimeout: timer(false),
      setInterval: timer(true),
      clearTimeout: clear,
      clearInterval: clear,
    })
    Date.now = () => Math.round(epoch + this.now + (this.process?.clockOffset ?? 0))
    globalThis.Date = new Proxy(Date, {
      construct: (target, given, made) =>
        Reflect.construct(target, given.length > 0 ? given : [Date.now()], made) as object,
    })
    performance.now = () => this.now
    Math.random = this.random
    AbortSignal.timeout = (ms) => {
      const controller = new AbortController()
      const reason = new DOMException('The operation timed out', 'TimeoutError')
      this.#timer(() => controller.abort(reason), ms, false)
      return controller.signal
    }
    crypto.getRandomValues = (array) => {
      const view = array as unknown as Uint8Array<ArrayBuffer>
      const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
      for (let index = 0; index < bytes.length; index++) bytes[index] = this.random() * 256
      return array
    }
    crypto.randomUUID = () => {
      const digits = Array.from({ length: 12 }, () => Math.floor(this.random() * 16).toString(16))
      return `00000000-0000-4000-8000-${digits.join('')}` as const
    }
    // The platform hashes in another thread, whose time is real.
    subtle.digest = (_algorithm, data) => {
      const bytes = ArrayBuffer.isView(data)
        ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
        : new Uint8Array(data)
      const hash = createHash('sha256').update(bytes).digest()
      return Promise.resolve(new Uint8Array(hash).buffer)
    }
    return () => {
      Object.assign(globalThis, before)
      subtle.digest = digest
      Date.now = now
      globalThis.Date = Date
      Math.random = random
      performance.now = instant
      AbortSignal.timeout = timeout
      crypto.getRandomValues = getRandomValues
      crypto.randomUUID = randomUUID
    }
  }

  #timer(run: () => void, ms: number, every: boolean): object {
    const owner = this.process
    let event: Event | undefined
    const start = (): void => {
      event = this.schedule(ms, owner, () => {
        if (every) start()
        run()
      })
    }
    start()
    const handle = {
      ref: () => handle,
      unref: () => handle,
      hasRef: () => false,
      refresh: () => {
        handle.cancel()
        start()
        return handle
      },
      cancel: () => {
        if (event) event.isCancelled = true
      },
    }
    return handle
  }
}
