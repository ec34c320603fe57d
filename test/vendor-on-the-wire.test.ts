import type { CallOptions, ChatMessage, JsonObject, Provider } from '@modelport/core'
import type { Fetch } from '@modelport/driver'
import { createAnthropic } from '@modelport/provider-anthropic'
import { createBedrock } from '@modelport/provider-bedrock'
import { createGoogle } from '@modelport/provider-google'
import { createOllama } from '@modelport/provider-ollama'
import { createOpenAI } from '@modelport/provider-openai'
import { expect, test } from 'vitest'

const apiKey = 'sk-test-0123456789'
const chat = {
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
}
const apis = {
  anthropic: {
    make: (fetch: Fetch) => createAnthropic({ model: 'claude-sonnet-4-6', apiKey, fetch }),
    reply: {
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: 'Hi' }],
      stop_reason: 'end_turn',
    },
  },
  bedrock: {
    make: (fetch: Fetch) =>
      createBedrock({
        model: 'us.anthropic.claude-sonnet-4-6',
        region: 'us-east-1',
        apiKey,
        fetch,
      }),
    reply: {
      output: { message: { role: 'assistant', content: [{ text: 'Hi' }] } },
      stopReason: 'end_turn',
    },
  },
  responses: {
    make: (fetch: Fetch) => createOpenAI({ model: 'gpt-5.4', apiKey, fetch }),
    reply: {
      object: 'response',
      status: 'completed',
      output: [
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] },
      ],
    },
  },
  chat: {
    make: (fetch: Fetch) => createOpenAI({ model: 'gpt-5.4', apiKey, api: 'chat', fetch }),
    reply: chat,
  },
  google: {
    make: (fetch: Fetch) => createGoogle({ model: 'gemini-3-flash-preview', apiKey, fetch }),
    reply: {
      candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
    },
  },
  ollama: {
    make: (fetch: Fetch) => createOllama({ model: 'm', fetch }),
    reply: {
      model: 'm',
      message: { role: 'assistant', content: 'Hi' },
      done: true,
      done_reason: 'stop',
    },
  },
}
type Api = keyof typeof apis

async function send(api: Api, messages: readonly ChatMessage[], options: CallOptions) {
  const bodies: JsonObject[] = []
  const { make, reply } = apis[api]
  const provider: Provider = make(async (_, init) => {
    bodies.push(JSON.parse(await new Response(init?.body ?? null).text()) as JsonObject)
    return Response.json(reply)
  })
  const { text, warnings = [] } = await provider.generate(messages, options)
  expect(text).toBe('Hi')
  return { body: bodies[0], warnings: warnings.filter((text) => text.startsWith('vendor')) }
}

const schema = {
  type: 'object',
  properties: { n: { type: 'number' } },
  required: ['n'],
  additionalProperties: false,
}
const format: CallOptions = { responseFormat: { type: 'json-schema', name: 'n', schema } }
const user: readonly ChatMessage[] = [{ role: 'user', content: 'x' }]

test.each<[Api, CallOptions, object]>([
  [
    'responses',
    { ...format, vendor: { text: { verbosity: 'low' } } },
    { text: { verbosity: 'low', format: { schema } } },
  ],
  [
    'responses',
    { reasoning: 'high', vendor: { reasoning: { summary: 'auto' } } },
    { reasoning: { effort: 'high', summary: 'auto' } },
  ],
  ['responses', { vendor: { store: true } }, { store: true }],
  [
    'anthropic',
    { ...format, vendor: { output_config: { effort: 'max' } } },
    { output_config: { effort: 'max', format: { schema } } },
  ],
  ['chat', { vendor: { audio: { voice: 'a' } } }, { audio: { voice: 'a' } }],
  [
    'bedrock',
    { maxTokens: 9, vendor: { inferenceConfig: { stopSequences: ['x'] } } },
    { inferenceConfig: { maxTokens: 9, stopSequences: ['x'] } },
  ],
  [
    'google',
    { topK: 3, vendor: { generationConfig: { candidateCount: 1 } } },
    { generationConfig: { topK: 3, candidateCount: 1 } },
  ],
  [
    'ollama',
    { topK: 3, vendor: { options: { num_ctx: 9 } } },
    { options: { top_k: 3, num_ctx: 9 } },
  ],
])(
  '%s: vendor fields stand next to those of the options, and nothing is lost',
  async (api, options, body) => {
    expect(await send(api, user, options)).toMatchObject({ body, warnings: [] })
  },
)

