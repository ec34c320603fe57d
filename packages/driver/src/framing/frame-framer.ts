import { isLlmError, LlmError } from '@modelport/core'
import { errorText } from '@modelport/core/text'
import { ByteBuffer } from '../base/byte-buffer.js'
import type { FrameFormat, WireRecord } from '../base/driver.js'
import type { Framer } from './framer.js'
import { decodeUtf8 } from './json-body.js'

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Binary frames, each a record. A frame is decoded once all of it is there. */
export class FrameFramer implements Framer {
  cut = false
  readonly #onRecord: (record: WireRecord) => void
  readonly #maxBytes: number
  readonly #format: FrameFormat
  /** The start of a frame whose rest has not come yet. */
  readonly #open = new ByteBuffer()
  /** Bytes that the open frame waits for: its head, then all of it. */
  #wanted: number
  #knowsLength = false

  constructor(onRecord: (record: WireRecord) => void, maxBytes: number, format: FrameFormat) {
    this.#onRecord = onRecord
    this.#maxBytes = maxBytes
    this.#format = format
    this.#wanted = format.headBytes
  }

  push(chunk: Uint8Array): void {
    let start = 0
    while (start < chunk.length) {
      const end = Math.min(chunk.length, start + this.#wanted - this.#open.length)
      this.#open.add(chunk.subarray(start, end))
      start = end
      if (this.#open.length === this.#wanted) this.#take()
    }
  }

  end(): void {
    this.cut = this.#open.length > 0
  }

  #take(): void {
    const bytes = this.#open.take()
    if (this.#knowsLength) {
      this.#knowsLength = false
      this.#wanted = this.#format.headBytes
      const { event, data } = decoded(() => this.#format.decode(bytes))
      this.#onRecord({ event, data: typeof data === 'string' ? data : decodeUtf8(decoder, data) })
      return
    }
    const length = decoded(() => this.#format.lengthOf(bytes))
    if (length > this.#maxBytes)
      throw new LlmError(
        'limit-exceeded',
        `a frame of the stream is longer than ${this.#maxBytes} bytes`,
      )
    if (length <= bytes.length)
      throw new LlmError('protocol', `a frame of the stream says that it has ${length} bytes`)
    this.#knowsLength = true
    this.#wanted = length
    this.#open.add(bytes)
  }
}

/** What the format makes of some bytes; any error of it is about the stream. */
function decoded<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (isLlmError(cause)) throw cause
    const message = errorText(cause)
    throw new LlmError('protocol', `a frame of the stream is damaged: ${message}`, { cause })
  }
}
