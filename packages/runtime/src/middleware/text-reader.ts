import {
  type ChatMessage,
  type FinishReason,
  ReaderBase,
  type ReplyDetails,
  type StreamReader,
  type TokenUsage,
  type ToolStreamReader,
} from '@modelport/core'

/** The text of a conversation's first turn. */
export class TextReader extends ReaderBase<string> implements StreamReader {
  readonly #inner: ToolStreamReader
  #finishReason: FinishReason | undefined
  #isDone = false

  constructor(inner: ToolStreamReader) {
    super()
    this.#inner = inner
  }

  async next(): Promise<IteratorResult<string, undefined>> {
    while (!this.#isDone) {
      const result = await this.#inner.next()
      if (result.done) break
      const event = result.value
      if (event.type === 'text-delta') return { done: false, value: event.text }
      if (event.type === 'turn-end') this.#finishReason = event.reason
      if (event.type === 'done') this.#isDone = true
    }
    return { done: true, value: undefined }
  }

  fullText(): string {
    return this.#inner.fullText()
  }

  usage(): TokenUsage {
    return this.#inner.usage()
  }

  finishReason(): FinishReason | undefined {
    return this.#finishReason
  }

  details(): ReplyDetails {
    return this.#inner.details()
  }

  messages(): readonly ChatMessage[] {
    return this.#inner.messages()
  }

  close(): Promise<void> {
    return this.#inner.close()
  }
}