test.each<[Api, CallOptions, string]>([
  ['responses', { topP: 0.5, vendor: { top_p: 0.4 } }, 'vendor replaces "top_p"'],
  [
    'anthropic',
    { reasoning: 'high', vendor: { thinking: { type: 'disabled' } } },
    'vendor replaces "thinking"',
  ],
  ['chat', { ...format, vendor: { response_format: null } }, 'vendor removes "response_format"'],
  [
    'bedrock',
    { maxTokens: 9, vendor: { inferenceConfig: { maxTokens: 8 } } },
    'vendor replaces "inferenceConfig.maxTokens"',
  ],
  [
    'google',
    { topK: 3, vendor: { generationConfig: { topK: 4 } } },
    'vendor replaces "generationConfig.topK"',
  ],
  ['ollama', { topK: 3, vendor: { options: { top_k: 4 } } }, 'vendor replaces "options.top_k"'],
])(
  '%s: a field of an option that vendor fields replace is named in the warnings',
  async (api, options, warning) => {
    expect((await send(api, user, options)).warnings).toEqual([expect.stringContaining(warning)])
  },
)

const tool = { name: 't', description: 'd', vendor: { defer_loading: true } }
const marked = (text: string) => ({
  type: 'text' as const,
  text,
  vendor: { cache_control: { type: 'ephemeral' } },
})

test.each<[Api, object, object]>([
  [
    'anthropic',
    { name: 't', defer_loading: true },
    { messages: [{ content: [{ cache_control: { type: 'ephemeral' } }, {}], x: 1 }] },
  ],
  [
    'responses',
    { name: 't', defer_loading: true },
    { input: [{ content: [{ cache_control: { type: 'ephemeral' } }, {}], x: 1 }] },
  ],
  [
    'chat',
    { function: { name: 't' }, defer_loading: true },
    { messages: [{ content: [{ cache_control: { type: 'ephemeral' } }, {}], x: 1 }] },
  ],
  [
    'google',
    { functionDeclarations: [{ name: 't', defer_loading: true }] },
    { contents: [{ parts: [{ cache_control: { type: 'ephemeral' } }, {}], x: 1 }] },
  ],
])(
  '%s: vendor fields of a tool, a part and a message reach that object',
  async (api, sentTool, sentMessage) => {
    const messages: readonly ChatMessage[] = [
      { role: 'user', content: [marked('a'), { type: 'text', text: 'b' }], vendor: { x: 1 } },
    ]
    const { body, warnings } = await send(api, messages, { tools: [tool] })
    expect({ body, warnings }).toMatchObject({
      body: { ...sentMessage, tools: [sentTool] },
      warnings: [],
    })
  },
)

test('anthropic: marks of cache auto stay next to vendor fields, and a mark of the caller wins on its block', async () => {
  const { body } = await send(
    'anthropic',
    [{ role: 'user', content: [marked('a'), { type: 'text', text: 'b' }] }],
    {
      tools: [tool],
      cache: 'auto',
    },
  )
  const mark = { cache_control: { type: 'ephemeral' } }
  expect(body).toMatchObject({
    tools: [{ defer_loading: true, ...mark }],
    messages: [{ content: [mark, mark] }],
  })
  const last = {
    type: 'text' as const,
    text: 'c',
    vendor: { cache_control: { type: 'ephemeral', ttl: '1h' } },
  }
  const own = await send('anthropic', [{ role: 'user', content: [last] }], { cache: 'auto' })
  expect(own.body).toMatchObject({ messages: [{ content: [{ cache_control: { ttl: '1h' } }] }] })
})

test('ollama: vendor fields of a part, which has no object there, are refused', async () => {
  await expect(
    send('ollama', [{ role: 'user', content: [marked('a')] }], {}),
  ).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining('vendor of messages[0].content[0] has no place'),
  })
})
