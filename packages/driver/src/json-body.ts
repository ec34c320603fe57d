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
    this.#text += decodeUtf8(this.#decoder, chunk, { stream: true })
  }

  end(): void {
    this.cut = true
    this.#text += decodeUtf8(this.#decoder)
    this.cut = /^\s*[[{]/.test(this.#text) && tryParseJson(this.#text) === undefined
    if (this.#text.trim()) this.#onRecord({ event: '', data: this.#text, whole: true })
  }
}

/** @throws {LlmError} `protocol` — the bytes are no UTF-8, or are cut inside a character. */
export function decodeUtf8(decoder: TextDecoder, bytes?: Uint8Array, options?: TextDecodeOptions): string {
  try {
    return decoder.decode(bytes, options)
  } catch {
    throw new LlmError('protocol', 'the body is not valid UTF-8')
  }
}
