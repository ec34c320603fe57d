import type { JsonObject } from '@modelport/core'
import { createId, type Entropy, systemEntropy, timestampOf } from '../base/ids.js'
import { createPart, type Part } from './part.js'

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
  parts: typeof content === 'string' ? [createPart.text(content)] : content,
  timestamp: timestampOf(entropy),
})
