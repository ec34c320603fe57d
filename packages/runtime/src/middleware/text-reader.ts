import type { FinishReason, StreamReader, ToolStreamReader } from '@modelport/core'
import { OuterReader } from './outer-reader.js'

/** The text of a conversation's first turn. */
export class TextReader extends OuterReader<string, ToolStreamReader> implements StreamReader {
  #finishReason: FinishReason | undefined
  #isDone = false

  async next(): Promise<IteratorResult<string, undefined>> {
    while (!this.#isDone) {
      const result = await this.inner.next()
      if (result.done) break
      const event = result.value
      if (event.type === 'text-delta') return { done: false, value: event.text }
      if (event.type === 'turn-end') this.#finishReason = event.reason
      if (event.type === 'done') this.#isDone = true
    }
    return { done: true, value: undefined }
  }

  finishReason(): FinishReason | undefined {
    return this.#finishReason
  }
}
