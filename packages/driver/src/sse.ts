import { LlmError } from '@modelport/core'
import type { WireRecord } from './driver.js'
import type { Framer } from './framing.js'
import { LineSplitter } from './lines.js'

const colon = 58
const space = 32
const letterD = 100
const letterE = 101

/**
 * Server-sent events, as the WHATWG HTML standard, section 9.2.6 (read 2026-11-21), with one deviation: an event that the end of
 * the body cuts off before its blank line is given out too, so that a server which forgets the blank line loses nothing.
 */
export class SseFramer implements Framer {
  cut = false
  readonly #onRecord: (record: WireRecord) => void
  readonly #lines: LineSplitter
  readonly #maxBytes: number
  #event = ''
  #data: string | undefined

  constructor(onRecord: (record: WireRecord) => void, maxBytes: number) {
    this.#onRecord = onRecord
    this.#maxBytes = maxBytes
    this.#lines = new LineSplitter((text, start, end) => {
      this.#line(text, start, end)
    }, maxBytes)
  }

  push(chunk: Uint8Array): void {
    this.#lines.push(chunk)
  }

  end(): void {
    this.cut = this.#lines.open || this.#data !== undefined
    this.#lines.end()
    this.#dispatch()
  }

  /** Every line comes by here: nothing is cut out of the text but what is kept. */
  #line(text: string, start: number, end: number): void {
    if (start === end) {
      this.#dispatch()
      return
    }
    const first = text.charCodeAt(start)
    if (first === letterD && isField(text, start, end, 'data')) this.#addData(text.slice(valueStart(text, start + 5), end))
    else if (first === letterE && isField(text, start, end, 'event')) this.#event = text.slice(valueStart(text, start + 6), end)
  }

  #addData(value: string): void {
    if (this.#data === undefined) {
      this.#data = value
      return
    }
    this.#data += `\n${value}`
    if (this.#data.length > this.#maxBytes) {
      throw new LlmError('limit-exceeded', `an event of the stream is longer than ${this.#maxBytes} bytes`)
    }
  }

  #dispatch(): void {
    const data = this.#data
    const event = this.#event
    this.#data = undefined
    this.#event = ''
    if (data !== undefined) this.#onRecord({ event, data })
  }
}

/** True for `name`, or `name:` and a value. */
const isField = (text: string, start: number, end: number, name: string): boolean =>
  text.startsWith(name, start) && (end - start === name.length || text.charCodeAt(start + name.length) === colon)

/** The value begins after the colon and one space, if there is one. */
const valueStart = (text: string, start: number): number => (text.charCodeAt(start) === space ? start + 1 : start)
