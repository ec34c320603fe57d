export { type Chat, type ChatOptions, chatRoutes } from './chat-routes.js'
export type { ChatMetadata, ErrorText, WaitingData } from './task-chunks.js'
export type { ChatUiMessage, ChatUiPart } from './ui-message.js'
