import { openaiChat } from '@modelport/conformance'
import type { CallOptions, ChatMessage, ToolDefinition } from '@modelport/core'
import { openaiResponses } from '@modelport/test-formats'
import { describe, expect, test } from 'vitest'
import { createOpenAI, type OpenAIConfig } from '../src/index.js'
import { completion, message, recordingFetch, response, type Sent } from './support.js'

/** A schema that may be strict. */
const closed = { type: 'object', properties: {}, required: [], additionalProperties: false }

const png = { type: 'base64', data: 'iVBORw0KGgo=', mediaType: 'image/png' } as const
const tool: ToolDefinition = {
  name: 'get_weather',
  description: 'Weather of a city',
  strict: true,
  parameters: {
    $defs: { City: { type: 'string' } },
    type: 'object',
    properties: { city: { $ref: '#/$defs/City' } },
    required: ['city'],
    additionalProperties: false,
  },
}
const conversation: readonly ChatMessage[] = [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What is it?' },
      { type: 'image', source: png, detail: 'low' },
    ],
  },
  {
    role: 'assistant',
    content: 'Let me look.',
    reasoning: 'Hidden.',
    origin: { provider: 'anthropic', model: 'm', state: { signature: 's' } },
    toolCalls: [
      {
        id: 'toolu_1',
        name: 'get_weather',
        arguments: { city: 'Oslo' },
        argumentsText: '{"city": "Oslo"}',
      },
      {
        id: 'toolu_2',
        name: 'get_weather',
        arguments: {},
        argumentsText: '',
        error: undefined as never,
      },
    ],
  },
  { role: 'tool', toolCallId: 'toolu_1', content: 'Cold.' },
  { role: 'tool', toolCallId: 'toolu_2', content: 'no city', isError: true },
  { role: 'system', content: 'Be kind.' },
  { role: 'user', content: 'And now?' },
]
const options: CallOptions = {
  system: 'You are terse.',
  maxTokens: 64,
  temperature: 0,
  topP: 0.5,
  toolChoice: { name: 'get_weather' },
  parallelToolCalls: false,
  tools: [tool],
  responseFormat: { type: 'json-schema', name: 'answer', schema: closed, strict: true },
  reasoning: 'low',
  topLogprobs: 2,
  providerTools: [{ type: 'web_search' }],
  vendor: { truncation: 'auto', metadata: { run: '1' } },
}

async function send(
  config: Partial<OpenAIConfig>,
  messages: readonly ChatMessage[],
  ...callOptions: CallOptions[]
): Promise<Sent> {
  const { fetch, sent } = recordingFetch(
    config.api === 'chat' ? completion('Hi') : response(message('Hi')),
  )
  await createOpenAI({ apiKey: 'sk-test-0123456789', model: 'gpt-5.4', fetch, ...config }).generate(
    messages,
    ...callOptions,
  )
  expect(sent).toHaveLength(1)
  const [request] = sent as [Sent]
  const format = config.api === 'chat' ? openaiChat : openaiResponses
  const { pathname } = new URL(request.url)
  expect(
    format.violations({
      method: 'POST',
      path: pathname,
      headers: Object.fromEntries(request.headers),
      body: request.body,
    }),
  ).toEqual([])
  return request
}

