import type { WireRecord } from '../base/driver.js'
import type { Framer } from './framer.js'
import { LineSplitter } from './lines.js'

/** One record a line: JSON lines, whose empty lines are skipped, or text. */
export class LinesFramer implements Framer {
  cut = false
  readonly #lines: LineSplitter

  constructor(onRecord: (record: WireRecord) => void, maxBytes: number, skipEmpty: boolean) {
    this.#lines = new LineSplitter((text, start, end) => {
      const data = text.slice(start, end)
      if (!skipEmpty || data.trim())
        onRecord({ event: '', data, ...(this.cut && { unterminated: true }) })
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
