import { asText, type ChatMessage, isObject, type ToolCall } from '@modelport/core'
import { type Fields, fieldsOf, listOf, tryParseJson } from '../ingest-forms.js'

/** The value of a text that is JSON; any other value as it is. */
export const parsed = (value: unknown): unknown => (typeof value === 'string' ? (tryParseJson(value) ?? value) : value)

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''))

const known = ['system', 'user', 'assistant', 'tool'] as const
/** Other names of the roles. */
const roles: Readonly<Record<string, string>> = {
  developer: 'system',
  human: 'user',
  ai: 'assistant',
  model: 'assistant',
}

/**
 * Messages in the forms that spans have them in: a list, or the JSON text of one, of messages with `parts` as the conventions define them, or
 * with `content` as vendors do; anything else is the text of one message. `role` is that of messages without one.
 */
export function toChatMessages(value: unknown, role: ChatMessage['role']): ChatMessage[] {
  const given = parsed(value)
  const list = Array.isArray(given) ? (given as unknown[]) : listOf(fieldsOf(given)['messages'] ?? (value && [given]))
  const isMessage = (one: unknown): boolean => ['role', 'parts', 'content'].some((name) => name in fieldsOf(one))
  if (!list.every(isMessage)) return [toMessages({ content: toText(value) }, role)].flat()
  return list.map(fieldsOf).flatMap((message) => toMessages(message, role))
}

function toMessages(message: Fields, fallback: ChatMessage['role']): ChatMessage[] {
  const body = message['parts'] ?? message['content']
  const parts = listOf(parsed(body)).map(fieldsOf)
  const isParts = parts.every((part) => (part['type'] ?? part['text']) !== undefined) && parts.length > 0
  const ofType = (pattern: RegExp): Fields[] => parts.filter(({ type }) => pattern.test(asText(type)))
  const texts = ofType(/^(?!tool.(?:call|use|result)|reasoning|thinking)/).map(toPartText)
  const content = isParts ? texts.join('\n') : toText(body ?? '')
  const given = asText(message['role'])
  const role = known.find((one) => one === (roles[given] ?? given)) ?? fallback
  const results = ofType(/^tool.(?:call_response|result)$/)
  if (results.length > 0) return results.map(toResult)
  if (role === 'tool') return [toResult({ ...message, result: content })]
  if (role !== 'assistant') return [{ role, content }]
  const toolCalls = [...ofType(/^tool.(?:call|use)$/), ...listOf(message['tool_calls']).map(fieldsOf)].map(toCall)
  const reasoning = ofType(/^(?:reasoning|thinking)$/).map(toPartText)
  return [
    { role, content, ...(toolCalls[0] && { toolCalls }), ...(reasoning[0] && { reasoning: reasoning.join('\n') }) },
  ]
}

/** The text of a part; of a part that is not text, what it is. */
const toPartText = ({ type, modality, content, text, thinking }: Fields): string =>
  [content, text, thinking].map(asText).find(Boolean) ?? `[${asText(modality) || asText(type)}]`

const idOf = ({ id, toolCallId, tool_call_id, tool_use_id }: Fields): string =>
  asText(id ?? toolCallId ?? tool_call_id ?? tool_use_id)

const toResult = (part: Fields): ChatMessage => ({
  ...{ role: 'tool', toolCallId: idOf(part) },
  content: toText(part['response'] ?? part['result'] ?? part['output'] ?? part['content']),
})

function toCall(part: Fields): ToolCall {
  const { name, arguments: inner } = fieldsOf(part['function'])
  const given = part['arguments'] ?? part['args'] ?? part['input'] ?? inner ?? {}
  const call = { id: idOf(part), name: asText(part['name'] ?? part['toolName'] ?? name) }
  const value = parsed(given)
  return { ...call, arguments: isObject(value) ? value : {}, argumentsText: toText(given) }
}

/** The messages that events of a span are, as the conventions had them before 1.37: `gen_ai.user.message`, `gen_ai.choice`. */
export const eventMessages = (
  events: readonly { readonly name: string; readonly attributes: Fields }[],
  name: RegExp,
): Fields[] =>
  events.flatMap(({ name: given, attributes }) => {
    const [, role] = name.exec(given) ?? []
    const message = parsed(attributes['message'])
    const content = attributes['content'] ?? attributes['message.content'] ?? (isObject(message) ? '' : message)
    return role === undefined ? [] : [{ role, content, ...attributes, ...fieldsOf(message) }]
  })
