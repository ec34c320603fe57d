export {
  anthropicMessages,
  gemini,
  ollamaChat,
  openaiResponses,
} from '@modelport/conformance'
export { anthropicVertex } from './anthropic-vertex.ts'
export { bedrockConverse, converseFrame } from './bedrock-converse.ts'
export { openaiChatCumulative } from './openai-chat-cumulative.ts'
