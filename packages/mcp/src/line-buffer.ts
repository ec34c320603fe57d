import { deserializeMessage, type JSONRPCMessage, ReadBuffer } from '@modelcontextprotocol/client'

/**
 * Cuts what a child process writes into messages. The client's own joins all it holds with every
 * chunk, and throws for each empty line.
 */
export class LineBuffer extends ReadBuffer {
  readonly #mostBytes: number
  readonly #refuse: () => Error
  readonly #onBytes: (count: number) => void
  readonly #lines: string[] = []
  #next = 0
  readonly #decoder = new TextDecoder()
  #text = ''
  #bytes = 0

  /**
   * `refuse` makes the error of a message that is longer; `onBytes` is called with the size of each
   * chunk.
   */
  constructor(mostBytes: number, refuse: () => Error, onBytes: (count: number) => void) {
    super()
    this.#mostBytes = mostBytes
    this.#refuse = refuse
    this.#onBytes = onBytes
  }

  override append(chunk: Uint8Array): void {
    this.#onBytes(chunk.length)
    this.#bytes += chunk.length
    if (this.#bytes > this.#mostBytes) {
      this.clear()
      throw this.#refuse()
    }
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      this.#lines.push(this.#text + this.#decoder.decode(chunk.subarray(start, end)))
      this.#text = ''
      start = end + 1
      this.#bytes = chunk.length - start
    }
    this.#text += this.#decoder.decode(chunk.subarray(start), { stream: true })
  }

  override readMessage(): JSONRPCMessage | null {
    while (this.#next < this.#lines.length) {
      const line = this.#lines[this.#next++]?.trim() ?? ''
      if (line.startsWith('{')) return deserializeMessage(line)
    }
    this.#lines.length = this.#next = 0
    return null
  }

  override clear(): void {
    this.#lines.length = this.#next = 0
    this.#text = ''
    this.#bytes = 0
  }
}
