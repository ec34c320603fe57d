export { type BatchHarness, batchConformance } from './capability/batch-conformance.js'
export { capabilityConformance } from './capability/capability-conformance.js'
export type { CapabilityHarness } from './capability/capability-harness.js'
export { conformance } from './conformance.js'
export { anthropicMessages } from './formats/anthropic-messages.js'
export { gemini } from './formats/gemini.js'
export { askNeutral, neutral } from './formats/neutral.js'
export { ollamaChat } from './formats/ollama-chat.js'
export { openaiChat } from './formats/openai-chat.js'
export { openaiChatCumulative } from './formats/openai-chat-cumulative.js'
export { openaiResponses } from './formats/openai-responses.js'
export type { Harness, HarnessConfig, Runner } from './harness.js'
export { inProcessSkips } from './in-process.js'
export {
  type LoggedRequest,
  type MemoryServer,
  type Plan,
  type ServerReply,
  type Step,
  createMemoryServer,
  toReply,
} from './memory-server.js'
export { citedRules } from './rule.js'
export type { Script, ScriptTurn } from './script.js'
export { scriptNamed, scripts, scriptTools } from './scripts.js'
export { VirtualClock } from './virtual-clock.js'
export type { WireResponse, WireConversation, WireConversationMessage, WireFormat, WireRequest } from './wire-format.js'
