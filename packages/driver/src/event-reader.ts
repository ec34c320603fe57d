import type { LlmError, Reader } from '@modelport/core'
import type { CallScope } from './scope.js'

/** Receives the result of one `advance`; one of them is called, once. */
export interface ReadCallbacks {
  /** True: there may be more. False: that was the end. An error rejects the pending reads, and the stream continues. */
  readonly onProgress: (more: boolean | LlmError) => void
  /** The stream has failed. */
  readonly onError: (error: unknown) => void
}

/** One `advance` as a promise, for readers of whole replies. */
export const readOnce = (go: (callbacks: ReadCallbacks) => void): Promise<boolean | LlmError> =>
  new Promise((onProgress, onError) => {
    go({ onProgress, onError })
  })

/** The source of a reader's events. */
export interface EventProducer {
  /** Reads on and calls one of the callbacks: synchronously if nothing has to be waited for. */
  advance(callbacks: ReadCallbacks): void
}

interface Waiter<T> {
  readonly resolve: (result: IteratorResult<T, undefined>) => void
  readonly reject: (error: unknown) => void
}

const end = Object.freeze({ done: true, value: undefined })

/** The one reader: a queue that pulls fill, and pending reads in order. Rules R1–R8 of docs/contract.md. */
export class EventReader<T> implements Reader<T> {
  readonly #scope: CallScope
  #source: EventProducer | undefined
  /** Empty while a read is pending. */
  #queue: T[] = []
  #head = 0
  readonly #waiters: Waiter<T>[] = []
  #pulling = false
  /** Pulls that have completed. */
  #reads = 0
  /** True while the loop calls `advance`. */
  #looping = false
  #failure: { readonly error: unknown } | undefined
  #ended = false

  constructor(scope: CallScope) {
    this.#scope = scope
  }

  /** Sets the source, once. */
  attach(source: EventProducer): void {
    this.#source = source
    this.#scope.onEnd(() => {
      if (this.#ended) return
      this.#clear()
      if (this.#scope.reason === undefined) this.#settle()
      else this.#fail(this.#scope.reason)
    })
  }

  /** True once the stream ended, failed or was closed. */
  protected get over(): boolean {
    return this.#ended
  }

  /** Serves the oldest pending read with the item, or queues it. */
  push(item: T): void {
    if (this.#waiters.length > 0) this.#waiters.shift()?.resolve({ done: false, value: item })
    else this.#queue.push(item)
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.#head < this.#queue.length) return Promise.resolve({ done: false, value: this.#shift() })
    if (this.#failure) return Promise.reject(this.#failure.error)
    if (this.#ended) return Promise.resolve(end)
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject })
      if (!this.#pulling) this.#pull()
    })
  }

  close(): Promise<void> {
    this.#clear()
    if (!this.#ended) this.#settle()
    return Promise.resolve()
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    await this.close()
    return end
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #shift(): T {
    const item = this.#queue[this.#head++] as T
    if (this.#head === this.#queue.length) {
      this.#queue = []
      this.#head = 0
    }
    return item
  }

  /** Pulls while reads are pending. A loop, not recursion: a pull may complete synchronously. No promises: it runs once per event. */
  #pull(): void {
    this.#pulling = true
    while (this.#waiters.length > 0 && !this.#ended) {
      const before = this.#reads
      this.#looping = true
      this.#advance()
      this.#looping = false
      if (this.#reads === before) return
    }
    this.#pulling = false
  }

  #advance(): void {
    const source = this.#source
    if (!source) {
      this.#callbacks.onProgress(false)
      return
    }
    try {
      source.advance(this.#callbacks)
    } catch (error) {
      this.#callbacks.onError(error)
    }
  }

  readonly #callbacks: ReadCallbacks = {
    onProgress: (more) => {
      if (more === false) this.#settle()
      else if (more !== true) for (const waiter of this.#waiters.splice(0)) waiter.reject(more)
      this.#afterRead()
    },
    onError: (error) => {
      // A failure after the end was reported already.
      this.#fail(error)
      this.#afterRead()
    },
  }

  /** The loop continues by itself after a pull that completed synchronously. */
  #afterRead(): void {
    this.#reads++
    if (!this.#looping) this.#pull()
  }

  /** The clean end. */
  #settle(): void {
    this.#stop()
    for (const waiter of this.#waiters.splice(0)) waiter.resolve(end)
  }

  /** Items that were read before the failure can still be read. */
  #fail(error: unknown): void {
    if (this.#ended) return
    this.#failure = { error }
    this.#stop()
    for (const waiter of this.#waiters.splice(0)) waiter.reject(error)
  }

  #clear(): void {
    this.#queue = []
    this.#head = 0
  }

  #stop(): void {
    this.#ended = true
    this.#scope.end()
  }
}
