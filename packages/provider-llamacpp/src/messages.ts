import {
  type ChatMessage,
  type Content,
  type JsonObject,
  LlmError,
  type ToolDefinition,
  textOf,
} from '@modelport/core'
import { argumentsOf } from '@modelport/driver'

/** Name of the provider, in errors and in the `origin` of messages. */
export const name = 'llamacpp'

/**
 * A message as chat templates take it.
 * @see https://huggingface.co/docs/transformers/main/en/chat_extras (read 2026-11-21)
 */
export interface TemplateMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string
  readonly name?: string
  /** Thinking of an earlier turn; templates show it where the model wants it. */
  readonly reasoning_content?: string
  readonly tool_calls?: readonly {
    readonly id: string
    readonly type: 'function'
    readonly function: { readonly name: string; readonly arguments: JsonObject }
  }[]
  readonly tool_call_id?: string
}

/** A tool as chat templates take it. */
export interface TemplateTool {
  readonly type: 'function'
  readonly function: {
    readonly name: string
    readonly description: string
    readonly parameters: JsonObject
  }
}

/** What a template makes a prompt of. */
export interface TemplateInput {
  readonly messages: readonly TemplateMessage[]
  readonly tools?: readonly TemplateTool[]
  readonly variables?: JsonObject
  /** True ends the prompt where the reply begins. */
  readonly generate: boolean
}

/**
 * A message for the template; a failed tool result is marked in its text.
 * @throws {LlmError} `unsupported` — a part is not text.
 */
export function toTemplateMessage(message: ChatMessage, index: number): TemplateMessage {
  const content = toText(message.content, `messages[${index}]`)
  if (message.role === 'tool') {
    return {
      role: 'tool',
      content: message.isError ? `Error: ${content}` : content,
      tool_call_id: message.toolCallId,
      ...(message.toolName !== undefined && { name: message.toolName }),
    }
  }
  if (message.role !== 'assistant') return { role: message.role, content }
  // Thinking of another model means nothing to this one.
  const own = message.origin?.provider === name
  return {
    role: 'assistant',
    content: content || (message.refusal ?? ''),
    ...(own && message.reasoning && { reasoning_content: message.reasoning }),
    ...(message.toolCalls?.length && {
      tool_calls: message.toolCalls.map((call) => ({
        id: call.id,
        type: 'function' as const,
        function: { name: call.name, arguments: argumentsOf(call) },
      })),
    }),
  }
}

/** A tool for the template. */
export const toTemplateTool = ({
  name: tool,
  description,
  parameters,
}: ToolDefinition): TemplateTool => ({
  type: 'function',
  function: {
    name: tool,
    description,
    parameters: parameters ?? { type: 'object', properties: {} },
  },
})

function toText(content: Content, where: string): string {
  const other =
    typeof content === 'string' ? undefined : content.find(({ type }) => type !== 'text')
  if (other)
    throw new LlmError(
      'unsupported',
      `${name}: ${where}: a part of type "${other.type}" cannot be read; a model in this process takes text`,
    )
  return textOf(content)
}
