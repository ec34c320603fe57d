import { LlmError } from '@modelport/core'
import { ByteBuffer } from '../base/byte-buffer.js'
import { decodeUtf8 } from './json-body.js'

const lineFeed = 10
const carriageReturn = 13
// Fatal, since a replacement character would be a value that nobody sent. BOM kept: it is dropped
// at the start only. Only whole lines are decoded.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Called with a line as a range of a text: a slice would cost more than most callers need. */
export type OnLine = (text: string, start: number, end: number) => void

/**
 * Called with many lines at once, from `start` on, each ended by LF alone, so that the callee can
 * look ahead.
 */
export type OnLines = (text: string, start: number) => void

/**
 * Cuts bytes into lines at LF, CR or CRLF, wherever the bytes were split. Only whole lines are
 * decoded, many in one call, so no character is ever cut. One byte order mark at the start is
 * dropped.
 */
export class LineSplitter {
  readonly #onLine: OnLine
  readonly #onLines: OnLines
  readonly #maxBytes: number
  /** The start of a line whose end has not come yet. */
  readonly #open = new ByteBuffer()
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
    if (this.#open.length) {
      start = firstLineEnd(chunk) + 1
      this.#open.add(chunk.subarray(0, start))
      this.#split(this.#decode(this.#open.take()))
    }
    if (end < chunk.length) this.#hold(chunk.subarray(end))
    if (start < end)
      this.#split(this.#decode(end - start === chunk.length ? chunk : chunk.subarray(start, end)))
  }

  /** True while the last line has no end. */
  get open(): boolean {
    return this.#open.length > 0
  }

  /** Emits the last line if it has no end. */
  end(): void {
    if (!this.open) return
    const text = this.#decode(this.#open.take())
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
    if (this.#open.length + chunk.length > this.#maxBytes) {
      throw new LlmError(
        'limit-exceeded',
        `a line of the stream is longer than ${this.#maxBytes} bytes`,
      )
    }
    this.#open.add(chunk)
  }

  #decode(bytes: Uint8Array): string {
    const text = decodeUtf8(decoder, bytes)
    if (!this.#first) return text
    this.#first = false
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  }
}

/** Position of the first line end, in a chunk that has one. */
function firstLineEnd(chunk: Uint8Array): number {
  const feed = chunk.indexOf(lineFeed)
  const before = feed < 0 ? chunk : chunk.subarray(0, feed)
  const returnAt = before.indexOf(carriageReturn)
  return returnAt < 0 ? feed : returnAt
}

function lastLineEnd(chunk: Uint8Array): number {
  const feed = chunk.lastIndexOf(lineFeed)
  return feed === chunk.length - 1 ? feed : Math.max(feed, chunk.lastIndexOf(carriageReturn))
}
