import type { ChatMessage, Content, UserMessage } from '@modelport/core'

/**
 * What a run writes as the user: results that no tool message can carry, problems of a reply, a
 * notice of the last call.
 */
export const toRunMessage = (content: Content): UserMessage => ({
  role: 'user',
  content,
  byRun: true,
})

/** True for what a run adds after a reply. The text does not show it: a user may write the same. */
export const isRunMessage = (message: ChatMessage): boolean =>
  message.role === 'tool' || (message.role === 'user' && message.byRun === true)

/** True for what a user says. */
export const isUserRequest = (message: ChatMessage): boolean =>
  message.role === 'user' && !message.byRun
