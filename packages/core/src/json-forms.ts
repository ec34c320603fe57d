import { textOf } from './content.js'
import { LlmError } from './error.js'
import type { ChatMessage, ToolMessage } from './message.js'
import type { ToolCall, ToolResult } from './tool.js'

/** A stored conversation: plain JSON with a version. */
export interface StoredConversation {
  /** Version of this format, not of the package. */
  readonly version: 1
  /** The conversation, in order. */
  readonly messages: readonly ChatMessage[]
}

/** The message form of the Go package's wire: snake_case, text content only. */
export interface WireMessage {
  /** Role of the author. */
  readonly role: ChatMessage['role']
  /** The text. */
  readonly content: string
  /** The calls of an assistant message, in order. */
  readonly tool_calls?: readonly {
    readonly id: string
    readonly name: string
    readonly arguments: ToolCall['arguments']
  }[]
  /** The call that a tool message is the result of. */
  readonly tool_call_id?: string
  /** True when the tool failed. */
  readonly is_error?: boolean
}

/** A conversation in its stored form. */
export const toJson = (messages: readonly ChatMessage[]): StoredConversation => ({
  version: 1,
  messages,
})

/**
 * Reads a stored conversation back; plain data in, plain data out.
 * @throws {LlmError} `invalid-request` — the version is unknown or a message has no role this
 * version knows.
 */
export function fromJson(stored: unknown): readonly ChatMessage[] {
  const { version, messages } = (stored ?? {}) as Partial<StoredConversation>
  if (version !== 1 || !Array.isArray(messages)) {
    throw new LlmError(
      'invalid-request',
      `stored conversation: expected version 1, found ${version as number}`,
    )
  }
  const conversation = messages as readonly ChatMessage[]
  conversation.forEach((message: ChatMessage | null, index) => {
    if (!['system', 'user', 'assistant', 'tool'].includes(message?.role as string)) {
      throw new LlmError(
        'invalid-request',
        `stored conversation: messages[${index}] has no known role`,
      )
    }
  })
  return conversation
}

/** A message in the snake_case form; content that is not text is left out. */
export function toWireMessage(message: ChatMessage): WireMessage {
  const base = { role: message.role, content: textOf(message.content) }
  if (message.role === 'tool') {
    return { ...base, tool_call_id: message.toolCallId, ...(message.isError && { is_error: true }) }
  }
  if (message.role !== 'assistant' || !message.toolCalls?.length) return base
  return {
    ...base,
    tool_calls: message.toolCalls.map(({ id, name, arguments: values }) => ({
      id,
      name,
      arguments: values,
    })),
  }
}

/** A message from the snake_case form. */
export function fromWireMessage(wire: WireMessage): ChatMessage {
  const { role, content } = wire
  if (role === 'tool')
    return {
      role,
      content,
      toolCallId: wire.tool_call_id ?? '',
      ...(wire.is_error && { isError: true }),
    }
  if (role !== 'assistant' || !wire.tool_calls?.length) return { role, content }
  const toolCalls = wire.tool_calls.map((call) => ({
    ...call,
    argumentsText: JSON.stringify(call.arguments),
  }))
  return { role, content, toolCalls }
}

/** The message that carries a tool result in the history. */
export const toToolMessage = (result: ToolResult, toolName?: string): ToolMessage => ({
  role: 'tool',
  toolCallId: result.callId,
  ...(toolName !== undefined && { toolName }),
  content: result.content,
  ...(result.isError && { isError: true }),
  ...(result.sources && { sources: result.sources }),
})
