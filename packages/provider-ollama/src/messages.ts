import { type ChatMessage, type Content, LlmError, textOf } from '@modelport/core'
import { argumentsOf } from '@modelport/driver'
import type { WireMessage } from './wire.js'

/** Name of the provider, in errors and in the `origin` of messages. */
export const name = 'ollama'

/**
 * A message as `/api/chat` takes it. A `name` of a message has no place there and is left out; a
 * failed tool result is marked in its text.
 * @throws {LlmError} `unsupported` — a part is neither text nor a base64 image.
 */
export function toWireMessage(message: ChatMessage, index: number): WireMessage {
  const { role } = message
  const content = textOf(message.content)
  const images = toImages(message.content, `messages[${index}]`)
  const wire: WireMessage = { role, content, ...(images.length && { images }) }
  if (message.role === 'tool') {
    return {
      ...wire,
      content: message.isError ? `Error: ${content}` : content,
      ...(message.toolName !== undefined && { tool_name: message.toolName }),
      tool_call_id: message.toolCallId,
    }
  }
  if (message.role !== 'assistant') return wire
  // Thinking of another vendor's model means nothing to this one.
  const own = message.origin?.provider === name
  return {
    ...wire,
    content: content || (message.refusal ?? ''),
    ...(own && message.reasoning && { thinking: message.reasoning }),
    ...(message.toolCalls?.length && {
      tool_calls: message.toolCalls.map((call) => ({
        id: call.id,
        function: { name: call.name, arguments: argumentsOf(call) },
      })),
    }),
  }
}

function toImages(content: Content, where: string): string[] {
  if (typeof content === 'string') return []
  return content.flatMap((part) => {
    if (part.type === 'text') return []
    if (part.type !== 'image') {
      throw new LlmError(
        'unsupported',
        `${name}: ${where}: a part of type "${part.type}" cannot be sent; Ollama takes text and images`,
      )
    }
    if (part.source.type !== 'base64') {
      throw new LlmError(
        'unsupported',
        `${name}: ${where}: Ollama fetches no image address; send the image's bytes (toImagePart(bytes, mediaType))`,
      )
    }
    return [part.source.data]
  })
}
