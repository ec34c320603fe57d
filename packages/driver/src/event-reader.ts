import type { LlmError, Reader } from '@modelport/core'
import type { CallScope } from './scope.js'

/** Told once how a step ended. */
export interface Step {
  /** True: there may be more. False: that was the end. An error is given to the waiting reads only. */
  readonly next: (more: boolean | LlmError) => void
  /** The stream has failed. */
  readonly fail: (error: unknown) => void
}

/** A step as a promise, for who reads whole answers. */
export const oneStep = (go: (step: Step) => void): Promise<boolean | LlmError> =>
  new Promise((next, fail) => {
    go({ next, fail })
  })

/** What a reader pulls from. */
export interface EventSource {
  /** Goes on by one step, and tells how it ended, at once where nothing is waited for. */
  advance(step: Step): void
}

interface Waiter<T> {
  readonly resolve: (result: IteratorResult<T, undefined>) => void
  readonly reject: (error: unknown) => void
}

const end = Object.freeze({ done: true, value: undefined })

/** The one reader: a queue that is filled by pulling, and reads that wait in order. Rules R1–R8 of docs/contract.md. */
export class EventReader<T> implements Reader<T> {
  readonly #scope: CallScope
  #source: EventSource | undefined
  /** Empty while a read waits. */
  #queue: T[] = []
  #head = 0
  readonly #waiters: Waiter<T>[] = []
  #pulling = false
  /** Steps that have ended. */
  #steps = 0
  /** True while the loop asks for a step. */
  #looping = false
  #failure: { readonly error: unknown } | undefined
  #ended = false

  constructor(scope: CallScope) {
    this.#scope = scope
  }

  /** Sets what to pull from, once. */
  attach(source: EventSource): void {
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

  /** Gives an item to the read that waits longest, else puts it in the queue. */
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

  /** One loop for all that wait, in which steps that end at once do not pile up. No promise: each event of a live stream comes by. */
  #pull(): void {
    this.#pulling = true
    while (this.#waiters.length > 0 && !this.#ended) {
      const before = this.#steps
      this.#looping = true
      this.#advance()
      this.#looping = false
      if (this.#steps === before) return
    }
    this.#pulling = false
  }

  #advance(): void {
    const source = this.#source
    if (!source) {
      this.#step.next(false)
      return
    }
    try {
      source.advance(this.#step)
    } catch (error) {
      this.#step.fail(error)
    }
  }

  readonly #step: Step = {
    next: (more) => {
      if (more === false) this.#settle()
      else if (more !== true) for (const waiter of this.#waiters.splice(0)) waiter.reject(more)
      this.#stepped()
    },
    fail: (error) => {
      // What failed after the end was told already.
      this.#fail(error)
      this.#stepped()
    },
  }

  /** The loop goes on by itself with a step that ended at once. */
  #stepped(): void {
    this.#steps++
    if (!this.#looping) this.#pull()
  }

  /** The clean end. */
  #settle(): void {
    this.#stop()
    for (const waiter of this.#waiters.splice(0)) waiter.resolve(end)
  }

  /** What was read before the failure is still given out. */
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
