interface PendingRead<T> {
  readonly resolve: (result: IteratorResult<T, undefined>) => void
  readonly reject: (error: unknown) => void
}

/** The result of a read at the end. */
const end: IteratorResult<never, undefined> = Object.freeze({ done: true, value: undefined })

/**
 * Items that were not read yet, or the reads that wait for one, in order. Ends once: cleanly or
 * with an error.
 */
export class EventQueue<T> {
  /** True after `end` or `fail`. Items that were queued before can still be read. */
  ended = false
  /** Empty while a read is pending. */
  #items: T[] = []
  #head = 0
  readonly #pending: PendingRead<T>[] = []
  #failure: { readonly error: unknown } | undefined

  /** True while a read is pending. */
  get waiting(): boolean {
    return this.#pending.length > 0
  }

  /** Serves the oldest pending read with the item, or queues it. */
  push(item: T): void {
    const read = this.#pending.shift()
    if (read) read.resolve({ done: false, value: item })
    else this.#items.push(item)
  }

  /** The next item, the end or the failure; pending until there is one. */
  next(): Promise<IteratorResult<T, undefined>> {
    if (this.#head < this.#items.length)
      return Promise.resolve({ done: false, value: this.#shift() })
    if (this.#failure) return Promise.reject(this.#failure.error)
    if (this.ended) return Promise.resolve(end)
    return new Promise((resolve, reject) => {
      this.#pending.push({ resolve, reject })
    })
  }

  clear(): void {
    this.#items = []
    this.#head = 0
  }

  /** Rejects the pending reads; later reads are served again. */
  reject(error: unknown): void {
    for (const read of this.#pending.splice(0)) read.reject(error)
  }

  end(): void {
    this.ended = true
    for (const read of this.#pending.splice(0)) read.resolve(end)
  }

  /** Rejects the pending and all later reads, after the items that were queued before. */
  fail(error: unknown): void {
    this.ended = true
    this.#failure = { error }
    this.reject(error)
  }

  #shift(): T {
    const item = this.#items[this.#head++] as T
    if (this.#head === this.#items.length) this.clear()
    return item
  }
}
