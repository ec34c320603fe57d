export { conformance } from './conformance.js'
export { anthropicMessages } from './formats/anthropic-messages.js'
export { gemini } from './formats/gemini.js'
export { askNeutral, neutral } from './formats/neutral.js'
export { ollamaChat } from './formats/ollama-chat.js'
export { openaiChat } from './formats/openai-chat.js'
export { openaiResponses } from './formats/openai-responses.js'
export type { Harness, HarnessConfig, Runner } from './harness.js'
export { inProcessSkips } from './in-process.js'
export {
  createMemoryServer,
  type LoggedRequest,
  type MemoryServer,
  type ReplyStep,
  type ServerPlan,
  type ServerReply,
  toReply,
} from './memory-server.js'
export { citedRules } from './rule.js'
export type { Script, ScriptCall, ScriptTurn } from './script.js'
export { scriptNamed, scripts, scriptTools } from './scripts.js'
export { VirtualClock } from './virtual-clock.js'
export type {
  WireConversation,
  WireConversationMessage,
  WireFormat,
  WireRequest,
  WireResponse,
} from './wire-format.js'
