import {
  type AssistantMessage,
  type CallOptions,
  type ChatMessage,
  type FinishReason,
  type Generation,
  mergeOptions,
  type Provider,
  type Reader,
  type StreamEvent,
  type ToolStreamReader,
} from '@modelport/core'
import { checkMessages, checkProvider } from '../base/check-request.js'

/** The events of one answer, and in the end the answer. */
export interface GenerationReader extends Reader<StreamEvent> {
  /** The whole answer, as {@link Provider.generate} gives it. Reads what is left; rejects like a read. */
  generation(): Promise<Generation>
}

/**
 * Streams one answer without losing what {@link Provider.generate} gives: tool calls and usage arrive, nothing is executed. Tools are those of the options.
 * @throws {LlmError} the code says why; the signal's own reason when that is aborted.
 */
export async function generateStream(
  provider: Provider,
  messages: readonly ChatMessage[],
  ...options: readonly CallOptions[]
): Promise<GenerationReader> {
  checkProvider(provider)
  checkMessages(messages)
  const { tools, ...rest } = mergeOptions(...options)
  return new AnswerReader(await provider.streamWithTools(messages, tools ?? [], rest))
}

/** A stream that is read to the end of its answer, by the caller or by `generation`. */
class AnswerReader implements GenerationReader {
  readonly #reader: ToolStreamReader
  #finishReason: FinishReason = 'unknown'

  constructor(reader: ToolStreamReader) {
    this.#reader = reader
  }

  async next(): Promise<IteratorResult<StreamEvent, undefined>> {
    const result = await this.#reader.next()
    if (!result.done && result.value.type === 'turn-end') this.#finishReason = result.value.reason
    return result
  }

  async generation(): Promise<Generation> {
    for (let result = await this.next(); !result.done; result = await this.next());
    const message = this.#reader.messages().findLast((one): one is AssistantMessage => one.role === 'assistant') ?? {
      role: 'assistant',
      content: '',
    }
    return {
      text: this.#reader.fullText(),
      toolCalls: message.toolCalls ?? [],
      usage: this.#reader.usage(),
      finishReason: this.#finishReason,
      message,
      ...(message.reasoning !== undefined && { reasoning: message.reasoning }),
      ...this.#reader.details(),
    }
  }

  close(): Promise<void> {
    return this.#reader.close()
  }

  async return(): Promise<IteratorResult<StreamEvent, undefined>> {
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
