import type { WireRequest } from '@modelport/conformance'
import type { AssistantMessage, CallOptions, ChatMessage, ToolDefinition } from '@modelport/core'
import { anthropicMessages } from '@modelport/test-formats'
import { describe, expect, test } from 'vitest'
import { type AnthropicConfig, createAnthropic } from '../src/index.js'

const png = 'iVBORw0KGgo='
const pdf = 'JVBERi0xLjQK'
const forecast: ToolDefinition = {
  name: 'get_forecast',
  description: 'The forecast of a city',
  parameters: {
    type: 'object',
    properties: {
      city: { $ref: '#/$defs/city' },
      units: { enum: ['metric', 'imperial'] },
      when: {
        oneOf: [
          { type: 'string', format: 'date' },
          { type: 'array', items: { type: 'integer' } },
        ],
      },
    },
    required: ['city'],
    additionalProperties: false,
    $defs: { city: { type: 'string', minLength: 1 } },
  },
  strict: true,
}
const rooms: ToolDefinition = { name: 'list_rooms', description: '' }

/** What is sent for one call, checked against the API's rules. */
async function sent(
  messages: readonly ChatMessage[],
  options: CallOptions = {},
  config: Partial<AnthropicConfig> = {},
): Promise<{
  body: Record<string, unknown>
  headers: Record<string, string>
  violations: readonly string[]
}> {
  const requests: WireRequest[] = []
  const provider = createAnthropic({
    model: 'claude-sonnet-4-5',
    apiKey: 'sk-ant-test-0123456789',
    ...config,
    fetch: async (input, init) => {
      const headers = Object.fromEntries(new Headers(init?.headers))
      requests.push({
        method: init?.method ?? 'GET',
        path: new URL(input as string).pathname,
        headers,
        body: JSON.parse(init?.body as string),
      })
      return Response.json({
        type: 'message',
        content: [{ type: 'text', text: 'ok' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 1, output_tokens: 1 },
      })
    },
  })
  await provider.generate(messages, options)
  const [request] = requests
  expect(requests.length).toBe(1)
  return {
    body: request!.body as Record<string, unknown>,
    headers: { ...request!.headers },
    violations: anthropicMessages.violations(request!),
  }
}

const user = (content: string): ChatMessage => ({ role: 'user', content })
const refused = (code: string, text: RegExp) => ({
  code,
  message: expect.stringMatching(text) as string,
})

/** The signature the conformance server would give; replayed blocks must carry exactly it. */
async function answered(): Promise<AssistantMessage> {
  const request = {
    method: 'POST',
    path: '/v1/messages',
    headers: {},
    body: { stream: false, model: 'claude-sonnet-4-5' },
  }
  const turn = {
    reasoning: ['Two cities', ', two calls.'],
    text: ['Let me look.'],
    toolCalls: [
      { id: 'toolu_1', name: 'get_forecast', arguments: { city: 'Oslo' } },
      { id: 'toolu_2', name: 'list_rooms', arguments: {} },
    ],
    finish: 'tool-calls' as const,
    usage: { inputTokens: 1, outputTokens: 1 },
  }
  const answer = anthropicMessages.respond(turn, request)
  const provider = createAnthropic({
    model: 'claude-sonnet-4-5',
    apiKey: 'sk-ant-test-0123456789',
    fetch: async () => new Response(answer.pieces.join('')),
  })
  return (await provider.generate([user('?')])).message
}

describe('a scripted conversation', () => {
  test('cache "hour" asks for marks that last an hour', async () => {
    const { body } = await sent([user('Hi')], { system: 'Be brief.', cache: 'hour' })
    const mark = { cache_control: { type: 'ephemeral', ttl: '1h' } }
    expect(body).toMatchObject({
      system: [{ text: 'Be brief.', ...mark }],
      messages: [{ content: [{ text: 'Hi', ...mark }] }],
    })
  })

  test('a scripted conversation equals its golden JSON', async () => {
    const assistant = await answered()
    const messages: ChatMessage[] = [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Compare these.' },
          { type: 'image', source: { type: 'base64', data: png, mediaType: 'image/png' } },
          { type: 'image', source: { type: 'url', url: 'https://pictures.example/a.jpg' } },
          {
            type: 'file',
            source: { type: 'base64', data: pdf, mediaType: 'application/pdf' },
            name: 'plan.pdf',
          },
          { type: 'file', source: { type: 'url', url: 'https://documents.example/b.pdf' } },
          {
            type: 'file',
            source: {
              type: 'base64',
              data: Buffer.from('Zażółć 🏭').toString('base64'),
              mediaType: 'text/markdown',
            },
          },
        ],
      },
      assistant,
      { role: 'tool', toolCallId: 'toolu_2', content: 'no house', isError: true },
      {
        role: 'tool',
        toolCallId: 'toolu_1',
        content: [
          { type: 'text', text: 'Rain' },
          { type: 'image', source: { type: 'base64', data: png, mediaType: 'image/png' } },
        ],
      },
      { role: 'system', content: 'Answer in French.' },
      user('And now?'),
    ]
    const { body, violations } = await sent(messages, {
      system: 'You plan trips.',
      tools: [forecast, rooms],
      cache: 'auto',
      reasoning: 'medium',
      maxTokens: 8000,
      parallelToolCalls: false,
      stop: ['END'],
      responseFormat: {
        type: 'json-schema',
        schema: { type: 'object', properties: {}, additionalProperties: false },
      },
    })
    const mark = { cache_control: { type: 'ephemeral' } }
    expect(body).toEqual({
      model: 'claude-sonnet-4-5',
      max_tokens: 8000,
      system: [
        { type: 'text', text: 'You plan trips.' },
        { type: 'text', text: 'Be brief.' },
        { type: 'text', text: 'Answer in French.', ...mark },
      ],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Compare these.' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
            { type: 'image', source: { type: 'url', url: 'https://pictures.example/a.jpg' } },
            {
              type: 'document',
              source: { type: 'base64', media_type: 'application/pdf', data: pdf },
              title: 'plan.pdf',
            },
            { type: 'document', source: { type: 'url', url: 'https://documents.example/b.pdf' } },
            {
              type: 'document',
              source: { type: 'text', media_type: 'text/plain', data: 'Zażółć 🏭' },
            },
          ],
        },
        {
          role: 'assistant',
          content: [
            {
              type: 'thinking',
              thinking: 'Two cities, two calls.',
              signature: expect.stringContaining('signed-by-conformance') as string,
            },
            { type: 'text', text: 'Let me look.' },
            { type: 'tool_use', id: 'toolu_1', name: 'get_forecast', input: { city: 'Oslo' } },
            { type: 'tool_use', id: 'toolu_2', name: 'list_rooms', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'toolu_1',
              content: [
                { type: 'text', text: 'Rain' },
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
              ],
            },
            { type: 'tool_result', tool_use_id: 'toolu_2', content: 'no house', is_error: true },
            { type: 'text', text: 'And now?', ...mark },
          ],
        },
      ],
      tools: [
        {
          name: 'get_forecast',
          description: 'The forecast of a city',
          // What a strict tool cannot have is said in words.
          input_schema: {
            ...forecast.parameters,
            properties: {
              city: { $ref: '#/$defs/city' },
              units: { enum: ['metric', 'imperial'] },
              when: {
                anyOf: [
                  { type: 'string', format: 'date' },
                  { type: 'array', items: { type: 'integer' } },
                ],
              },
            },
            $defs: { city: { type: 'string', description: '{minLength: 1}' } },
          },
          strict: true,
        },
        { name: 'list_rooms', input_schema: { type: 'object', properties: {} }, ...mark },
      ],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      thinking: { type: 'enabled', budget_tokens: 4000 },
      output_config: {
        format: {
          type: 'json_schema',
          schema: { type: 'object', properties: {}, additionalProperties: false },
        },
      },
      stop_sequences: ['END'],
    })
    expect(violations).toEqual([])
  })

  test('a request has the largest length of a reply, or the values that a caller sets', async () => {
    expect((await sent([user('Hi')])).body).toEqual({
      model: 'claude-sonnet-4-5',
      max_tokens: 64_000,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
    })
    expect((await sent([user('Hi')], { temperature: 0, topK: 3 })).body).toMatchObject({
      temperature: 0,
      top_k: 3,
    })
    expect((await sent([user('Hi')], { topP: 0.5 })).body).not.toHaveProperty('temperature')
    expect(
      (await sent([user('Hi')], { vendor: { service_tier: 'auto', max_tokens: 7 } })).body,
    ).toMatchObject({
      service_tier: 'auto',
      max_tokens: 7,
    })
  })

  test.each([
    ['claude-3-5-haiku-20241022', 8192],
    ['claude-opus-4-1', 32_000],
    ['claude-haiku-4-5-20251001', 64_000],
    ['claude-opus-4-6', 128_000],
    ['claude-fable-5-2', 128_000],
    ['claude-of-tomorrow', 32_000],
  ])('%s is asked for %i tokens where nobody sets a limit', async (model, tokens) => {
    for (const maxTokens of [undefined, null])
      expect((await sent([user('Hi')], { maxTokens }, { model })).body).toMatchObject({
        max_tokens: tokens,
      })
    const more = { model, traits: { maxOutput: 99_000 } }
    expect((await sent([user('Hi')], {}, more)).body).toMatchObject({ max_tokens: 99_000 })
  })

  test('a request has the beta headers of the configuration and of a call; other headers win', async () => {
    const config = { betas: ['a-1'], headers: { 'X-Team': 'blue' } }
    const { body, headers } = await sent(
      [user('Hi')],
      { vendor: { betas: ['b-2', 'a-1'], headers: { 'x-trace': '7' } } },
      config,
    )
    expect(headers).toMatchObject({
      'anthropic-beta': 'a-1,b-2',
      'x-team': 'blue',
      'x-trace': '7',
      'x-api-key': 'sk-ant-test-0123456789',
      'anthropic-version': '2023-06-01',
    })
    expect(headers).not.toHaveProperty('authorization')
    expect(Object.keys(body)).not.toContain('betas')
    expect(
      (await sent([user('Hi')], {}, { apiKey: undefined, authToken: 'token-0123456789' })).headers,
    ).toMatchObject({
      authorization: 'Bearer token-0123456789',
    })
  })

  test.each([
    ['http://gate.test', '/v1/messages'],
    ['http://gate.test/', '/v1/messages'],
    ['http://gate.test/v1', '/v1/messages'],
    ['http://gate.test/anthropic/v1/?x=1', '/anthropic/v1/messages'],
  ])('the base URL %s leads to the path of the API', async (baseUrl, path) => {
    let asked = ''
    const fetch = async (input: unknown): Promise<Response> => {
      asked = input as string
      return Response.json({ type: 'message', content: [], stop_reason: 'end_turn' })
    }
    await createAnthropic({ model: 'm', baseUrl, fetch }).complete('Hi')
    expect(asked).toBe(`http://gate.test${path}`)
  })
})