describe('golden requests', () => {
  test('the Responses API gets a whole conversation with every option', async () => {
    const { url, method, body } = await send({}, conversation, options)
    expect([method, url]).toEqual(['POST', 'https://api.openai.com/v1/responses'])
    expect(body).toEqual({
      model: 'gpt-5.4',
      instructions: 'You are terse.',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'What is it?' },
            { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'low' },
          ],
        },
        { type: 'message', role: 'assistant', content: 'Let me look.' },
        {
          type: 'function_call',
          call_id: 'toolu_1',
          name: 'get_weather',
          arguments: '{"city": "Oslo"}',
        },
        { type: 'function_call', call_id: 'toolu_2', name: 'get_weather', arguments: '{}' },
        { type: 'function_call_output', call_id: 'toolu_1', output: 'Cold.' },
        { type: 'function_call_output', call_id: 'toolu_2', output: 'Error: no city' },
        { role: 'developer', content: 'Be kind.' },
        { role: 'user', content: 'And now?' },
      ],
      tools: [
        {
          type: 'function',
          name: 'get_weather',
          description: 'Weather of a city',
          parameters: tool.parameters,
          strict: true,
        },
        { type: 'web_search' },
      ],
      tool_choice: { type: 'function', name: 'get_weather' },
      parallel_tool_calls: false,
      max_output_tokens: 64,
      temperature: 0,
      top_p: 0.5,
      top_logprobs: 2,
      reasoning: { effort: 'low' },
      text: { format: { type: 'json_schema', name: 'answer', schema: closed, strict: true } },
      include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
      store: false,
      stream: false,
      truncation: 'auto',
      metadata: { run: '1' },
    })
  })

  test('Chat Completions gets a whole conversation with every option', async () => {
    const { topLogprobs: _, providerTools: _tools, vendor: _vendor, ...plain } = options
    const { url, body } = await send({ api: 'chat' }, conversation, plain, {
      stop: ['END'],
      seed: 7,
    })
    expect(url).toBe('https://api.openai.com/v1/chat/completions')
    expect(body).toEqual({
      model: 'gpt-5.4',
      messages: [
        { role: 'developer', content: 'You are terse.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            {
              type: 'image_url',
              image_url: { url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'low' },
            },
          ],
        },
        {
          role: 'assistant',
          content: 'Let me look.',
          tool_calls: [
            {
              id: 'toolu_1',
              type: 'function',
              function: { name: 'get_weather', arguments: '{"city": "Oslo"}' },
            },
            { id: 'toolu_2', type: 'function', function: { name: 'get_weather', arguments: '{}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'toolu_1', content: 'Cold.' },
        { role: 'tool', tool_call_id: 'toolu_2', content: 'Error: no city' },
        { role: 'developer', content: 'Be kind.' },
        { role: 'user', content: 'And now?' },
      ],
      max_completion_tokens: 64,
      temperature: 0,
      top_p: 0.5,
      stop: ['END'],
      seed: 7,
      tools: [
        {
          type: 'function',
          function: {
            name: 'get_weather',
            description: 'Weather of a city',
            parameters: tool.parameters,
            strict: true,
          },
        },
      ],
      tool_choice: { type: 'function', function: { name: 'get_weather' } },
      parallel_tool_calls: false,
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'answer', schema: closed, strict: true },
      },
      reasoning_effort: 'low',
    })
  })

  test('the smallest request has nothing that nobody set', async () => {
    const user = [{ role: 'user', content: 'Hi' }] as const
    expect((await send({ model: 'gpt-4.1' }, user)).body).toEqual({
      model: 'gpt-4.1',
      input: [{ role: 'user', content: 'Hi' }],
      store: false,
      stream: false,
    })
    expect((await send({ model: 'gpt-4.1', api: 'chat' }, user)).body).toEqual({
      model: 'gpt-4.1',
      messages: [{ role: 'user', content: 'Hi' }],
    })
  })
})

test.each(['responses', 'chat'] as const)(
  'a strict schema has its lengths of texts in the descriptions, %s',
  async (api) => {
    const user = [{ role: 'user', content: 'Hi' }] as const
    const text = { type: 'string', minLength: 1, maxLength: 9 }
    const schema = (name: object) => ({
      type: 'object',
      properties: { names: { type: 'array', items: name } },
      required: ['names'],
      additionalProperties: false,
    })
    const parameters = schema({ ...text, description: 'A name.' })
    const said = schema({ type: 'string', description: 'A name.\n\n{minLength: 1, maxLength: 9}' })
    const asked = async (strict: boolean) => {
      const { body } = await send({ model: 'gpt-5.4', api }, user, {
        tools: [{ name: 'greet', description: 'Greets', parameters, strict }],
        responseFormat: { type: 'json-schema', schema: parameters, strict },
      })
      return JSON.stringify(body)
    }
    for (const strict of [true, false]) {
      const body = await asked(strict)
      expect(body.split(JSON.stringify(strict ? said : parameters))).toHaveLength(3)
    }
  },
)

