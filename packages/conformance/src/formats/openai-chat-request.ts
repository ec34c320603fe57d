import { defined } from '@modelport/driver'
import * as z from 'zod'
import { parseJsonOrText } from '../json-text.js'
import type { WireConversation, WireConversationMessage, WireRequest } from '../wire-format.js'
import { anyOf, brokenRules, name64, readBody } from './body-form.js'
import { openaiText } from './openai-content.js'
import { pairingViolations } from './tool-messages.js'

const content = z.union([z.string(), z.array(z.unknown())], 'neither a string nor a list')
// "string too long. Expected a string with maximum length 64", as the API answers
// (decolua/9router#3167, jin-bo/agentao#321); before August 2026 it was 40
// (microsoft/autogen#6377).
const toolCall = z.looseObject({
  id: name64,
  type: z.literal('function'),
  function: z.looseObject({ name: name64, arguments: z.string() }),
})
const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.enum(['system', 'developer', 'user']), content, ...anyOf('name') }),
  z.strictObject({
    role: z.literal('assistant'),
    content: content.nullish(),
    tool_calls: z.array(toolCall).min(1).optional(),
    ...anyOf('name refusal audio function_call reasoning_content reasoning reasoning_details'),
  }),
  z.strictObject({ role: z.literal('tool'), content, tool_call_id: z.unknown() }),
])
/** What a body may hold; the last lines are common dialect beyond OpenAI's own. */
const chatBody = z.strictObject({
  model: z.string().min(1),
  messages: z.array(message).min(1),
  tools: z
    .array(
      z.looseObject({ type: z.literal('function'), function: z.looseObject({ name: name64 }) }),
    )
    .min(1)
    .optional(),
  max_tokens: z.number().optional(),
  max_completion_tokens: z.number().optional(),
  temperature: z.number().optional(),
  ...anyOf(
    'audio frequency_penalty function_call functions logit_bias logprobs metadata modalities moderation n',
  ),
  ...anyOf('parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_options'),
  ...anyOf(
    'prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop store',
  ),
  ...anyOf(
    'stream stream_options tool_choice top_logprobs top_p user verbosity web_search_options',
  ),
  ...anyOf(
    'top_k min_p repetition_penalty random_seed reasoning thinking enable_thinking thinking_budget',
  ),
  ...anyOf('chat_template_kwargs grammar'),
})

/** The conversation of a Chat Completions request. */
export function openaiChatRead(request: WireRequest): WireConversation {
  const body = request.body as Partial<z.infer<typeof chatBody>>
  const { messages = [], tools = [], temperature } = body
  const system = messages
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map((one) => openaiText(one.content))
  const maxTokens = body.max_completion_tokens ?? body.max_tokens
  return {
    model: String(body.model),
    stream: body.stream === true,
    system: system.join('\n'),
    tools: tools.map(({ function: { name, parameters } }) => ({ name, parameters })),
    messages: messages.flatMap(readMessage),
    ...defined({ maxTokens, temperature }),
  }
}

function readMessage(one: z.infer<typeof message>): WireConversationMessage[] {
  const text = openaiText(one.content)
  if (one.role === 'user') return [{ role: 'user', text }]
  if (one.role === 'tool') return [{ role: 'tool', callId: String(one.tool_call_id), text }]
  if (one.role !== 'assistant') return []
  const toolCalls = (one.tool_calls ?? []).map(({ id, function: call }) => ({
    id,
    name: call.name,
    arguments: parseJsonOrText(call.arguments),
  }))
  return [{ role: 'assistant', text, toolCalls }]
}

/** The rules of Chat Completions that a request breaks. */
export function openaiChatViolations(request: WireRequest): readonly string[] {
  const { body, problems } = readBody(chatBody, request)
  if (!body) return problems
  const { messages, tools } = body
  const unsaid = messages.flatMap((one, index) => {
    if (
      one.role !== 'assistant' ||
      one.tool_calls ||
      typeof one.content === 'string' ||
      Array.isArray(one.content)
    )
      return []
    if (one.content === null && one.refusal != null) return []
    return [`messages[${index}].content: missing, or null without tool_calls`]
  })
  return [
    ...brokenRules([
      [
        body.stream_options !== undefined && body.stream !== true,
        'stream_options: only with stream: true',
      ],
      [
        body.max_tokens !== undefined && body.max_completion_tokens !== undefined,
        'max_tokens and max_completion_tokens: only one',
      ],
      [body.tool_choice !== undefined && !tools, 'tool_choice: only with tools'],
      [body.parallel_tool_calls !== undefined && !tools, 'parallel_tool_calls: only with tools'],
    ]),
    ...unsaid,
    ...pairingViolations(messages),
  ]
}