describe('thinking', () => {
  const last = [user('Hi')]
  test.each<[string, CallOptions, object]>([
    [
      'claude-sonnet-4-5',
      { reasoning: 'low', maxTokens: 4096 },
      { thinking: { type: 'enabled', budget_tokens: 1024 } },
    ],
    [
      'claude-haiku-4-5-20251001',
      { reasoning: 'high', maxTokens: 64000 },
      { thinking: { type: 'enabled', budget_tokens: 24576 } },
    ],
    [
      'claude-opus-4-6',
      { reasoning: 'high' },
      { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
    ],
    [
      'claude-opus-5-5',
      { reasoning: 'low' },
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'low' } },
    ],
    ['claude-sonnet-5-5', { reasoning: 'none' }, { thinking: { type: 'between_tools' } }],
    ['claude-sonnet-5', { reasoning: 'none' }, { thinking: { type: 'disabled' } }],
    [
      'anthropic/claude-opus-4-7',
      { reasoning: 'medium' },
      {
        thinking: { type: 'adaptive', display: 'summarized' },
        output_config: { effort: 'medium' },
      },
    ],
  ])('%s %j', async (model, options, expected) => {
    const { body, violations } = await sent(last, options, { model })
    expect(body).toMatchObject(expected)
    expect(body).not.toHaveProperty('temperature')
    expect(violations).toEqual([])
  })

  test('off sends no field if the model does not think by default', async () => {
    expect((await sent(last, { reasoning: 'none' })).body).not.toHaveProperty('thinking')
  })

  test.each<[string, CallOptions, string, RegExp]>([
    ['claude-3-5-haiku-latest', { reasoning: 'low' }, 'unsupported', /cannot think/],
    ['claude-opus-5-5', { reasoning: 'none' }, 'unsupported', /always thinks/],
    ['claude-sonnet-4-5', { reasoning: 'low', maxTokens: 1024 }, 'config', /maxTokens/],
    ['claude-sonnet-4-5', { reasoning: 'low', temperature: 0.2 }, 'unsupported', /temperature/],
    ['claude-sonnet-4-5', { reasoning: 'low', topK: 2 }, 'unsupported', /topK/],
    [
      'claude-sonnet-4-5',
      { reasoning: 'low', toolChoice: 'required', tools: [rooms] },
      'unsupported',
      /forced/,
    ],
    [
      'claude-opus-5-5',
      { toolChoice: { name: 'list_rooms' }, tools: [rooms] },
      'unsupported',
      /forced/,
    ],
    ['claude-opus-5', { temperature: 0 }, 'unsupported', /temperature/],
    ['claude-sonnet-4-5', { temperature: 1.5 }, 'config', /between 0 and 1/],
    ['claude-sonnet-4-5', { seed: 1 }, 'unsupported', /seed/],
    ['claude-sonnet-4-5', { topLogprobs: 2 }, 'unsupported', /topLogprobs/],
    ['claude-sonnet-4-5', { responseFormat: { type: 'json' } }, 'unsupported', /json-schema/],
    ['claude-sonnet-4-5', { stop: ['\n'] }, 'unsupported', /stop/],
    ['claude-sonnet-4-5', { toolChoice: 'required' }, 'config', /no tools/],
  ])('%s %j is refused before any request', async (model, options, code, text) => {
    await expect(sent(last, options, { model })).rejects.toMatchObject(refused(code, text))
  })

  test('version 2026-10-21 takes no sampling options, and the default is not sent', async () => {
    const config = { apiVersion: '2026-10-21' }
    const { body, headers, violations } = await sent(last, {}, config)
    expect(body).not.toHaveProperty('temperature')
    expect(headers['anthropic-version']).toBe('2026-10-21')
    expect(violations).toEqual([])
    await expect(sent(last, { topP: 0.5 }, config)).rejects.toMatchObject(
      refused('unsupported', /topP/),
    )
  })
})

