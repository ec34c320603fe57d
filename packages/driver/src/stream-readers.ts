import type {
  ReplyDetails,
  ChatMessage,
  FinishReason,
  StreamEvent,
  StreamReader,
  TokenUsage,
  ToolDefinition,
  ToolResult,
  ToolStreamReader,
} from '@modelport/core'
import { validateOptions } from '@modelport/core'
import type { Conversation } from './conversation.js'
import { EventReader } from './event-reader.js'

/** Makes the conversation of a reader; its events go where the reader wants them. */
export type StartConversation = (emit: (event: StreamEvent) => void) => Conversation

/** The text of a conversation. */
export class TextStreamReader extends EventReader<string> implements StreamReader {
  readonly #conversation: Conversation

  constructor(scope: ConstructorParameters<typeof EventReader>[0], start: StartConversation) {
    super(scope)
    this.#conversation = start((event) => {
      if (event.type === 'text-delta') this.push(event.text)
    })
    this.attach(this.#conversation)
  }

  /** Sends the first request. */
  open(): Promise<void> {
    return this.#conversation.open()
  }

  fullText(): string {
    return this.#conversation.fullText()
  }

  usage(): TokenUsage {
    return this.#conversation.usage()
  }

  finishReason(): FinishReason | undefined {
    return this.#conversation.finishReason
  }

  details(): ReplyDetails {
    return this.#conversation.details()
  }
}

/** All events of a conversation with tools. */
export class EventStreamReader extends EventReader<StreamEvent> implements ToolStreamReader {
  readonly #conversation: Conversation

  constructor(scope: ConstructorParameters<typeof EventReader>[0], start: StartConversation) {
    super(scope)
    this.#conversation = start((event) => {
      this.push(event)
    })
    this.attach(this.#conversation)
  }

  /** Sends the first request. */
  open(): Promise<void> {
    return this.#conversation.open()
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- rejects, never throws
  async sendToolResults(results: readonly ToolResult[]): Promise<void> {
    if (this.over) throw new TypeError('sendToolResults: the stream has ended')
    this.#conversation.answer(results)
  }

  setTools(tools: readonly ToolDefinition[]): void {
    validateOptions({ tools })
    this.#conversation.setTools(tools)
  }

  fullText(): string {
    return this.#conversation.fullText()
  }

  usage(): TokenUsage {
    return this.#conversation.usage()
  }

  details(): ReplyDetails {
    return this.#conversation.details()
  }

  messages(): readonly ChatMessage[] {
    return this.#conversation.messages()
  }
}
