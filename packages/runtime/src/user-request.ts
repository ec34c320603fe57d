import type { ChatMessage } from '@modelport/core'
import { isObservation } from './observation.js'

/** By object: what a correction says can be set, so that no text tells it. */
const corrections = new WeakSet<ChatMessage>()

/** The user message that tells the model what is wrong with its reply. */
export function toCorrection(content: string): ChatMessage {
  const message: ChatMessage = { role: 'user', content }
  corrections.add(message)
  return message
}

/** True for what a user says: in the same role a run gives results that no tool message can carry, and corrections. */
export const isUserRequest = (message: ChatMessage): boolean => message.role === 'user' && !isObservation(message) && !corrections.has(message)
