import type { Provider } from '@modelport/core'
import { createAnthropic } from '@modelport/provider-anthropic'
import { createGoogle } from '@modelport/provider-google'
import { createOllama } from '@modelport/provider-ollama'
import { createOpenAI } from '@modelport/provider-openai'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'

/** A public API with a stream written from its documentation, not from a decoder. */
export interface Dialect {
  readonly name: string
  readonly type: 'text/event-stream' | 'application/x-ndjson'
  create(baseUrl: string, apiKey: string, fetch?: typeof globalThis.fetch): Provider
  /** A whole stream with text and one tool call. */
  readonly stream: string
  /** A stream with this many tool calls. */
  calls(count: number): string
  /** An error body with this message. */
  error(message: string): string
}

const sse = (records: readonly unknown[], last = ''): string =>
  records.map((record) => `data: ${JSON.stringify(record)}\n\n`).join('') + last
const named = (records: readonly { readonly type: string }[]): string =>
  records.map((record) => `event: ${record.type}\ndata: ${JSON.stringify(record)}\n\n`).join('')
const indexes = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

const chatCall = (index: number) => ({
  choices: [
    {
      index: 0,
      delta: {
        tool_calls: [
          {
            index,
            id: `call_${index}`,
            type: 'function',
            function: { name: 'get_weather', arguments: '{"city":"Oslo"}' },
          },
        ],
      },
    },
  ],
})
const chatEnd = { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }
const chatText = {
  choices: [{ index: 0, delta: { role: 'assistant', content: 'Hello, wörld 👩‍🚀' } }],
}
const chat = {
  type: 'text/event-stream' as const,
  stream: sse([chatText, chatCall(0), chatEnd], 'data: [DONE]\n\n'),
  calls: (count: number) => sse([...indexes(count).map(chatCall), chatEnd], 'data: [DONE]\n\n'),
  error: (message: string) =>
    JSON.stringify({ error: { message, type: 'invalid_request_error', code: null } }),
}

const claudeCall = (index: number) => [
  {
    type: 'content_block_start',
    index,
    content_block: { type: 'tool_use', id: `toolu_${index}`, name: 'get_weather', input: {} },
  },
  {
    type: 'content_block_delta',
    index,
    delta: { type: 'input_json_delta', partial_json: '{"city":"Oslo"}' },
  },
  { type: 'content_block_stop', index },
]
const claudeStart = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    usage: { input_tokens: 3, output_tokens: 1 },
  },
}
const claudeEnd = [
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
  { type: 'message_stop' },
]
const claudeText = [
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  {
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text: 'Hello, wörld 👩‍🚀' },
  },
  { type: 'content_block_stop', index: 0 },
]

const item = (index: number) => ({
  type: 'function_call',
  id: `fc_${index}`,
  call_id: `call_${index}`,
  name: 'get_weather',
  arguments: '{"city":"Oslo"}',
  status: 'completed',
})
const responses = (items: readonly object[]): string =>
  named([
    { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } } as {
      type: string
    },
    ...items.flatMap((one, index) => [
      { type: 'response.output_item.added', output_index: index, item: { ...one, arguments: '' } },
      { type: 'response.output_item.done', output_index: index, item: one },
    ]),
    {
      type: 'response.completed',
      response: {
        id: 'resp_1',
        status: 'completed',
        output: items,
        usage: { input_tokens: 3, output_tokens: 9, total_tokens: 12 },
      },
    } as { type: string },
  ])

const part = { functionCall: { name: 'get_weather', args: { city: 'Oslo' } } }
const gemini = (parts: readonly object[]): string =>
  sse([
    { candidates: [{ index: 0, content: { role: 'model', parts } }] },
    {
      candidates: [{ index: 0, content: { role: 'model', parts: [] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 9, totalTokenCount: 12 },
    },
  ])

const line = (record: unknown): string => `${JSON.stringify(record)}\n`
const ollama = (calls: readonly object[]): string =>
  line({ model: 'm', message: { role: 'assistant', content: 'Hello, wörld 👩‍🚀' }, done: false }) +
  calls
    .map((call) =>
      line({
        model: 'm',
        message: { role: 'assistant', content: '', tool_calls: [call] },
        done: false,
      }),
    )
    .join('') +
  line({
    model: 'm',
    message: { role: 'assistant', content: '' },
    done: true,
    done_reason: 'stop',
    prompt_eval_count: 3,
    eval_count: 9,
  })
const ollamaCall = { function: { name: 'get_weather', arguments: { city: 'Oslo' } } }

/** Every API that modelport speaks. */
export const dialects: readonly Dialect[] = [
  {
    name: 'chat completions',
    ...chat,
    create: (baseUrl, apiKey, fetch) =>
      createOpenAICompatible({
        model: 'm',
        apiKey,
        baseUrl: `${baseUrl}/v1`,
        ...(fetch && { fetch }),
      }),
  },
  {
    name: 'openai chat',
    ...chat,
    create: (baseUrl, apiKey, fetch) =>
      createOpenAI({
        model: 'gpt-4.1',
        api: 'chat',
        apiKey,
        baseUrl: `${baseUrl}/v1`,
        ...(fetch && { fetch }),
      }),
  },
  {
    name: 'responses',
    type: 'text/event-stream',
    create: (baseUrl, apiKey, fetch) =>
      createOpenAI({
        model: 'gpt-5.4',
        api: 'responses',
        apiKey,
        baseUrl: `${baseUrl}/v1`,
        ...(fetch && { fetch }),
      }),
    stream: responses([
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Hello, wörld 👩‍🚀', annotations: [] }],
      },
      item(1),
    ]),
    calls: (count) => responses(indexes(count).map(item)),
    error: chat.error,
  },
  {
    name: 'messages',
    type: 'text/event-stream',
    create: (baseUrl, apiKey, fetch) =>
      createAnthropic({ model: 'claude-sonnet-4-5', apiKey, baseUrl, ...(fetch && { fetch }) }),
    stream: named([claudeStart, ...claudeText, ...claudeCall(1), ...claudeEnd]),
    calls: (count) => named([claudeStart, ...indexes(count).flatMap(claudeCall), ...claudeEnd]),
    error: (message) =>
      JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } }),
  },
  {
    name: 'gemini',
    type: 'text/event-stream',
    create: (baseUrl, apiKey, fetch) =>
      createGoogle({ model: 'gemini-3-flash-preview', apiKey, baseUrl, ...(fetch && { fetch }) }),
    stream: gemini([{ text: 'Hello, wörld 👩‍🚀' }, part]),
    calls: (count) => gemini(indexes(count).map(() => part)),
    error: (message) =>
      JSON.stringify({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }),
  },
  {
    name: 'ollama',
    type: 'application/x-ndjson',
    create: (baseUrl, apiKey, fetch) =>
      createOllama({ model: 'm', apiKey, baseUrl, ...(fetch && { fetch }) }),
    stream: ollama([ollamaCall]),
    calls: (count) => ollama(indexes(count).map(() => ollamaCall)),
    error: (message) => JSON.stringify({ error: message }),
  },
]
