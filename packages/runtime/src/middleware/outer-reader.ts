import {
  type ChatMessage,
  ReaderBase,
  type ReplyDetails,
  type StreamReader,
  type TokenUsage,
} from '@modelport/core'

/**
 * A reader through which another one is read: what it reports of the conversation is the inner
 * reader's.
 */
export abstract class OuterReader<
  T,
  R extends Pick<StreamReader, 'fullText' | 'usage' | 'details' | 'messages' | 'close'>,
> extends ReaderBase<T> {
  protected readonly inner: R

  constructor(inner: R) {
    super()
    this.inner = inner
  }

  fullText(): string {
    return this.inner.fullText()
  }

  usage(): TokenUsage {
    return this.inner.usage()
  }

  details(): ReplyDetails {
    return this.inner.details()
  }

  messages(): readonly ChatMessage[] {
    return this.inner.messages()
  }

  close(): Promise<void> {
    return this.inner.close()
  }
}
