import { isLlmError, LlmError } from '@modelport/core'
import { tryParseJson } from '@modelport/core/text'
import type { WireRecord } from '../base/driver.js'
import { TextBuffer } from '../base/text-buffer.js'
import type { Framer } from './framer.js'

/** A whole body as one record, emitted at its end; an empty body has none. */
export class JsonBodyFramer implements Framer {
  cut = false
  readonly #onRecord: (record: WireRecord) => void
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })
  readonly #text = new TextBuffer()

  constructor(onRecord: (record: WireRecord) => void) {
    this.#onRecord = onRecord
  }

  push(chunk: Uint8Array): void {
    this.#text.add(decodeUtf8(this.#decoder, chunk, { stream: true }))
  }

  end(): void {
    this.cut = true
    this.#text.add(decodeUtf8(this.#decoder))
    this.cut = false
    const data = this.#text.take()
    try {
      if (data.trim()) this.#onRecord({ event: '', data, whole: true })
    } catch (error) {
      // Checked only after a failure: parsing every body twice would cost more than all the rest.
      this.cut =
        isLlmError(error, 'protocol') && /^\s*[[{]/.test(data) && tryParseJson(data) === undefined
      throw error
    }
  }
}

/** @throws {LlmError} `protocol` — the bytes are not UTF-8, or end within a character. */
export function decodeUtf8(
  decoder: TextDecoder,
  bytes?: Uint8Array,
  options?: TextDecodeOptions,
): string {
  try {
    return decoder.decode(bytes, options)
  } catch {
    throw new LlmError('protocol', 'the body is not valid UTF-8')
  }
}
