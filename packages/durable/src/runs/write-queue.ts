import { setImmediate as nextTurn } from 'node:timers/promises'
import type { RunChange } from './run-change.js'

/** One write that waits for the next transaction. */
export interface Write {
  readonly isIntent: boolean
  /** When it has to be stored at the latest, on the monotonic clock. */
  readonly at: number
  /**
   * Called when the transaction is put together, so that numbers are given in the order of writing.
   */
  readonly apply: (change: RunChange) => void
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * Writes in order, one transaction at a time: entries that arrive meanwhile are in the next one.
 */
export class WriteQueue {
  readonly #commit: (batch: readonly Write[]) => Promise<void>
  #waiting: Write[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #timerAt = Infinity
  #writing: Promise<void> | undefined
  #failure: Error | undefined

  /** @param commit stores a batch, or fails as a whole */
  constructor(commit: (batch: readonly Write[]) => Promise<void>) {
    this.#commit = commit
  }

  /** The error that made a write fail, and every later one with it. */
  get failure(): Error | undefined {
    return this.#failure
  }

  /** Refuses every later write. */
  fail(error: Error): void {
    this.#failure ??= error
  }

  /**
   * A write that nobody waits for; if it fails, the next one fails too.
   * @throws the failure of an earlier write
   */
  defer(inMs: number, apply: Write['apply']): void {
    if (this.#failure) throw this.#failure
    const at = performance.now() + inMs
    this.#waiting.push({
      isIntent: false,
      at,
      apply,
      resolve: () => undefined,
      reject: () => undefined,
    })
    if (this.#writing === undefined) this.#schedule(at)
  }

  /** Resolves once the write is stored, with all that were made before it. */
  write(apply: Write['apply'], isIntent: boolean = false): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ isIntent, at: 0, apply, resolve, reject })
      this.#writing ??= this.#drain()
    })
  }

  /** Resolves once everything is stored that was written. */
  flush(): Promise<void> {
    const isIdle = this.#waiting.length === 0 && this.#writing === undefined
    return isIdle ? Promise.resolve() : this.write(() => undefined)
  }

  #schedule(at: number): void {
    if (at >= this.#timerAt) return
    clearTimeout(this.#timer)
    this.#timerAt = at
    this.#timer = setTimeout(
      () => {
        this.#timerAt = Infinity
        this.#writing ??= this.#drain()
      },
      Math.max(0, Math.ceil(at - performance.now())),
    )
  }

  async #drain(): Promise<void> {
    // Entries of the same turn of the event loop, such as the intents of parallel tools, share the
    // first transaction.
    await nextTurn()
    while (this.#waiting.length > 0) {
      const at = Math.min(...this.#waiting.map((write) => write.at))
      // Entries that nobody waits for do not follow at once: the next intent takes them along.
      if (at > performance.now()) {
        this.#schedule(at)
        break
      }
      clearTimeout(this.#timer)
      this.#timerAt = Infinity
      const batch = this.#waiting
      this.#waiting = []
      try {
        if (this.#failure !== undefined) throw this.#failure
        await this.#commit(batch)
        for (const { resolve } of batch) resolve()
      } catch (error) {
        this.#failure ??= error instanceof Error ? error : new Error(String(error))
        for (const { reject } of batch) reject(error)
      }
    }
    this.#writing = undefined
  }
}
