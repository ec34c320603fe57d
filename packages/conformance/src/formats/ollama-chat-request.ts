import { defined } from '@modelport/driver'
import * as z from 'zod'
import type { WireConversation, WireConversationMessage, WireRequest } from '../wire-format.js'
import { anyOf, readBody } from './body-form.js'
import { pairingViolations } from './tool-messages.js'

const fields = z.record(z.string(), z.unknown())
const name = z.string().min(1)
const flag = z.boolean().optional()
const number = z.number().optional()
const whole = z.number().int().optional()
const base64 = z.base64().min(1)

// The server reads contents into a fixed type and refuses the whole body otherwise.
const content = { content: z.string(), images: z.array(base64).optional() }
const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.enum(['system', 'user']), ...content }),
  z.strictObject({
    role: z.literal('assistant'),
    ...content,
    tool_calls: z
      .array(
        z.looseObject({ id: z.unknown(), function: z.looseObject({ name, arguments: fields }) }),
      )
      .optional(),
    ...anyOf('thinking'),
  }),
  z.strictObject({
    role: z.literal('tool'),
    ...content,
    tool_name: z.string(),
    tool_call_id: z.unknown(),
  }),
])
const options = z.looseObject({
  num_predict: whole,
  num_ctx: whole,
  seed: whole,
  top_k: whole,
  temperature: number,
  top_p: number,
  min_p: number,
  stop: z.union([z.string(), z.array(z.string())]).optional(),
})
/** What a body may hold. `truncate` and `shift` are in the server's source only. */
const chatBody = z.strictObject({
  model: z.string().min(1),
  messages: z.array(message).min(1, 'missing, which only loads the model'),
  stream: flag,
  tools: z
    .array(
      z.looseObject({
        type: z.literal('function'),
        function: z.looseObject({ name, parameters: fields }),
      }),
    )
    .min(1)
    .optional(),
  format: z.union([z.literal('json'), fields]).optional(),
  options: options.optional(),
  think: z.union([z.boolean(), z.enum(['high', 'medium', 'low'])]).optional(),
  keep_alive: z.union([z.string(), z.number()]).optional(),
  logprobs: flag,
  top_logprobs: z.number().int().min(0).max(20).optional(),
  truncate: flag,
  shift: flag,
})

/** The conversation of an `/api/chat` request. */
export function ollamaChatRead(request: WireRequest): WireConversation {
  const body = request.body as Partial<z.infer<typeof chatBody>>
  const { messages = [], tools = [], options: { num_predict: maxTokens, temperature } = {} } = body
  const system = messages.filter(({ role }) => role === 'system').map((one) => one.content)
  return {
    model: String(body.model),
    stream: body.stream !== false,
    system: system.join('\n'),
    tools: tools.map(({ function: called }) => ({
      name: called.name,
      parameters: called.parameters,
    })),
    messages: messages.flatMap(readMessage),
    ...defined({ maxTokens, temperature }),
  }
}

function readMessage(one: z.infer<typeof message>): WireConversationMessage[] {
  const { content: text } = one
  if (one.role === 'user') return [{ role: 'user', text }]
  if (one.role === 'tool')
    return [{ role: 'tool', callId: String(one.tool_call_id), name: one.tool_name, text }]
  if (one.role !== 'assistant') return []
  const toolCalls = (one.tool_calls ?? []).map(({ id, function: call }) => ({
    id: String(id),
    name: call.name,
    arguments: call.arguments,
  }))
  return [{ role: 'assistant', text, toolCalls }]
}

/**
 * The rules of `/api/chat` that a request breaks. Results must also name their call, which the
 * server does not check.
 */
export function ollamaChatViolations(request: WireRequest): readonly string[] {
  const { body, problems } = readBody(chatBody, request)
  if (!body) return problems
  const alone = body.top_logprobs !== undefined && body.logprobs !== true
  return [
    ...(alone ? ['top_logprobs: only with logprobs: true'] : []),
    ...pairingViolations(body.messages),
  ]
}
