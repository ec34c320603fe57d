import { LlmError } from '@modelport/core'
import type { WireRecord } from '../base/driver.js'
import { TextBuffer } from '../base/text-buffer.js'
import type { Framer } from './framer.js'
import { LineSplitter } from './lines.js'

const lineFeed = 10
const colon = 58
const space = 32
const letterA = 97
const letterD = 100
const letterE = 101
const letterN = 110
const letterT = 116
const letterV = 118

/**
 * Server-sent events as in the WHATWG HTML standard, section 9.2.6 (read 2026-11-21), with one
 * deviation: an event at the end of the body is emitted without its blank line too, so that a
 * server which forgets the blank line loses nothing.
 */
export class SseFramer implements Framer {
  cut = false
  readonly #onRecord: (record: WireRecord) => void
  readonly #lines: LineSplitter
  readonly #maxBytes: number
  #event = ''
  #data: string | undefined
  /** The lines of data after the first, each with the line feed before it. */
  readonly #moreData = new TextBuffer()

  constructor(onRecord: (record: WireRecord) => void, maxBytes: number) {
    this.#onRecord = onRecord
    this.#maxBytes = maxBytes
    this.#lines = new LineSplitter(
      (text, start, end) => {
        this.#line(text, start, end)
      },
      maxBytes,
      (text, start) => {
        this.#lineRun(text, start)
      },
    )
  }

  push(chunk: Uint8Array): void {
    this.#lines.push(chunk)
  }

  end(): void {
    this.cut = this.#lines.open || this.#data !== undefined
    this.#lines.end()
    this.#dispatch()
  }

  /**
   * Fast path for the complete lines of a chunk: emits an event with one line of data without
   * buffering it. Hot enough to justify the copy of `#line`.
   */
  #lineRun(text: string, from: number): void {
    let start = from
    let event = this.#event
    let isFirstData = this.#data === undefined
    for (let end = text.indexOf('\n', start); end >= 0; end = text.indexOf('\n', start)) {
      if (isFirstData && text.charCodeAt(end + 1) === lineFeed && isData(text, start)) {
        this.#onRecord({ event, data: text.slice(valueStart(text, start + 5), end) })
        event = ''
        start = end + 2
        continue
      }
      if (isEvent(text, start)) event = text.slice(valueStart(text, start + 6), end)
      else {
        this.#event = event
        this.#line(text, start, end)
        event = this.#event
        isFirstData = this.#data === undefined
      }
      start = end + 1
    }
    this.#event = event
  }

  /** Slices only the parts that are kept. */
  #line(text: string, start: number, end: number): void {
    if (start === end) {
      this.#dispatch()
      return
    }
    if (isData(text, start)) this.#addData(text.slice(valueStart(text, start + 5), end))
    else if (isEvent(text, start)) this.#event = text.slice(valueStart(text, start + 6), end)
    else if (isWord(text, start, end, 'data')) this.#addData('')
    else if (isWord(text, start, end, 'event')) this.#event = ''
  }

  #addData(value: string): void {
    if (this.#data === undefined) {
      this.#data = value
      return
    }
    this.#moreData.add(`\n${value}`)
    if (this.#data.length + this.#moreData.length > this.#maxBytes) {
      throw new LlmError(
        'limit-exceeded',
        `an event of the stream is longer than ${this.#maxBytes} bytes`,
      )
    }
  }

  #dispatch(): void {
    const data = this.#moreData.length ? `${this.#data ?? ''}${this.#moreData.take()}` : this.#data
    const event = this.#event
    this.#data = undefined
    this.#event = ''
    if (data !== undefined) this.#onRecord({ event, data, ...(this.cut && { unterminated: true }) })
  }
}

/** True for a `data:` line. Compares single characters: `startsWith` costs more. */
const isData = (text: string, start: number): boolean =>
  text.charCodeAt(start) === letterD &&
  text.charCodeAt(start + 1) === letterA &&
  text.charCodeAt(start + 2) === letterT &&
  text.charCodeAt(start + 3) === letterA &&
  text.charCodeAt(start + 4) === colon

/** True for an `event:` line. */
const isEvent = (text: string, start: number): boolean =>
  text.charCodeAt(start) === letterE &&
  text.charCodeAt(start + 1) === letterV &&
  text.charCodeAt(start + 2) === letterE &&
  text.charCodeAt(start + 3) === letterN &&
  text.charCodeAt(start + 4) === letterT &&
  text.charCodeAt(start + 5) === colon

/** True for a line that is only the name of a field: its value is empty. */
const isWord = (text: string, start: number, end: number, name: string): boolean =>
  end - start === name.length && text.startsWith(name, start)

/** The value begins after the colon and one space, if there is one. */
const valueStart = (text: string, start: number): number =>
  text.charCodeAt(start) === space ? start + 1 : start
