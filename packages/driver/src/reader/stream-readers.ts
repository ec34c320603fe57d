import type {
  ChatMessage,
  FinishReason,
  ReplyDetails,
  StreamEvent,
  StreamReader,
  TokenUsage,
  ToolDefinition,
  ToolResult,
  ToolStreamReader,
} from '@modelport/core'
import { validateOptions } from '@modelport/core'
import type { CallScope } from '../base/scope.js'
import type { Conversation } from '../exchange/conversation.js'
import type { StreamObserver } from '../exchange/stream-observer.js'
import { QueueReader } from './queue-reader.js'

/** What both readers report about their conversation. */
abstract class ConversationReader<T> extends QueueReader<T> implements StreamObserver {
  protected readonly conversation: Conversation

  constructor(scope: CallScope, conversation: Conversation) {
    super(scope, () => {
      conversation.advance()
    })
    this.conversation = conversation
  }

  abstract onEvent(event: StreamEvent): void

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
  onEvent(event: StreamEvent): void {
    if (event.type === 'text-delta') this.queue.push(event.text)
  }
}

/** All events of a conversation with tools. */
export class EventStreamReader extends ConversationReader<StreamEvent> implements ToolStreamReader {
  onEvent(event: StreamEvent): void {
    this.queue.push(event)
  }

  // oxlint-disable-next-line typescript/require-await -- rejects, never throws
  async sendToolResults(results: readonly ToolResult[]): Promise<void> {
    if (this.queue.ended) throw new TypeError('sendToolResults: the stream has ended')
    this.conversation.addToolResults(results)
  }

  setTools(tools: readonly ToolDefinition[]): void {
    validateOptions({ tools })
    this.conversation.setTools(tools)
  }
}
