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

/** What both readers say about their conversation. */
abstract class ConversationReader<T> extends EventReader<T> {
  protected readonly conversation: Conversation

  constructor(scope: ConstructorParameters<typeof EventReader>[0], start: StartConversation) {
    super(scope)
    this.conversation = start((event) => {
      this.take(event)
    })
    this.attach(this.conversation)
  }

  /** Pushes what the reader makes of an event. */
  protected abstract take(event: StreamEvent): void

  /** Sends the first request. */
  open(): Promise<void> {
    return this.conversation.open()
  }

  fullText(): string {
    return this.conversation.fullText()
  }

  usage(): TokenUsage {
    return this.conversation.usage()
  }

  finishReason(): FinishReason | undefined {
    return this.conversation.finishReason
  }

  details(): ReplyDetails {
    return this.conversation.details()
  }

  messages(): readonly ChatMessage[] {
    return this.conversation.messages()
  }
}

/** The text of a conversation. */
export class TextStreamReader extends ConversationReader<string> implements StreamReader {
  protected take(event: StreamEvent): void {
    if (event.type === 'text-delta') this.push(event.text)
  }
}

/** All events of a conversation with tools. */
export class EventStreamReader extends ConversationReader<StreamEvent> implements ToolStreamReader {
  protected take(event: StreamEvent): void {
    this.push(event)
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- rejects, never throws
  async sendToolResults(results: readonly ToolResult[]): Promise<void> {
    if (this.over) throw new TypeError('sendToolResults: the stream has ended')
    this.conversation.answer(results)
  }

  setTools(tools: readonly ToolDefinition[]): void {
    validateOptions({ tools })
    this.conversation.setTools(tools)
  }
}
