import type {
  ChatMessage,
  FinishReason,
  ReplyDetails,
  StreamReader,
  TokenUsage,
  ToolStreamReader,
} from '@modelport/core'

/** The text of a conversation's first turn. */
export class TextReader implements StreamReader {
  readonly #inner: ToolStreamReader
  #finishReason: FinishReason | undefined
  #isDone = false

  constructor(inner: ToolStreamReader) {
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

  async return(): Promise<IteratorResult<string, undefined>> {
    await this.close()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
