import type { WireRecord } from './driver.js'
import type { Framer } from './framer.js'
import { LineSplitter } from './lines.js'

/** One JSON value a line; empty lines are skipped. */
export class NdjsonFramer implements Framer {
  cut = false
  readonly #lines: LineSplitter

  constructor(onRecord: (record: WireRecord) => void, maxBytes: number) {
    this.#lines = new LineSplitter((text, start, end) => {
      const line = text.slice(start, end)
      if (line.trim()) onRecord({ event: '', data: line })
    }, maxBytes)
  }

  push(chunk: Uint8Array): void {
    this.#lines.push(chunk)
  }

  end(): void {
    this.cut = this.#lines.open
    this.#lines.end()
  }
}
