const bits = 10
const size = 1 << bits

/**
 * A list that grows at its end and shrinks at its front, in blocks, so that neither ever moves what
 * is between.
 */
export class Deque<T> {
  #blocks: (T | undefined)[][] = []
  /** Place of the first item in the first block. */
  #start = 0
  #length = 0

  get length(): number {
    return this.#length
  }

  push(item: T): void {
    const place = this.#start + this.#length++
    const block = this.#blocks[place >> bits]
    if (block) block.push(item)
    else this.#blocks.push([item])
  }

  at(index: number): T | undefined {
    const place = this.#start + index
    return index >= 0 && index < this.#length
      ? this.#blocks[place >> bits]?.[place & (size - 1)]
      : undefined
  }

  /** Drops this many from the front. Each dropped item is paid for once. */
  drop(count: number): void {
    const dropped = Math.min(count, this.#length)
    const start = this.#start + dropped
    const whole = start >> bits
    this.#blocks[whole]?.fill(undefined, whole ? 0 : this.#start, start & (size - 1))
    if (whole) this.#blocks.splice(0, whole)
    this.#start = start & (size - 1)
    this.#length -= dropped
  }

  toList(): T[] {
    return this.#blocks.flat().slice(this.#start) as T[]
  }
}
