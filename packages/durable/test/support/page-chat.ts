// A tab with `useChat`: the AI SDK's own chat and transport, over the routes of a server.
import {
  AbstractChat,
  type ChatState,
  type ChatStatus,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from 'ai'

class PlainState implements ChatState<UIMessage> {
  status: ChatStatus = 'ready'
  error: Error | undefined
  messages: UIMessage[]

  constructor(messages: UIMessage[]) {
    this.messages = messages
  }

  pushMessage(message: UIMessage): void {
    this.messages = [...this.messages, message]
  }

  popMessage(): void {
    this.messages = this.messages.slice(0, -1)
  }

  replaceMessage(index: number, message: UIMessage): void {
    this.messages = this.messages.with(index, structuredClone(message))
  }

  snapshot<Thing>(thing: Thing): Thing {
    return structuredClone(thing)
  }
}

/** One tab. */
export class PageChat extends AbstractChat<UIMessage> {
  readonly failures: Error[]

  constructor(id: string, fetch: typeof globalThis.fetch, messages: UIMessage[] = []) {
    const failures: Error[] = []
    super({
      id,
      state: new PlainState(messages),
      transport: new DefaultChatTransport({ api: 'http://chat.test/api/chat', fetch }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
      onError: (error) => failures.push(error),
    })
    this.failures = failures
  }
}

/** What a tab shows, a line each part. */
export const screenOf = (messages: readonly UIMessage[]): readonly string[] =>
  messages.flatMap(({ role, parts, metadata }) => [
    ...parts.flatMap((part) => {
      if (part.type === 'step-start') return []
      if (part.type === 'text') return [`${role}: ${part.text}`]
      const { state, output, errorText } = part as Partial<Record<string, string>>
      const end = output ?? errorText
      const words = [part.type, state, end === undefined ? undefined : JSON.stringify(end)]
      return [`${role}: [${words.filter((one) => one !== undefined).join(' ')}]`]
    }),
    ...(metadata ? [`${role}: ${JSON.stringify(metadata)}`] : []),
  ])
