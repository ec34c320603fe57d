export { createChatDecoder } from './decoder.js'
export { toChatError } from './error.js'
export type { ChatDialect, ChatRequestBody } from './request.js'
export { defaultChatDialect, toChatRequest } from './request.js'
