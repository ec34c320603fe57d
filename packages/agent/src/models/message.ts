import type { JsonObject } from '@modelport/core'
import { createId, type Entropy, systemEntropy, timestampOf } from '../base/ids.js'
import { type InferContent, type Part, parts } from './part.js'

/** Who speaks: a caller (`user`), an agent, a model's reply kept as such, or the system. */
export type MessageRole = 'user' | 'agent' | 'assistant' | 'system'

/** One unit of communication between agents. */
export interface Message {
  /** Made by the sender. */
  readonly id: string
  /** Who speaks. */
  readonly role: MessageRole
  /** The content. */
  readonly parts: readonly Part[]
  /** ISO 8601, UTC. */
  readonly timestamp: string
  /** Whatever its sender adds; extensions use their URI as the key. */
  readonly metadata?: JsonObject
  /** URIs of the extensions that contributed to the message. */
  readonly extensions?: readonly string[]
  /** Other tasks that the message refers to. */
  readonly referenceTaskIds?: readonly string[]
}

/** Makes a message of parts. */
export const createMessage = (
  role: MessageRole,
  content: string | readonly Part[],
  entropy: Entropy = systemEntropy,
): Message => ({
  id: createId('msg', entropy),
  role,
  parts: typeof content === 'string' ? [parts.text(content)] : content,
  timestamp: timestampOf(entropy),
})

/** One function per role. */
export interface MessageMakers {
  /** A message of a caller. */
  user(content: string | readonly Part[], entropy?: Entropy): Message
  /** A message of an agent. */
  agent(content: string | readonly Part[], entropy?: Entropy): Message
  /** A model's reply, kept as such. */
  assistant(content: string | readonly Part[], entropy?: Entropy): Message
  /** A user message with one `infer` part. */
  infer(content: InferContent, entropy?: Entropy): Message
}

/** Makes messages by role. */
export const messages: MessageMakers = Object.freeze<MessageMakers>({
  user: (content, entropy) => createMessage('user', content, entropy),
  agent: (content, entropy) => createMessage('agent', content, entropy),
  assistant: (content, entropy) => createMessage('assistant', content, entropy),
  infer: (content, entropy) => createMessage('user', [parts.infer(content)], entropy),
})

/** The message with one more part. */
export const addPart = (message: Message, part: Part): Message => ({ ...message, parts: [...message.parts, part] })

/** The message with one more text part. */
export const addText = (message: Message, text: string): Message => addPart(message, parts.text(text))
