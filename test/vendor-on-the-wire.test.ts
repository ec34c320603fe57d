import { createMemoryServer, type ScriptTurn, toReply, VirtualClock } from '@modelport/conformance'
import type { CallOptions, ChatMessage, JsonObject } from '@modelport/core'
import { expect, test } from 'vitest'
import { apiNamed } from './providers.js'

const turn: ScriptTurn = {
  text: ['Hi'],
  finish: 'stop',
  usage: { inputTokens: 3, outputTokens: 1 },
}

/** What a call sends to an API, and the warnings about its vendor fields. */
async function send(api: string, messages: readonly ChatMessage[], options: CallOptions) {
  const { format, create } = apiNamed(api)
  const server = createMemoryServer(
    () => (request) => toReply(format.respond(turn, request)),
    new VirtualClock(),
  )
  const { text, warnings = [] } = await create({ fetch: server.fetch }).generate(messages, options)
  expect(text).toBe('Hi')
  return {
    body: server.requests[0]?.body as JsonObject,
    warnings: warnings.filter((text) => text.startsWith('vendor')),
  }
}

const schema = {
  type: 'object',
  properties: { n: { type: 'number' } },
  required: ['n'],
  additionalProperties: false,
}
const format: CallOptions = { responseFormat: { type: 'json-schema', name: 'n', schema } }
const user: readonly ChatMessage[] = [{ role: 'user', content: 'x' }]

test.each<[string, CallOptions, object]>([
  [
    'openai responses',
    { ...format, vendor: { text: { verbosity: 'low' } } },
    { text: { verbosity: 'low', format: { schema } } },
  ],
  [
    'openai responses',
    { reasoning: 'high', vendor: { reasoning: { summary: 'auto' } } },
    { reasoning: { effort: 'high', summary: 'auto' } },
  ],
  ['openai responses', { vendor: { store: true } }, { store: true }],
  [
    'anthropic',
    { ...format, vendor: { output_config: { effort: 'max' } } },
    { output_config: { effort: 'max', format: { schema } } },
  ],
  ['openai chat', { vendor: { audio: { voice: 'a' } } }, { audio: { voice: 'a' } }],
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

test.each<[string, CallOptions, string]>([
  ['openai responses', { topP: 0.5, vendor: { top_p: 0.4 } }, 'vendor replaces "top_p"'],
  [
    'anthropic',
    { reasoning: 'high', vendor: { thinking: { type: 'disabled' } } },
    'vendor replaces "thinking"',
  ],
  [
    'openai chat',
    { ...format, vendor: { response_format: null } },
    'vendor removes "response_format"',
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

test.each<[string, object, object]>([
  [
    'anthropic',
    { name: 't', defer_loading: true },
    { messages: [{ content: [{ cache_control: { type: 'ephemeral' } }, {}], x: 1 }] },
  ],
  [
    'openai responses',
    { name: 't', defer_loading: true },
    { input: [{ content: [{ cache_control: { type: 'ephemeral' } }, {}], x: 1 }] },
  ],
  [
    'openai chat',
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
