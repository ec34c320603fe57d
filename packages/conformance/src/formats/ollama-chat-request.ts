import { isObject } from '@modelport/core'
import type { WireConversation, WireConversationMessage, WireRequest } from '../wire-format.js'

interface WireToolCall {
  readonly id?: unknown
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown }
}
interface WireMessage {
  readonly role?: unknown
  readonly content?: unknown
  readonly tool_calls?: readonly WireToolCall[]
  readonly tool_call_id?: unknown
  readonly tool_name?: unknown
  readonly images?: readonly unknown[]
  readonly [field: string]: unknown
}
interface WireBody {
  readonly model?: unknown
  readonly messages?: readonly WireMessage[]
  readonly stream?: unknown
  readonly tools?: readonly {
    readonly type?: unknown
    readonly function?: { readonly name?: unknown; readonly parameters?: unknown }
  }[]
  readonly options?: Readonly<Record<string, unknown>>
  readonly [field: string]: unknown
}

const isWhole = (value: unknown): boolean => Number.isInteger(value)
const isNumber = (value: unknown): boolean => typeof value === 'number'

/** Fields that a body may hold besides the model and the messages, and the form of each. `truncate` and `shift` are in the server's source only. */
const fields: Readonly<Record<string, (value: unknown) => boolean>> = {
  stream: (value) => typeof value === 'boolean',
  tools: Array.isArray,
  format: (value) => value === 'json' || isObject(value),
  options: isObject,
  think: (value) => [true, false, 'high', 'medium', 'low'].includes(value as string),
  keep_alive: (value) => typeof value === 'string' || isNumber(value),
  logprobs: (value) => typeof value === 'boolean',
  top_logprobs: (value) => isWhole(value) && Number(value) >= 0 && Number(value) <= 20,
  truncate: (value) => typeof value === 'boolean',
  shift: (value) => typeof value === 'boolean',
}
const options: typeof fields = {
  num_predict: isWhole,
  num_ctx: isWhole,
  seed: isWhole,
  top_k: isWhole,
  temperature: isNumber,
  top_p: isNumber,
  min_p: isNumber,
  stop: (value) =>
    typeof value === 'string' || (Array.isArray(value) && value.every((text) => typeof text === 'string')),
}
const messageFields: Readonly<Record<string, string>> = {
  system: 'role content images',
  user: 'role content images',
  assistant: 'role content images thinking tool_calls',
  tool: 'role content images tool_name tool_call_id',
}

/** The conversation of an `/api/chat` request. */
export function ollamaChatRead(request: WireRequest): WireConversation {
  const body = request.body as WireBody
  const messages = body.messages ?? []
  const { num_predict: maxTokens, temperature } = body.options ?? {}
  return {
    model: String(body.model),
    stream: body.stream !== false,
    system: messages
      .filter(({ role }) => role === 'system')
      .map(({ content }) => String(content))
      .join('\n'),
    tools: (body.tools ?? []).map((tool) => ({
      name: String(tool.function?.name),
      parameters: tool.function?.parameters,
    })),
    messages: messages.flatMap(readMessage),
    ...(typeof maxTokens === 'number' && { maxTokens }),
    ...(typeof temperature === 'number' && { temperature }),
  }
}

function readMessage(message: WireMessage): WireConversationMessage[] {
  const text = String(message.content)
  if (message.role === 'user') return [{ role: 'user', text }]
  if (message.role === 'tool')
    return [{ role: 'tool', callId: String(message.tool_call_id), name: String(message.tool_name), text }]
  if (message.role !== 'assistant') return []
  const toolCalls = (message.tool_calls ?? []).map((call) => ({
    id: String(call.id),
    name: String(call.function?.name),
    arguments: call.function?.arguments,
  }))
  return [{ role: 'assistant', text, toolCalls }]
}

/** The rules of `/api/chat` that a request breaks; results must also say which call they answer, which the server only hopes for. */
export function ollamaChatViolations({ body, headers }: WireRequest): readonly string[] {
  const found: string[] = []
  const { model, messages, ...rest } = body as WireBody
  if (!headers['content-type']?.includes('application/json')) found.push('content-type is not application/json')
  if (typeof model !== 'string' || !model) found.push('model: missing')
  found.push(
    ...formViolations(rest, fields, '', true),
    ...formViolations(rest.options ?? {}, options, 'options.', false),
  )
  if (rest['top_logprobs'] !== undefined && rest['logprobs'] !== true)
    found.push('top_logprobs: only with logprobs: true')
  if (rest.tools?.length === 0) found.push('tools: empty array')
  for (const [index, tool] of (rest.tools ?? []).entries()) {
    if (tool.type !== 'function') found.push(`tools[${index}].type: not function`)
    if (typeof tool.function?.name !== 'string' || !tool.function.name)
      found.push(`tools[${index}].function.name: missing`)
    if (!isObject(tool.function?.parameters)) found.push(`tools[${index}].function.parameters: not an object`)
  }
  if (!messages?.length) found.push('messages: missing, which only loads the model')
  const open = new Map<unknown, unknown>()
  for (const [index, message] of (messages ?? []).entries())
    found.push(...messageViolations(message, `messages[${index}]`, open))
  if (open.size) found.push(`messages: calls without a tool message: ${[...open.keys()].join(', ')}`)
  return found
}

function formViolations(value: object, forms: typeof fields, where: string, closed: boolean): string[] {
  return Object.entries(value).flatMap(([field, inner]) => {
    const fits = forms[field]
    if (!fits) return closed ? [`${where}${field}: unknown field`] : []
    return fits(inner) ? [] : [`${where}${field}: of the wrong form`]
  })
}

/** `open` holds the calls that wait for their tool message, with their names. */
function messageViolations(message: WireMessage, where: string, open: Map<unknown, unknown>): string[] {
  const found: string[] = []
  const allowed = messageFields[String(message.role)]?.split(' ')
  if (!allowed) return [`${where}.role: unknown role ${String(message.role)}`]
  for (const field of Object.keys(message)) if (!allowed.includes(field)) found.push(`${where}.${field}: unknown field`)
  // The server reads both into fixed types and refuses the whole body otherwise.
  if (typeof message.content !== 'string') found.push(`${where}.content: not a string`)
  for (const image of message.images ?? []) if (!isBase64(image)) found.push(`${where}.images: not base64`)
  if (message.role === 'tool') {
    const { tool_call_id: id, tool_name: name } = message
    if (!open.has(id)) found.push(`${where}: answers no call of the assistant message before it`)
    else if (open.get(id) !== name) found.push(`${where}.tool_name: not the name of the call it answers`)
    open.delete(id)
    return found
  }
  if (open.size) found.push(`${where}: comes before the tool messages of ${[...open.keys()].join(', ')}`)
  open.clear()
  for (const [index, { id, function: call }] of (message.tool_calls ?? []).entries()) {
    if (typeof call?.name !== 'string' || !call.name) found.push(`${where}.tool_calls[${index}].function.name: missing`)
    if (!isObject(call?.arguments)) found.push(`${where}.tool_calls[${index}].function.arguments: not an object`)
    if (open.has(id)) found.push(`${where}.tool_calls[${index}].id: given twice`)
    open.set(id, call?.name)
  }
  return found
}

const isBase64 = (value: unknown): boolean =>
  typeof value === 'string' && value.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(value)