describe('what depends on the model', () => {
  const user = [{ role: 'user', content: 'Hi' }] as const
  const reference = { defaults: 'reference' } as const
  test.each([
    'o1',
    'o3-mini',
    'o4-mini',
    'gpt-5',
    'gpt-5.4-mini',
    'gpt-5.1-codex',
    'gpt-6-luna',
    'gpt-6.1-sol',
    'ft:gpt-5-nano:org::x',
  ])('%s gets no temperature of the reference', async (model) => {
    expect((await send({ model, ...reference }, user)).body).toMatchObject({
      include: ['reasoning.encrypted_content'],
    })
    expect((await send({ model, ...reference }, user)).body).not.toHaveProperty('temperature')
    expect((await send({ model, api: 'chat', ...reference }, user)).body).not.toHaveProperty(
      'temperature',
    )
    expect((await send({ model }, user, { temperature: 1 })).body).toHaveProperty('temperature', 1)
  })
  test.each(['gpt-4o', 'gpt-4.1-mini', 'gpt-5-chat-latest', 'my-deployment'])(
    '%s takes one, and has no encrypted reasoning',
    async (model) => {
      const { body } = await send({ model, ...reference }, user)
      expect(body).toHaveProperty('temperature', 0.7)
      expect(body).not.toHaveProperty('include')
    },
  )
  test('traits override the table, and one that is not given follows from the other', async () => {
    expect(
      (await send({ model: 'my-deployment', traits: { reasoning: true }, ...reference }, user))
        .body,
    ).not.toHaveProperty('temperature')
    expect(
      (await send({ model: 'o3', traits: { reasoning: false }, ...reference }, user)).body,
    ).toHaveProperty('temperature', 0.7)
    expect(
      (await send({ model: 'o3', traits: { takesTemperature: true }, ...reference }, user)).body,
    ).toMatchObject({
      temperature: 0.7,
      include: ['reasoning.encrypted_content'],
    })
  })
  test('another server gets max_tokens and system', async () => {
    const { url, body } = await send(
      { api: 'chat', baseUrl: 'http://localhost:8080/v1/', model: 'tiny' },
      user,
      {
        system: 'S',
        topK: 5,
        maxTokens: 7,
      },
    )
    expect(url).toBe('http://localhost:8080/v1/chat/completions')
    expect(body).toEqual({
      model: 'tiny',
      messages: [
        { role: 'system', content: 'S' },
        { role: 'user', content: 'Hi' },
      ],
      max_tokens: 7,
      top_k: 5,
    })
  })
})

describe('what the Responses API cannot express', () => {
  const provider = (model = 'gpt-5.4'): ReturnType<typeof createOpenAI> =>
    createOpenAI({
      apiKey: 'sk-test-0123456789',
      model,
      fetch: () => Promise.reject(new Error('sent')),
    })
  test.each([
    [{ stop: ['x'] }, 'stop'],
    [{ seed: 1 }, 'seed'],
    [{ topK: 3 }, 'topK'],
  ] as const)('the Responses API cannot express %o', async (option, word) => {
    await expect(provider().complete('Hi', option)).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining(word) as string,
    })
  })
  test.each([
    [{ toolChoice: { name: 'nothing' } }, 'there is no tool "nothing"'],
    [{ toolChoice: 'required' }, '"required" needs a tool'],
  ] as const)('%o is refused without such a tool', async (option, words) => {
    await expect(provider().complete('Hi', option)).rejects.toMatchObject({
      code: 'invalid-request',
      message: expect.stringContaining(words) as string,
    })
  })
  test('audio of a user is sent; audio of another model is replaced by its name', async () => {
    const audio = {
      type: 'audio',
      source: { type: 'base64', data: 'AA==', mediaType: 'audio/wav' },
    } as const
    await expect(provider().generate([{ role: 'user', content: [audio] }])).rejects.toMatchObject({
      code: 'unsupported',
    })
    const { body } = await send({}, [
      { role: 'user', content: 'Sing.' },
      { role: 'assistant', content: [{ type: 'text', text: 'La' }, audio] },
      { role: 'user', content: 'More.' },
    ])
    expect(body.input.slice(1, 3)).toEqual([
      { type: 'message', role: 'assistant', content: 'La' },
      { role: 'user', content: [{ type: 'input_text', text: '[audio]' }] },
    ])
  })
  test('files and images are sent in every form', async () => {
    const { body } = await send({}, [
      {
        role: 'user',
        content: [
          {
            type: 'file',
            source: { type: 'base64', data: 'JVBERi0=', mediaType: 'application/pdf' },
          },
          {
            type: 'file',
            name: 'a.txt',
            source: { type: 'base64', data: 'YQ==', mediaType: 'text/plain' },
          },
          { type: 'file', source: { type: 'url', url: 'https://files.test/b.pdf' } },
          { type: 'image', source: { type: 'url', url: 'https://files.test/c.png' } },
        ],
      },
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'call_1', name: 'shot', arguments: {}, argumentsText: '{}' }],
      },
      {
        role: 'tool',
        toolCallId: 'call_1',
        content: [
          { type: 'text', text: 'half' },
          { type: 'image', source: png },
        ],
        isError: true,
      },
    ])
    expect(body.input[0].content).toEqual([
      {
        type: 'input_file',
        filename: 'file.pdf',
        file_data: 'data:application/pdf;base64,JVBERi0=',
      },
      { type: 'input_file', filename: 'a.txt', file_data: 'data:text/plain;base64,YQ==' },
      { type: 'input_file', file_url: 'https://files.test/b.pdf' },
      { type: 'input_image', image_url: 'https://files.test/c.png' },
    ])
    expect(body.input[2].output).toEqual([
      { type: 'input_text', text: 'Error: ' },
      { type: 'input_text', text: 'half' },
      { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' },
    ])
  })
})

