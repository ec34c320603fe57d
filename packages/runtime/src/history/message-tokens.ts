import { type ChatMessage, type ToolDefinition, textOf, tokensPerMessage } from '@modelport/core'

/** The tokens of the marks around a tool call. */
const perCall = 4
/** The tokens that a picture, a sound or a file counts for, since no text shows its size. */
const perMedia = 1600

/** Estimated tokens of a message: its text, calls and reasoning, and its frame. */
export function messageTokens(message: ChatMessage, estimate: (text: string) => number): number {
  let tokens = tokensPerMessage + estimate(textOf(message.content))
  if (typeof message.content !== 'string') {
    for (const part of message.content) if (part.type !== 'text') tokens += perMedia
  }
  if (message.role === 'tool') return tokens + estimate(message.toolName ?? '')
  if (message.role !== 'assistant') return tokens
  for (const call of message.toolCalls ?? [])
    tokens += perCall + estimate(call.name) + estimate(call.argumentsText)
  return tokens + estimate(message.reasoning ?? '')
}

/** Estimated tokens of a conversation. */
export function messagesTokens(
  messages: Iterable<ChatMessage>,
  estimate: (text: string) => number,
): number {
  let tokens = 0
  for (const message of messages) tokens += messageTokens(message, estimate)
  return tokens
}

/** Estimated tokens of tool definitions, as the JSON a server makes part of the prompt. */
export function toolTokens(
  tools: readonly ToolDefinition[],
  estimate: (text: string) => number,
): number {
  return tools.reduce((sum, tool) => sum + estimate(JSON.stringify(tool)), 0)
}
