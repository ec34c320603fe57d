/**
 * Number of pieces that are joined at a time: large enough to be cheap, small enough to free the
 * pieces soon.
 */
const blockSize = 256

/**
 * Text that grows by small pieces. A string built by `+=` is a chain of its pieces, which costs
 * memory for each piece and more time in the garbage collector than all the parsing. This class
 * joins pieces block by block.
 */
export class TextBuffer {
  /** Characters so far. */
  length = 0
  #blocks: string[] = []
  #pieces: string[] = []

  /** Appends text. */
  add(piece: string): void {
    this.length += piece.length
    if (this.#pieces.push(piece) < blockSize) return
    this.#blocks.push(this.#pieces.join(''))
    this.#pieces = []
  }

  /** All of it. */
  get text(): string {
    if (this.#pieces.length + this.#blocks.length > 1)
      this.#blocks = [this.#blocks.join('') + this.#pieces.join('')]
    else if (this.#pieces.length) this.#blocks = this.#pieces
    this.#pieces = []
    return this.#blocks[0] ?? ''
  }

  /** All of it; the buffer is empty then. */
  take(): string {
    const { text } = this
    this.#blocks = []
    this.length = 0
    return text
  }
}
