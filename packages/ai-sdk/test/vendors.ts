import type { Provider } from '@modelport/core'
import type { Fetch } from '@modelport/driver'
import { createAnthropic } from '@modelport/provider-anthropic'
import { createGoogle } from '@modelport/provider-google'
import { createOpenAI } from '@modelport/provider-openai'

/** A vendor whose model thinks, calls a tool, and then speaks; the doubles look at each request. */
export interface Vendor {
  readonly name: string
  /** What of the first reply has to go back as it came. */
  readonly signature: string
  create(fetch: Fetch): Provider
  /** The replies, whole or as a stream. */
  reply(index: number, stream: boolean): Response
}

const apiKey = 'ai-sdk-key-0123456789'
const sse = (events: readonly object[]): Response =>
  new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''), {
    headers: { 'content-type': 'text/event-stream' },
  })

const blocks = [
  [
    { type: 'thinking', thinking: 'I must look.', signature: 'sig-thinking' },
    { type: 'redacted_thinking', data: 'hidden' },
    { type: 'text', text: 'Let me look.' },
    { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Rome' } },
  ],
  [{ type: 'text', text: 'Warm.' }],
]
const usage = { input_tokens: 9, output_tokens: 5, cache_read_input_tokens: 4 }
const anthropicEvents = (index: number): object[] => [
  { type: 'message_start', message: { id: 'msg_1', model: 'claude-opus-5', content: [], usage } },
  ...(blocks[index] ?? []).flatMap((block, at): object[] => {
    const { thinking, signature, text, input } = block as Record<string, unknown>
    const start = {
      ...block,
      ...(thinking !== undefined && { thinking: '', signature: '' }),
      ...(text !== undefined && { text: '' }),
      ...(input !== undefined && { input: {} }),
    }
    const deltas = [
      ...(thinking === undefined
        ? []
        : [
            { type: 'thinking_delta', thinking },
            { type: 'signature_delta', signature },
          ]),
      ...(text === undefined ? [] : [{ type: 'text_delta', text }]),
      ...(input === undefined
        ? []
        : [{ type: 'input_json_delta', partial_json: '{"city": "Rome"}' }]),
    ]
    return [
      { type: 'content_block_start', index: at, content_block: start },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index: at, delta })),
      { type: 'content_block_stop', index: at },
    ]
  }),
  { type: 'message_delta', delta: { stop_reason: index ? 'end_turn' : 'tool_use' }, usage },
  { type: 'message_stop' },
]

const items = [
  [
    {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'Hm.' }],
      encrypted_content: 'gAAAA-secret',
    },
    {
      type: 'function_call',
      id: 'fc_1',
      call_id: 'call_1',
      name: 'weather',
      arguments: '{"city": "Rome"}',
      status: 'completed',
    },
  ],
  [
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Warm.', annotations: [] }],
    },
  ],
]
const responseOf = (index: number): object => ({
  id: `resp_${index}`,
  object: 'response',
  status: 'completed',
  model: 'gpt-5.4-2026-03-05',
  output: items[index],
  usage: { input_tokens: 9, output_tokens: 5, total_tokens: 14 },
})
const responsesEvents = (index: number): object[] => [
  {
    type: 'response.created',
    response: { ...responseOf(index), status: 'in_progress', output: [] },
  },
  ...(items[index] ?? []).map((item, output_index) => ({
    type: 'response.output_item.done',
    output_index,
    item,
  })),
  { type: 'response.completed', response: responseOf(index) },
]

const parts = [
  [
    { text: 'Hm.', thought: true },
    { text: 'Let me look.' },
    {
      functionCall: { id: 'call_1', name: 'weather', args: { city: 'Rome' } },
      thoughtSignature: 'sig-of-the-call',
    },
  ],
  [{ text: 'Warm.' }],
]
const geminiBody = (index: number): object => ({
  responseId: `r_${index}`,
  modelVersion: 'gemini-3-flash',
  candidates: [{ content: { role: 'model', parts: parts[index] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 5, totalTokenCount: 14 },
})

export const vendors: readonly Vendor[] = [
  {
    name: 'anthropic',
    signature: 'sig-thinking',
    create: (fetch) => createAnthropic({ model: 'claude-opus-5', apiKey, fetch }),
    reply: (index, stream) =>
      stream
        ? sse(anthropicEvents(index))
        : Response.json({
            id: 'msg_1',
            type: 'message',
            model: 'claude-opus-5',
            content: blocks[index],
            stop_reason: index ? 'end_turn' : 'tool_use',
            usage,
          }),
  },
  {
    name: 'openai responses',
    signature: 'gAAAA-secret',
    create: (fetch) => createOpenAI({ model: 'gpt-5.4', apiKey, fetch }),
    reply: (index, stream) =>
      stream ? sse(responsesEvents(index)) : Response.json(responseOf(index)),
  },
  {
    name: 'google',
    signature: 'sig-of-the-call',
    create: (fetch) => createGoogle({ model: 'gemini-3-flash-preview', apiKey, fetch }),
    reply: (index, stream) =>
      stream ? sse([geminiBody(index)]) : Response.json(geminiBody(index)),
  },
]

/** A provider of the vendor, with what it sends. */
export function connect(vendor: Vendor): {
  readonly provider: Provider
  readonly bodies: Record<string, unknown>[]
} {
  const bodies: Record<string, unknown>[] = []
  const fetch: Fetch = async (input, init) => {
    const body = JSON.parse(init?.body as string) as Record<string, unknown>
    const url = input instanceof Request ? input.url : String(input)
    return vendor.reply(bodies.push(body) - 1, body['stream'] === true || url.includes('stream'))
  }
  return { provider: vendor.create(fetch), bodies }
}