test('a schema with bounds is sent as the API can hold a model to it, with what it cannot hold in words', async () => {
  const { body } = await sent([user('Hi')], {
    responseFormat: {
      type: 'json-schema',
      schema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: {
          age: { type: 'integer', minimum: 0, maximum: 150, description: 'In years' },
          mail: { type: 'string', format: 'email', pattern: '^(?!\\.).+@.+$' },
          tags: {
            type: 'array',
            items: { type: 'string', minLength: 1 },
            minItems: 1,
            maxItems: 3,
          },
          place: {
            oneOf: [{ type: 'object', properties: { lat: { type: 'number' } } }, { type: 'null' }],
          },
        },
        required: ['age'],
      },
    },
  })
  expect(body['output_config']).toEqual({
    format: {
      type: 'json_schema',
      schema: {
        type: 'object',
        properties: {
          age: { type: 'integer', description: 'In years\n\n{minimum: 0, maximum: 150}' },
          mail: { type: 'string', format: 'email', description: '{pattern: "^(?!\\\\.).+@.+$"}' },
          tags: {
            type: 'array',
            items: { type: 'string', description: '{minLength: 1}' },
            minItems: 1,
            description: '{maxItems: 3}',
          },
          place: {
            anyOf: [
              {
                type: 'object',
                properties: { lat: { type: 'number' } },
                additionalProperties: false,
              },
              { type: 'null' },
            ],
          },
        },
        required: ['age'],
        additionalProperties: false,
      },
    },
  })
})

