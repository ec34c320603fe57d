import { asText, type ChatMessage, isObject, type ToolCall } from '@modelport/core'
import { tryParseJson } from '@modelport/core/text'
import { type Fields, fieldsOf, listOf } from '../ingest-forms.js'

/** The value of a text that is JSON; any other value as it is. */
export const parsed = (value: unknown): unknown =>
  typeof value === 'string' ? (tryParseJson(value) ?? value) : value

const toText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? '')

/**
 * Messages of a span: a list, or the JSON text of one, with `parts` as the conventions define them,
 * or `content` as the AI SDK has it. Anything else is the text of one message. `role` is that of
 * messages without one.
 */
export function toChatMessages(value: unknown, role: ChatMessage['role']): ChatMessage[] {
  const list = listOf(parsed(value)).map(fieldsOf)
  if (list.some(({ role: of, parts, content }) => (of ?? parts ?? content) !== undefined))
    return list.flatMap((message) => toMessages(message, role))
  return value ? [{ role, content: toText(value) } as ChatMessage] : []
}

const roles = ['system', 'user', 'assistant', 'tool'] as const

function toMessages(message: Fields, fallback: ChatMessage['role']): ChatMessage[] {
  const body = message['parts'] ?? message['content']
  const parts = listOf(body).map(fieldsOf)
  const ofType = (pattern: RegExp): Fields[] =>
    parts.filter(({ type }) => pattern.test(asText(type)))
  const textsOf = (pattern: RegExp): string => ofType(pattern).map(toPartText).join('\n')

  const role = roles.find((one) => one === message['role']) ?? fallback
  if (role === 'tool') return ofType(/^tool.(?:call.response|result)$/).map(toResult)

  const reasoning = textsOf(/^reasoning$/)
  const content = Array.isArray(body) ? textsOf(/^(?!tool|reasoning)/) : toText(body)
  const toolCalls = ofType(/^tool.call$/).map(toToolCall)
  return [
    { role, content, ...(reasoning && { reasoning }), ...(toolCalls[0] && { toolCalls }) },
  ] as ChatMessage[]
}

function toToolCall(part: Fields): ToolCall {
  const args = parsed(part['arguments'] ?? part['input'] ?? {})
  return {
    id: asText(part['id'] ?? part['toolCallId']),
    name: asText(part['name'] ?? part['toolName']),
    arguments: isObject(args) ? args : {},
    argumentsText: toText(args),
  }
}

/** The text of a part; of a part that is not text, what it is. */
const toPartText = ({ type, modality, content, text }: Fields): string =>
  asText(content ?? text) || `[${asText(modality ?? type)}]`

const toResult = (part: Fields): ChatMessage => ({
  role: 'tool',
  toolCallId: asText(part['id'] ?? part['toolCallId']),
  content: toText(part['response'] ?? part['result'] ?? part['output']),
})
