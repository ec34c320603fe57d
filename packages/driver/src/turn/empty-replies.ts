import {
  type AssistantMessage,
  type ChatMessage,
  type Content,
  type ContentPart,
  textOf,
  type UserMessage,
} from '@modelport/core'

/**
 * The conversation without replies that say and call nothing, as after a refusal or a cut: several
 * servers refuse them. User messages that become neighbours are joined, since others want the roles
 * to alternate. For APIs whose requests have a message for each of ours.
 */
export function withoutEmptyReplies(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  if (!messages.some(isEmptyReply)) return messages
  const result: ChatMessage[] = []
  let leftOut = false
  for (const message of messages) {
    if (isEmptyReply(message)) {
      leftOut = true
      continue
    }
    const last = result.at(-1)
    if (leftOut && last && isPlainUser(last) && isPlainUser(message))
      result[result.length - 1] = { role: 'user', content: join(last.content, message.content) }
    else result.push(message)
    leftOut = false
  }
  return result
}

const isEmptyReply = (message: ChatMessage): message is AssistantMessage =>
  message.role === 'assistant' &&
  !message.toolCalls?.length &&
  !message.refusal &&
  !message.vendor &&
  !textOf(message.content) &&
  (typeof message.content === 'string' || message.content.every(({ type }) => type === 'text'))

const isPlainUser = (message: ChatMessage): message is UserMessage =>
  message.role === 'user' && message.name === undefined && message.vendor === undefined

function join(first: Content, second: Content): Content {
  if (typeof first === 'string' && typeof second === 'string') return `${first}\n\n${second}`
  return [...toParts(first), ...toParts(second)]
}

const toParts = (content: Content): readonly ContentPart[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content
