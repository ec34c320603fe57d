import { LlmError } from '@modelport/core'
import type { WireRecord } from './driver.js'
import type { Framer } from './framing.js'
import { tryParseJson } from './parse-json.js'

/** A whole body as one record, given out at its end; an empty body gives none. */
export class JsonBodyFramer implements Framer {
  cut = false
  readonly #onRecord: (record: WireRecord) => void
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })
  #text = ''

  constructor(onRecord: (record: WireRecord) => void) {
    this.#onRecord = onRecord
  }

  push(chunk: Uint8Array): void {
    this.#text += this.#decode(chunk, true)
  }

  end(): void {
    this.cut = true
    this.#text += this.#decode(new Uint8Array(0), false)
    this.cut = /^\s*[[{]/.test(this.#text) && tryParseJson(this.#text) === undefined
    if (this.#text.trim()) this.#onRecord({ event: '', data: this.#text })
  }

  #decode(chunk: Uint8Array, stream: boolean): string {
    try {
      return this.#decoder.decode(chunk, { stream })
    } catch {
      throw new LlmError('protocol', 'the body is not valid UTF-8')
    }
  }
}