describe('histories', () => {
  const call = {
    id: 'call|ünïcode/'.padEnd(90, 'x'),
    name: 'list_rooms',
    arguments: {},
    argumentsText: '{}',
  }
  const foreign: AssistantMessage = {
    role: 'assistant',
    content: 'One moment.',
    reasoning: 'secret',
    toolCalls: [call],
    origin: {
      provider: 'other',
      model: 'm',
      state: [{ type: 'thinking', thinking: 'x', signature: 'y' }],
    },
  }
  const result: ChatMessage = { role: 'tool', toolCallId: call.id, content: '' }

  test('a tool turn of another provider continues: ids fit, reasoning is left out, and a budget of thinking waits for the next turn', async () => {
    const { body, violations } = await sent([user('Hi'), foreign, result], {
      reasoning: 'high',
      tools: [rooms],
    })
    const [, assistant, results] = body['messages'] as { content: Record<string, unknown>[] }[]
    expect(assistant!.content.map(({ type }) => type)).toEqual(['text', 'tool_use'])
    expect(results!.content).toEqual([
      { type: 'tool_result', tool_use_id: assistant!.content[1]!['id'] },
    ])
    expect(body).not.toHaveProperty('thinking')
    expect(violations).toEqual([])
  })

  test('a warning says that thinking was left out', async () => {
    const fetch = async (): Promise<Response> =>
      Response.json({ type: 'message', content: [], stop_reason: 'end_turn' })
    const provider = createAnthropic({
      model: 'claude-sonnet-4-5',
      apiKey: 'sk-ant-test-0123456789',
      fetch,
    })
    const { warnings } = await provider.generate([user('Hi'), foreign, result], {
      reasoning: 'high',
      tools: [rooms],
    })
    expect(warnings).toEqual([expect.stringContaining('reasoning was left out')])
  })

  test('a message that was changed loses its whole state', async () => {
    const own = await answered()
    const changed: AssistantMessage = { ...own, content: 'Something else.' }
    const answers: ChatMessage[] = own.toolCalls!.map(({ id }) => ({
      role: 'tool',
      toolCallId: id,
      content: 'x',
    }))
    const { body } = await sent([user('Hi'), changed, ...answers], { tools: [forecast, rooms] })
    expect(JSON.stringify(body)).not.toContain('signature')
    expect(JSON.stringify(body)).toContain('Something else.')
  })

  test('consecutive messages are merged, empty ones are dropped, and a prefill ends without white space', async () => {
    const { body, violations } = await sent([
      user('a'),
      { role: 'assistant', content: '' },
      user('b'),
      user(' '),
      { role: 'assistant', content: 'The answer is ' },
    ])
    expect(body['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'The answer is' }] },
    ])
    expect(violations).toEqual([])
    const blank = await sent([
      user('a'),
      { role: 'assistant', content: 'The answer is ' },
      user(' '),
    ])
    expect(blank.body['messages']).toMatchObject([{}, { content: [{ text: 'The answer is' }] }])
  })

  test('a system message within the conversation stays in place if the model accepts it, and otherwise joins the others', async () => {
    const messages: ChatMessage[] = [
      user('a'),
      { role: 'system', content: 'Now in French.' },
      { role: 'assistant', content: 'Oui.' },
      { role: 'system', content: 'Stop.' },
      user('b'),
    ]
    const within = await sent(messages, {}, { model: 'claude-opus-5' })
    expect((within.body['messages'] as { role: string }[]).map(({ role }) => role)).toEqual([
      'user',
      'system',
      'assistant',
      'user',
    ])
    expect(within.body['system']).toEqual([{ type: 'text', text: 'Stop.' }])
    const hoisted = await sent(messages)
    expect(hoisted.body['system']).toEqual([
      { type: 'text', text: 'Now in French.' },
      { type: 'text', text: 'Stop.' },
    ])
    expect([...within.violations, ...hoisted.violations]).toEqual([])
  })

  test('arguments that are not JSON go back wrapped', async () => {
    const broken: AssistantMessage = {
      role: 'assistant',
      content: '',
      toolCalls: [{ ...call, argumentsText: '{"a":', error: 'not JSON' }],
    }
    const { body, violations } = await sent(
      [user('Hi'), broken, { ...result, content: 'invalid', isError: true }],
      {
        tools: [rooms],
      },
    )
    expect(JSON.stringify(body)).toContain(JSON.stringify({ INVALID_JSON: '{"a":' }))
    expect(violations).toEqual([])
  })

  test.each<[string, ChatMessage[], string, RegExp]>([
    [
      'audio',
      [
        {
          role: 'user',
          content: [
            { type: 'audio', source: { type: 'base64', data: 'AAAA', mediaType: 'audio/wav' } },
          ],
        },
      ],
      'unsupported',
      /messages\[0\]\.content\[0\].*audio/,
    ],
    [
      'a picture of another type',
      [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', data: 'AAAA', mediaType: 'image/tiff' } },
          ],
        },
      ],
      'unsupported',
      /image\/tiff/,
    ],
    [
      'a document of another type',
      [
        {
          role: 'user',
          content: [
            {
              type: 'file',
              source: { type: 'base64', data: 'AAAA', mediaType: 'application/zip' },
            },
          ],
        },
      ],
      'unsupported',
      /application\/zip/,
    ],
    [
      'text that is not UTF-8',
      [
        {
          role: 'user',
          content: [
            { type: 'file', source: { type: 'base64', data: '/w==', mediaType: 'text/plain' } },
          ],
        },
      ],
      'invalid-request',
      /UTF-8/,
    ],
    [
      'a picture said by the model',
      [
        user('a'),
        {
          role: 'assistant',
          content: [{ type: 'image', source: { type: 'url', url: 'https://a.test/b' } }],
        },
        user('b'),
      ],
      'unsupported',
      /assistant/,
    ],
  ])('%s is refused', async (_, messages, code, text) => {
    await expect(sent(messages)).rejects.toMatchObject(refused(code, text))
  })

  test('a conversation that begins with a reply, as one does that was made shorter, gets a user message before it', async () => {
    const { body } = await sent([{ role: 'assistant', content: 'Hello' }, user('b')])
    expect(body['messages']).toMatchObject([
      {
        role: 'user',
        content: [{ type: 'text', text: '[The conversation begins with a reply.]' }],
      },
      { role: 'assistant' },
      { role: 'user' },
    ])
  })

  test('a conversation with calls is sent without tools by defining the called ones and choosing none', async () => {
    const call = { id: 'c1', name: 'list_rooms', arguments: {}, argumentsText: '{}' }
    const conversation: ChatMessage[] = [
      user('Which rooms?'),
      { role: 'assistant', content: '', toolCalls: [call, { ...call, id: 'c2' }] },
      { role: 'tool', toolCallId: 'c1', content: 'Two.' },
      { role: 'tool', toolCallId: 'c2', content: 'Two.' },
    ]
    const { body, violations } = await sent(conversation)
    expect([body['tools'], body['tool_choice'], violations]).toEqual([
      [{ name: 'list_rooms', input_schema: { type: 'object' } }],
      { type: 'none' },
      [],
    ])
    const other = await sent(conversation, { tools: [forecast] })
    expect(other.body['tools']).toMatchObject([{ name: 'get_forecast' }])
    expect(other.body['tool_choice']).toBeUndefined()
    expect((await sent([user('Hi')])).body['tools']).toBeUndefined()
  })
})
