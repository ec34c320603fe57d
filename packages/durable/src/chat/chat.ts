export { type Chat, type ChatOptions, chatRoutes } from './chat-routes.js'
export type { ChatMetadata, WaitingData } from './task-chunks.js'
export type { ChatUiMessage, ChatUiPart } from './ui-message.js'
