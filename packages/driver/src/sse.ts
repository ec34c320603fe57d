import { LlmError } from '@modelport/core'
import type { WireRecord } from './driver.js'
import type { Framer } from './framing.js'
import { LineSplitter } from './lines.js'

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
    const colon = line.indexOf(':')
    if (colon === 0) return
    const field = colon < 0 ? line : line.slice(0, colon)
    if (field !== 'data' && field !== 'event') return
    const value = colon < 0 ? '' : line.slice(line.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1)
    if (field === 'event') this.#event = value
    else if (this.#data === undefined) this.#data = value
    else {
      this.#data += `\n${value}`
      if (this.#data.length > this.#maxBytes) {
        throw new LlmError('limit-exceeded', `an event of the stream is longer than ${this.#maxBytes} bytes`)
      }
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
