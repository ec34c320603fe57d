/**
 * Chunks in one block that doubles as it grows: a million chunks of a byte take no more memory than
 * one large one.
 */
export class ByteBuffer {
  /** Bytes so far. */
  length = 0
  #block = new Uint8Array(0)

  /** Appends a copy of the chunk, which may be a view of memory that is used again. */
  add(chunk: Uint8Array): void {
    const length = this.length + chunk.length
    if (length > this.#block.length) {
      const grown = new Uint8Array(Math.max(length, this.#block.length * 2, 256))
      grown.set(this.#block.subarray(0, this.length))
      this.#block = grown
    }
    this.#block.set(chunk, this.length)
    this.length = length
  }

  /** All bytes; the buffer is empty then. The result is valid until the next `add`. */
  take(): Uint8Array {
    const bytes = this.#block.subarray(0, this.length)
    // A large block would stay in memory for the rest of the stream.
    if (this.#block.length > 65_536) this.#block = new Uint8Array(0)
    this.length = 0
    return bytes
  }
}
