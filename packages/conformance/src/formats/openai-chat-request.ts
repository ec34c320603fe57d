import { parseJsonOrText } from '../json-text.js'
import type { WireConversation, WireConversationMessage, WireRequest } from '../wire-format.js'
import { openaiText } from './openai-content.js'

interface WireToolCall {
  readonly id?: unknown
  readonly type?: unknown
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown }
}
interface WireMessage {
  readonly role?: unknown
  readonly content?: unknown
  readonly tool_calls?: readonly WireToolCall[]
  readonly tool_call_id?: unknown
  readonly [field: string]: unknown
}
interface WireBody {
  readonly model?: unknown
  readonly messages?: readonly WireMessage[]
  readonly stream?: unknown
  readonly stream_options?: unknown
  readonly tools?: readonly {
    readonly type?: unknown
    readonly function?: { readonly name?: unknown; readonly parameters?: unknown }
  }[]
  readonly max_tokens?: number
  readonly max_completion_tokens?: number
  readonly temperature?: number
  readonly [field: string]: unknown
}

/** What a body may hold; the second line is common dialect beyond OpenAI's own. */
const fields = new Set(
  (
    'audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens messages metadata modalities model moderation n ' +
    'parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_options prompt_cache_retention reasoning_effort response_format ' +
    'safety_identifier seed service_tier stop store stream stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options ' +
    'top_k min_p repetition_penalty random_seed reasoning thinking enable_thinking thinking_budget chat_template_kwargs'
  ).split(' '),
)
const messageFields: Readonly<Record<string, string>> = {
  system: 'role content name',
  developer: 'role content name',
  user: 'role content name',
  assistant: 'role content name refusal audio tool_calls function_call reasoning_content reasoning reasoning_details',
  tool: 'role content tool_call_id',
}

/** The conversation of a Chat Completions request. */
export function openaiChatRead(request: WireRequest): WireConversation {
  const body = request.body as WireBody
  const messages = body.messages ?? []
  const system = messages
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map(({ content }) => openaiText(content))
  const maxTokens = body.max_completion_tokens ?? body.max_tokens
  return {
    model: String(body.model),
    stream: body.stream === true,
    system: system.join('\n'),
    tools: (body.tools ?? []).map((tool) => ({
      name: String(tool.function?.name),
      parameters: tool.function?.parameters,
    })),
    messages: messages.flatMap(readMessage),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(body.temperature !== undefined && { temperature: body.temperature }),
  }
}

function readMessage(message: WireMessage): WireConversationMessage[] {
  const text = openaiText(message.content)
  if (message.role === 'user') return [{ role: 'user', text }]
  if (message.role === 'tool') return [{ role: 'tool', callId: String(message.tool_call_id), text }]
  if (message.role !== 'assistant') return []
  const toolCalls = (message.tool_calls ?? []).map((call) => ({
    id: String(call.id),
    name: String(call.function?.name),
    arguments: parseJsonOrText(String(call.function?.arguments)),
  }))
  return [{ role: 'assistant', text, toolCalls }]
}

/** The rules of Chat Completions that a request breaks. */
export function openaiChatViolations({ body, headers }: WireRequest): readonly string[] {
  const found: string[] = []
  const { model, messages, stream, stream_options: streamOptions, tools, ...rest } = body as WireBody
  if (!headers['content-type']?.includes('application/json')) found.push('content-type is not application/json')
  if (typeof model !== 'string' || !model) found.push('model: missing')
  if (streamOptions !== undefined && stream !== true) found.push('stream_options: only with stream: true')
  for (const field of Object.keys(rest)) if (!fields.has(field)) found.push(`${field}: unknown field`)
  if (rest.max_tokens !== undefined && rest.max_completion_tokens !== undefined)
    found.push('max_tokens and max_completion_tokens: only one')
  if (rest['tool_choice'] !== undefined && !tools) found.push('tool_choice: only with tools')
  if (rest['parallel_tool_calls'] !== undefined && !tools) found.push('parallel_tool_calls: only with tools')
  if (tools?.length === 0) found.push('tools: empty array')
  for (const [index, tool] of (tools ?? []).entries()) {
    if (tool.type !== 'function') found.push(`tools[${index}].type: not function`)
    else if (!/^[\w-]{1,64}$/.test(String(tool.function?.name)))
      found.push(`tools[${index}].function.name: not 1 to 64 letters, digits, _ or -`)
  }
  if (!messages?.length) found.push('messages: missing')
  const open = new Set<unknown>()
  for (const [index, message] of (messages ?? []).entries())
    found.push(...messageViolations(message, `messages[${index}]`, open))
  if (open.size) found.push(`messages: calls without a tool message: ${[...open].join(', ')}`)
  return found
}

/** `open` holds the calls that wait for their tool message. */
function messageViolations(message: WireMessage, where: string, open: Set<unknown>): string[] {
  const found: string[] = []
  const allowed = messageFields[String(message.role)]?.split(' ')
  if (!allowed) return [`${where}.role: unknown role ${String(message.role)}`]
  for (const field of Object.keys(message)) if (!allowed.includes(field)) found.push(`${where}.${field}: unknown field`)
  if (message.role === 'tool') {
    if (!open.delete(message.tool_call_id)) found.push(`${where}: answers no call of the assistant message before it`)
    if (typeof message.content !== 'string' && !Array.isArray(message.content)) found.push(`${where}.content: not text`)
    return found
  }
  if (open.size) found.push(`${where}: comes before the tool messages of ${[...open].join(', ')}`)
  open.clear()
  if (message.role !== 'assistant') {
    if (typeof message.content !== 'string' && !Array.isArray(message.content)) found.push(`${where}.content: missing`)
    return found
  }
  const calls = message.tool_calls
  if (calls?.length === 0) found.push(`${where}.tool_calls: empty array`)
  if (message.content === undefined && !calls) found.push(`${where}.content: missing`)
  if (message.content === null && !calls && message['refusal'] == null)
    found.push(`${where}.content: null without tool_calls`)
  for (const [index, call] of (calls ?? []).entries())
    found.push(...callViolations(call, `${where}.tool_calls[${index}]`, open))
  return found
}

function callViolations(call: WireToolCall, where: string, open: Set<unknown>): string[] {
  const found: string[] = []
  // "string too long. Expected a string with maximum length 64", as the API answers (decolua/9router#3167, jin-bo/agentao#321); before
  // August 2026 it was 40 (microsoft/autogen#6377).
  if (typeof call.id !== 'string' || !/^[\w-]{1,64}$/.test(call.id))
    found.push(`${where}.id: not 1 to 64 letters, digits, _ or -`)
  if (open.has(call.id)) found.push(`${where}.id: given twice`)
  if (call.type !== 'function') found.push(`${where}.type: not function`)
  if (!/^[\w-]{1,64}$/.test(String(call.function?.name)))
    found.push(`${where}.function.name: not 1 to 64 letters, digits, _ or -`)
  if (typeof call.function?.arguments !== 'string') found.push(`${where}.function.arguments: not a string`)
  open.add(call.id)
  return found
}
