import { LlmError } from '@modelport/core'
import type { WireRecord } from './driver.js'
import type { Framer } from './framing.js'
import { LineSplitter } from './lines.js'

const colon = 58
const space = 32

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
    this.#lines = new LineSplitter((line) => {
      this.#line(line)
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

  #line(line: string): void {
    if (line === '') {
      this.#dispatch()
      return
    }
    // Every line comes by here: no field name is cut out, and other fields and comments cost two looks.
    if (line.startsWith('data') && (line.length === 4 || line.charCodeAt(4) === colon)) this.#addData(valueOf(line, 5))
    else if (line.startsWith('event') && (line.length === 5 || line.charCodeAt(5) === colon)) this.#event = valueOf(line, 6)
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

/** What follows the colon, without one space at its start. */
const valueOf = (line: string, start: number): string => line.slice(line.charCodeAt(start) === space ? start + 1 : start)
