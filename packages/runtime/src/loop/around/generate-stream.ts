import {
  type CallOptions,
  type ChatMessage,
  type FinishReason,
  type Generation,
  mergeOptions,
  type Provider,
  type Reader,
  ReaderBase,
  type StreamEvent,
  type ToolStreamReader,
} from '@modelport/core'
import { checkMessages, checkProvider } from '../../base/check-request.js'
import { toGeneration } from '../../middleware/turns.js'

/** The events of one reply, and in the end the reply. */
export interface GenerationReader extends Reader<StreamEvent> {
  /**
   * The whole reply, as {@link Provider.generate} gives it. Reads the rest; rejects like a read.
   */
  generation(): Promise<Generation>
}

/**
 * Streams one reply without losing what {@link Provider.generate} gives: tool calls and usage
 * arrive, nothing is executed. Tools are those of the options.
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
  return new ReplyReader(await provider.streamWithTools(messages, tools ?? [], rest))
}

/** A stream that is read to the end of its reply, by the caller or by `generation`. */
class ReplyReader extends ReaderBase<StreamEvent> implements GenerationReader {
  readonly #reader: ToolStreamReader
  #finishReason: FinishReason = 'unknown'

  constructor(reader: ToolStreamReader) {
    super()
    this.#reader = reader
  }

  async next(): Promise<IteratorResult<StreamEvent, undefined>> {
    const result = await this.#reader.next()
    if (!result.done && result.value.type === 'turn-end') this.#finishReason = result.value.reason
    return result
  }

  async generation(): Promise<Generation> {
    for (let result = await this.next(); !result.done; result = await this.next());
    return toGeneration(this.#reader, this.#finishReason)
  }

  close(): Promise<void> {
    return this.#reader.close()
  }
}
