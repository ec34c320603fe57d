import type { Reader } from './reader.js'

/**
 * What every {@link Reader} does alike, given its `next` and `close`. Extend it to write a reader.
 */
export abstract class ReaderBase<T> implements Reader<T> {
  abstract next(): Promise<IteratorResult<T, undefined>>
  abstract close(): Promise<void>

  /** Closes the reader: what leaving a `for await` loop calls. */
  async return(): Promise<IteratorResult<T, undefined>> {
    await this.close()
    return { done: true, value: undefined }
  }

  /** The reader itself. */
  [Symbol.asyncIterator](): this {
    return this
  }

  /** Closes the reader at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