test.each([
  {},
  { azure: { endpoint: 'https://r.openai.azure.com' } },
  { baseUrl: 'https://r.openai.azure.com/openai/v1' },
])(
  'the Responses API of OpenAI and Azure (%j) takes no fewer than 16 tokens, and another server any',
  async (address) => {
    const { fetch, sent } = recordingFetch(response(message('Hi')))
    const own = createOpenAI({
      model: 'gpt-4o',
      apiKey: 'sk-test-0123456789',
      fetch,
      ...address,
    })
    await expect(own.complete('Hi', { maxTokens: 15 })).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining(
        'takes maxTokens of at least 16, not 15; set 16, or use api: "chat"',
      ),
    })
    expect(sent).toEqual([])
    await own.complete('Hi', { maxTokens: 16 })
    const other = createOpenAI({
      model: 'm',
      baseUrl: 'http://127.0.0.1:9/v1',
      api: 'responses',
      fetch,
    })
    await other.complete('Hi', { maxTokens: 1 })
    expect(sent.map(({ body }) => body.max_output_tokens)).toEqual([16, 1])
  },
)

describe('fields of the vendor by name', () => {
  test('fields of the vendor by name are in requests of the Responses API', async () => {
    const { body } = await send(
      {},
      [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'A book.', cache: 'auto' },
            { type: 'text', text: 'Sum up.' },
          ],
        },
      ],
      { tools: [{ ...tool, deferred: true, callers: ['model', 'code'] }], reasoning: 'xhigh' },
    )
    expect(body).toMatchObject({
      input: [
        {
          content: [
            { type: 'input_text', text: 'A book.', prompt_cache_breakpoint: { mode: 'explicit' } },
            { type: 'input_text', text: 'Sum up.' },
          ],
        },
      ],
      tools: [
        { name: 'get_weather', defer_loading: true, allowed_callers: ['direct', 'programmatic'] },
      ],
      reasoning: { effort: 'xhigh' },
    })
  })

  test.each(['minimal', 'xhigh', 'max'] as const)(
    'fields of the vendor by name say reasoning %s in Chat Completions, at OpenAI only',
    async (reasoning) => {
      const { body } = await send({ api: 'chat' }, [{ role: 'user', content: 'Hi' }], { reasoning })
      expect(body.reasoning_effort).toBe(reasoning)
      const elsewhere = createOpenAI({
        api: 'chat',
        model: 'gpt-5.4',
        baseUrl: 'https://other.example/v1',
        apiKey: 'k',
      })
      await expect(elsewhere.complete('Hi', { reasoning })).rejects.toMatchObject({
        code: 'unsupported',
      })
    },
  )
})
