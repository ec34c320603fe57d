import { LlmError } from '@modelport/core'
import { decodeUtf8 } from './json-body.js'

const lineFeed = 10
const carriageReturn = 13

/** A line as the range of a text: cutting it out costs more than looking at it, and many are only looked at. */
export type OnLine = (text: string, start: number, end: number) => void

/** Many lines at once, each ended by LF alone, from `start` on: who looks ahead in them saves a call for each. */
export type OnLines = (text: string, start: number) => void

/**
 * Cuts bytes into lines at LF, CR or CRLF, wherever the bytes were split. Only whole lines are decoded, many in one
 * call, so no character is ever cut. One byte order mark at the start is dropped.
 */
export class LineSplitter {
  readonly #onLine: OnLine
  readonly #onLines: OnLines
  readonly #maxBytes: number
  // Fatal: a replaced character would be a value nobody sent. BOM kept: it is dropped at the start only.
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  #held: Uint8Array[] = []
  #heldBytes = 0
  #afterReturn = false
  #first = true

  constructor(onLine: OnLine, maxBytes: number, onLines?: OnLines) {
    this.#onLine = onLine
    this.#maxBytes = maxBytes
    this.#onLines =
      onLines ??
      ((text, start) => {
        for (let end = text.indexOf('\n', start); end >= 0; end = text.indexOf('\n', start)) {
          onLine(text, start, end)
          start = end + 1
        }
      })
  }

  push(chunk: Uint8Array): void {
    const end = lastLineEnd(chunk) + 1
    if (end === 0) {
      this.#hold(chunk)
      return
    }
    let start = 0
    if (this.#heldBytes) {
      start = firstLineEnd(chunk) + 1
      this.#split(this.#decode(this.#join(chunk.subarray(0, start))))
    }
    if (end < chunk.length) this.#hold(chunk.subarray(end))
    if (start < end) this.#split(this.#decode(end - start === chunk.length ? chunk : chunk.subarray(start, end)))
  }

  /** True when there is a last line that has no end yet. */
  get open(): boolean {
    return this.#heldBytes > 0
  }

  /** Gives out a last line that has no end. */
  end(): void {
    if (!this.#heldBytes) return
    const text = this.#decode(this.#join(new Uint8Array(0)))
    this.#onLine(text, 0, text.length)
  }

  #split(text: string): void {
    let start = 0
    if (this.#afterReturn && text.charCodeAt(0) === lineFeed) start = 1
    this.#afterReturn = text.charCodeAt(text.length - 1) === carriageReturn
    if (!text.includes('\r')) {
      this.#onLines(text, start)
      return
    }
    for (let i = start; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code !== lineFeed && code !== carriageReturn) continue
      this.#onLine(text, start, i)
      if (code === carriageReturn && text.charCodeAt(i + 1) === lineFeed) i++
      start = i + 1
    }
  }

  #hold(chunk: Uint8Array): void {
    this.#heldBytes += chunk.length
    if (this.#heldBytes > this.#maxBytes) {
      throw new LlmError('limit-exceeded', `a line of the stream is longer than ${this.#maxBytes} bytes`)
    }
    // A copy: the chunk may be a view of a large or reused buffer.
    this.#held.push(chunk.slice())
  }

  #join(last: Uint8Array): Uint8Array {
    const joined = new Uint8Array(this.#heldBytes + last.length)
    let offset = 0
    for (const piece of this.#held) {
      joined.set(piece, offset)
      offset += piece.length
    }
    joined.set(last, offset)
    this.#held = []
    this.#heldBytes = 0
    return joined
  }

  #decode(bytes: Uint8Array): string {
    const text = decodeUtf8(this.#decoder, bytes)
    if (!this.#first) return text
    this.#first = false
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  }
}

/** Of a chunk that has one. */
function firstLineEnd(chunk: Uint8Array): number {
  const feed = chunk.indexOf(lineFeed)
  const before = feed < 0 ? chunk : chunk.subarray(0, feed)
  const found = before.indexOf(carriageReturn)
  return found < 0 ? feed : found
}

function lastLineEnd(chunk: Uint8Array): number {
  const feed = chunk.lastIndexOf(lineFeed)
  return feed === chunk.length - 1 ? feed : Math.max(feed, chunk.lastIndexOf(carriageReturn))
}
