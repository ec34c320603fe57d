import {
  type AssistantMessage,
  type ChatMessage,
  type ContentPart,
  type FinishReason,
  textOf,
} from '@modelport/core'
import type { Attributes } from '@opentelemetry/api'
import type { ProviderCall } from '../middleware/provider-call.js'

/** A part of a message as the conventions write it. */
type Part = Readonly<Record<string, unknown>>

/** The prompt of a call as span attributes: JSON in the form that the conventions define. */
export function toInputContent({ messages, tools, options: { system } }: ProviderCall): Attributes {
  const definitions = tools.map(({ name, description, parameters }) => ({
    type: 'function',
    name,
    description,
    parameters,
  }))
  return {
    'gen_ai.input.messages': JSON.stringify(
      messages.map((message) => ({ role: message.role, parts: toParts(message) })),
    ),
    ...(system !== undefined && {
      'gen_ai.system_instructions': JSON.stringify([{ type: 'text', content: system }]),
    }),
    ...(definitions.length && { 'gen_ai.tool.definitions': JSON.stringify(definitions) }),
  }
}

/** Reasons that the conventions spell in another way. */
const finishReasons: Readonly<Partial<Record<FinishReason, string>>> = {
  'tool-calls': 'tool_call',
  'content-filter': 'content_filter',
}

/** The reply of a turn as a span attribute. */
export const toOutputContent = (
  message: AssistantMessage,
  finishReason: FinishReason,
): Attributes => ({
  'gen_ai.output.messages': JSON.stringify([
    {
      role: 'assistant',
      parts: toParts(message),
      finish_reason: finishReasons[finishReason] ?? finishReason,
    },
  ]),
})

function toParts(message: ChatMessage): readonly Part[] {
  if (message.role === 'tool')
    return [
      { type: 'tool_call_response', id: message.toolCallId, response: textOf(message.content) },
    ]
  const { content } = message
  const parts =
    typeof content === 'string' ? (content ? [toTextPart(content)] : []) : content.map(toPart)
  if (message.role !== 'assistant') return parts
  const { reasoning, toolCalls = [] } = message
  const calls = toolCalls.map(({ id, name, arguments: given }) => ({
    type: 'tool_call',
    id,
    name,
    arguments: given,
  }))
  return [...(reasoning ? [{ type: 'reasoning', content: reasoning }] : []), ...parts, ...calls]
}

const toTextPart = (content: string): Part => ({ type: 'text', content })

/** Bytes are left out: a span is not the place for them. */
function toPart(part: ContentPart): Part {
  if (part.type === 'text') return toTextPart(part.text)
  const { source } = part
  if (source.type === 'file') return { type: 'file', modality: part.type, file_id: source.id }
  return source.type === 'url'
    ? { type: 'uri', modality: part.type, uri: source.url }
    : { type: 'blob', modality: part.type, mime_type: source.mediaType }
}
