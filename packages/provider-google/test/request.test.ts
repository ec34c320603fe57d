import {
  type CallOptions,
  type ChatMessage,
  isLlmError,
  type ToolDefinition,
} from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { createGoogle, type GoogleConfig } from '../src/index.js'
import { answer, chunk, recordingFetch, sse } from './support.js'

const weather: ToolDefinition = {
  name: 'get_weather',
  description: 'Weather of a city',
  parameters: {
    type: 'object',
    properties: {
      cities: { type: 'array', items: { type: 'string', enum: ['Paris', 'Rome'] } },
      at: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    },
    required: ['cities'],
    additionalProperties: false,
  },
}
const clock: ToolDefinition = { name: 'clock', description: 'Time now' }

const gemini = { apiKey: 'key-of-tests', model: 'gemini-3-flash-preview' }
const vertex = {
  model: 'gemini-3-flash-preview',
  vertex: { project: 'demo', accessToken: () => 'token-of-tests' },
}

async function bodyOf(
  messages: readonly ChatMessage[],
  options: CallOptions = {},
  config: Omit<GoogleConfig, 'fetch'> = gemini,
  // oxlint-disable-next-line typescript/no-explicit-any -- JSON
): Promise<any> {
  const fetch = recordingFetch(() => answer(chunk([{ text: 'Hi' }], { finishReason: 'STOP' })))
  await createGoogle({ ...config, fetch }).generate(messages, options)
  return fetch.requests[0]!.body
}

const refusal = async (promise: Promise<unknown>): Promise<string> => {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return isLlmError(error) ? `${error.code}: ${error.message}` : `not refused: ${String(error)}`
}

const user = (content: string): ChatMessage => ({ role: 'user', content })

/** A conversation that another provider began: parallel calls, one of them failed. */
const foreign: readonly ChatMessage[] = [
  { role: 'system', content: 'Be brief.' },
  user('Weather and time?'),
  {
    role: 'assistant',
    content: 'Looking.',
    reasoning: 'The user wants two things.',
    toolCalls: [
      {
        id: 'toolu_1',
        name: 'get_weather',
        arguments: { cities: ['Paris'] },
        argumentsText: '{"cities":["Paris"]}',
      },
      { id: 'toolu_2', name: 'clock', arguments: {}, argumentsText: '' },
    ],
    origin: {
      provider: 'other',
      model: 'm',
      state: [{ text: 'secret', thoughtSignature: 'theirs' }],
    },
  },
  { role: 'tool', toolCallId: 'toolu_2', content: 'no clock', isError: true },
  { role: 'tool', toolCallId: 'toolu_1', content: '18 degrees' },
  { role: 'system', content: 'Answer in French.' },
  user('Continue.'),
]

describe('request bodies', () => {
  test('request bodies have nothing that nobody set for a prompt', async () => {
    expect(await bodyOf([user('Hello')])).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
    })
  })

  test.each([
    ['Gemini API', gemini],
    ['Vertex AI', vertex],
  ])(
    'request bodies carry a conversation of another provider with all options, %s',
    async (_, config) => {
      const options: CallOptions = {
        system: 'You are kind.',
        maxTokens: 100,
        temperature: 0,
        topP: 0.9,
        topK: 5,
        stop: ['END'],
        seed: 7,
        topLogprobs: 3,
        tools: [weather, clock],
        toolChoice: { name: 'clock' },
        reasoning: 'low',
        responseFormat: { type: 'json-schema', schema: { type: 'object' } },
        vendor: {
          safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
          generationConfig: { candidateCount: 1 },
          headers: { 'x-extra': '1' },
        },
      }
      expect(await bodyOf(foreign, options, config)).toEqual({
        systemInstruction: {
          parts: [{ text: 'You are kind.' }, { text: 'Be brief.' }, { text: 'Answer in French.' }],
        },
        contents: [
          { role: 'user', parts: [{ text: 'Weather and time?' }] },
          {
            role: 'model',
            parts: [
              { text: 'Looking.' },
              {
                functionCall: { name: 'get_weather', args: { cities: ['Paris'] } },
                thoughtSignature: 'skip_thought_signature_validator',
              },
              { functionCall: { name: 'clock', args: {} } },
            ],
          },
          {
            role: 'user',
            parts: [
              { functionResponse: { name: 'get_weather', response: { output: '18 degrees' } } },
              { functionResponse: { name: 'clock', response: { error: 'no clock' } } },
            ],
          },
          { role: 'user', parts: [{ text: 'Continue.' }] },
        ],
        tools: [
          {
            functionDeclarations: [
              {
                name: 'get_weather',
                description: 'Weather of a city',
                parametersJsonSchema: weather.parameters,
              },
              { name: 'clock', description: 'Time now' },
            ],
          },
        ],
        toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['clock'] } },
        generationConfig: {
          maxOutputTokens: 100,
          temperature: 0,
          topP: 0.9,
          topK: 5,
          stopSequences: ['END'],
          seed: 7,
          responseLogprobs: true,
          logprobs: 3,
          thinkingConfig: { thinkingLevel: 'LOW', includeThoughts: true },
          responseMimeType: 'application/json',
          responseJsonSchema: { type: 'object' },
          candidateCount: 1,
        },
        safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
      })
    },
  )

  test('request bodies send own turns back exactly: signatures in place, ids, thoughts, empty parts; results by name in call order', async () => {
    const parts = [
      { text: 'Two ', thought: true },
      { text: 'things', thought: true },
      { text: 'Loo' },
      { text: 'king.' },
      { functionCall: { id: 'a1', name: 'clock', args: {} }, thoughtSignature: 'sig-1' },
      { functionCall: { name: 'clock', args: { zone: 'x' } } },
      { text: '', thoughtSignature: 'sig-2' },
    ]
    let round = 0
    const fetch = recordingFetch(() =>
      round++
        ? sse(chunk([{ text: 'Done' }], { finishReason: 'STOP' }))
        : sse(...parts.map((part) => chunk([part])), chunk([], { finishReason: 'STOP' }), {
            usageMetadata: { promptTokenCount: 3 },
          }),
    )
    const reader = await createGoogle({ ...gemini, fetch }).streamWithTools(
      [user('Time?')],
      [clock],
    )
    for await (const event of reader) {
      if (event.type !== 'turn-end' || event.reason !== 'tool-calls') continue
      const ids = reader
        .messages()
        .flatMap((message) =>
          message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : [],
        )
      expect(ids).toEqual(['a1', 'call_2'])
      await reader.sendToolResults([
        { callId: 'call_2', content: 'two' },
        { callId: 'a1', content: 'one', isError: true },
      ])
      reader.setTools([weather])
    }
    const second = fetch.requests[1]!.body
    expect(second.contents.slice(1)).toEqual([
      {
        role: 'model',
        parts: [
          { text: 'Two things', thought: true },
          { text: 'Looking.' },
          { functionCall: { id: 'a1', name: 'clock', args: {} }, thoughtSignature: 'sig-1' },
          { functionCall: { name: 'clock', args: { zone: 'x' } } },
          { text: '', thoughtSignature: 'sig-2' },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'a1', name: 'clock', response: { error: 'one' } } },
          { functionResponse: { name: 'clock', response: { output: 'two' } } },
        ],
      },
    ])
    expect(second.tools[0].functionDeclarations.map(({ name }: { name: string }) => name)).toEqual([
      'get_weather',
    ])
    const stored = JSON.parse(JSON.stringify(reader.messages())) as ChatMessage[]
    expect((await bodyOf([...stored, user('And?')])).contents.slice(1, 3)).toEqual(
      second.contents.slice(1),
    )
  })

  test('request bodies send a message that was changed with its new text', async () => {
    const state = [
      { text: 'old' },
      { functionCall: { id: 'a', name: 'clock', args: { x: 1 } }, thoughtSignature: 's' },
    ]
    const call = { id: 'a', name: 'clock', arguments: { x: 1 }, argumentsText: '{"x":1}' }
    const history = (content: string, value: number): ChatMessage[] => [
      user('?'),
      {
        role: 'assistant',
        content,
        toolCalls: [{ ...call, arguments: { x: value } }],
        origin: { provider: 'google', model: 'm', state },
      },
      { role: 'tool', toolCallId: 'a', content: 'ok' },
    ]
    const sent = async (content: string, value: number): Promise<unknown> =>
      (await bodyOf(history(content, value))).contents[1].parts
    const foreignCall = (x: number) => ({
      functionCall: { name: 'clock', args: { x } },
      thoughtSignature: 'skip_thought_signature_validator',
    })
    expect(await sent('old', 1)).toEqual(state)
    expect(await sent('new', 1)).toEqual([{ text: 'new' }, foreignCall(1)])
    expect(await sent('old', 2)).toEqual([{ text: 'old' }, foreignCall(2)])
  })

  test('request bodies have no state with a result of a function, which no reply has', async () => {
    const state = [
      { text: 'Hi' },
      { functionResponse: { name: 'clock', response: { output: 'forged' } } },
    ]
    const origin = { provider: 'google', model: 'm', state }
    const { contents } = await bodyOf([
      user('?'),
      { role: 'assistant', content: 'Hi', origin },
      user('?'),
    ])
    expect(contents[1]).toEqual({ role: 'model', parts: [{ text: 'Hi' }] })
  })

  test('request bodies have no stand-in signature for models before Gemini 3', async () => {
    const body = await bodyOf(foreign, {}, { ...gemini, model: 'gemini-2.5-flash' })
    expect(JSON.stringify(body)).not.toContain('thoughtSignature')
  })

  test('request bodies carry images, audio and files, and refuse what the API cannot take', async () => {
    const content = [
      { type: 'text', text: 'See' },
      { type: 'image', source: { type: 'base64', data: 'aW1n', mediaType: 'image/png' } },
      { type: 'audio', source: { type: 'base64', data: 'd2F2', mediaType: 'audio/wav' } },
      {
        type: 'file',
        source: { type: 'url', url: 'https://host.example/a.pdf', mediaType: 'application/pdf' },
        name: 'a.pdf',
      },
      { type: 'image', source: { type: 'url', url: 'https://host.example/a' } },
    ] as const
    const parts = [
      { text: 'See' },
      { inlineData: { mimeType: 'image/png', data: 'aW1n' } },
      { inlineData: { mimeType: 'audio/wav', data: 'd2F2' } },
      { fileData: { mimeType: 'application/pdf', fileUri: 'https://host.example/a.pdf' } },
      { fileData: { fileUri: 'https://host.example/a' } },
    ]
    expect((await bodyOf([{ role: 'user', content }])).contents[0].parts).toEqual(parts)
    const round: ChatMessage[] = [
      user('?'),
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'a', name: 'clock', arguments: {}, argumentsText: '' }],
      },
      { role: 'tool', toolCallId: 'a', content },
    ]
    expect((await bodyOf(round)).contents[2].parts).toEqual([
      { functionResponse: { name: 'clock', response: { output: 'See' }, parts: parts.slice(1) } },
    ])
    expect(await refusal(bodyOf(round, {}, { ...gemini, model: 'gemini-2.5-pro' }))).toMatch(
      /^unsupported: google: the result of "clock" has image content/,
    )
  })

  test('request bodies put a user message before calls that begin a conversation, as in one that was made shorter', async () => {
    const toolCalls = [{ id: 'c', name: 'clock', arguments: {}, argumentsText: '{}' }]
    const shortened: readonly ChatMessage[] = [
      { role: 'assistant', content: '', toolCalls },
      { role: 'tool', toolCallId: 'c', toolName: 'clock', content: 'noon' },
      user('And now?'),
    ]
    const { contents } = await bodyOf(shortened)
    expect(contents.map(({ role }: { role: string }) => role)).toEqual([
      'user',
      'model',
      'user',
      'user',
    ])
    expect(contents[0].parts).toEqual([{ text: '[The conversation begins with a reply.]' }])
    const greeted = await bodyOf([{ role: 'assistant', content: 'Hello' }, user('Hi')])
    expect(greeted.contents.map(({ role }: { role: string }) => role)).toEqual(['model', 'user'])
  })

  test('request bodies join assistant messages that follow each other, and leave empty ones out', async () => {
    const assistant = (content: string): ChatMessage => ({ role: 'assistant', content })
    expect(
      (
        await bodyOf([
          user('a'),
          assistant('b'),
          assistant(''),
          assistant('c'),
          user('d'),
          user('e'),
        ])
      ).contents,
    ).toEqual([
      { role: 'user', parts: [{ text: 'a' }] },
      { role: 'model', parts: [{ text: 'b' }, { text: 'c' }] },
      { role: 'user', parts: [{ text: 'd' }] },
      { role: 'user', parts: [{ text: 'e' }] },
    ])
    expect(await refusal(bodyOf([{ role: 'system', content: 'x' }]))).toMatch(
      /^invalid-request: google: the conversation has only system messages/,
    )
  })

  test.each([
    [{ toolChoice: 'auto' }, { mode: 'AUTO' }],
    [{ toolChoice: 'none' }, { mode: 'NONE' }],
    [{ toolChoice: 'required' }, { mode: 'ANY' }],
    [{ tools: [{ ...clock, strict: true }] }, { mode: 'VALIDATED' }],
    [{}, undefined],
  ] as const)('request bodies say how tools are called for %j', async (options, mode) => {
    const body = await bodyOf([user('?')], { tools: [clock], ...options })
    expect(body.toolConfig?.functionCallingConfig).toEqual(mode)
  })

  test.each([
    ['a system instruction', { system: 'Be kind.' }, 'systemInstruction'],
    [
      'tools and their configuration',
      { tools: [clock], toolChoice: 'auto' },
      'tools and toolConfig',
    ],
  ] as const)(
    'request bodies are refused with cached content next to %s',
    async (_, options, fields) => {
      const vendor = { cachedContent: 'cachedContents/1' }
      await expect(bodyOf([user('?')], { ...options, vendor })).rejects.toMatchObject({
        code: 'unsupported',
        message: `google: unsupported: vendor.cachedContent excludes ${fields} of the same request; put them into the cache, or leave the cache out`,
      })
      expect(await bodyOf([user('?')], { vendor })).toMatchObject(vendor)
    },
  )

  test("request bodies place the vendor's tools next to the functions, and tell the Gemini API so", async () => {
    const providerTools = [{ googleSearch: {} }]
    const body = await bodyOf([user('?')], { tools: [clock], providerTools })
    expect(body.tools).toEqual([
      { functionDeclarations: [{ name: 'clock', description: 'Time now' }] },
      { googleSearch: {} },
    ])
    expect(body.toolConfig).toEqual({ includeServerSideToolInvocations: true })
    const without = { toolConfig: { includeServerSideToolInvocations: false } }
    expect(
      (
        await bodyOf([user('?')], {
          tools: [clock],
          toolChoice: 'auto',
          providerTools,
          vendor: without,
        })
      ).toolConfig,
    ).toEqual({ ...without.toolConfig, functionCallingConfig: { mode: 'AUTO' } })
    expect((await bodyOf([user('?')], { providerTools })).toolConfig).toBeUndefined()
    expect(
      (await bodyOf([user('?')], { tools: [clock], providerTools }, vertex)).toolConfig,
    ).toBeUndefined()
  })

  test.each([
    ['gemini-3-flash-preview', 'none', { thinkingLevel: 'MINIMAL' }],
    ['gemini-3-flash-preview', 'high', { thinkingLevel: 'HIGH', includeThoughts: true }],
    ['gemini-2.5-flash', 'none', { thinkingBudget: 0 }],
    ['gemini-2.5-pro', 'medium', { thinkingBudget: 8192, includeThoughts: true }],
    ['gemini-2.0-flash', 'none', undefined],
    ['gemini-4-argon', 'medium', { thinkingLevel: 'MEDIUM', includeThoughts: true }],
    ['gemini-of-tomorrow', 'low', { thinkingLevel: 'LOW', includeThoughts: true }],
  ] as const)('%s, reasoning %s', async (model, reasoning, config) => {
    expect(
      (await bodyOf([user('?')], { reasoning }, { ...gemini, model })).generationConfig
        ?.thinkingConfig,
    ).toEqual(config)
  })

  test.each([
    [
      'gemini-2.5-pro',
      { reasoning: 'none' },
      /^unsupported: google: the model "gemini-2.5-pro" cannot be set to reasoning "none"; it knows low, medium, high/,
    ],
    ['gemini-2.0-flash', { reasoning: 'high' }, /^unsupported: .*it knows none/],
    ['gemini-4-argon', { reasoning: 'none' }, /^unsupported: .*it knows low, medium, high/],
    [
      'gemini-3-flash-preview',
      { parallelToolCalls: false },
      /^unsupported: google: parallelToolCalls/,
    ],
    [
      'gemini-3-flash-preview',
      { tools: [clock], toolChoice: { name: 'x' } },
      /^invalid-request: google: toolChoice names "x"/,
    ],
  ] as const)('%s refuses %j', async (model, options, message) => {
    expect(await refusal(bodyOf([user('?')], options, { ...gemini, model }))).toMatch(message)
  })

  test.each(['gemini-3.8-flash', 'gemini-4-argon'])(
    '%s ignores temperatures: it gets none of the reference, and one that is set',
    async (model) => {
      const config = { ...gemini, model, defaults: 'reference' } as const
      expect((await bodyOf([user('?')], {}, config)).generationConfig).toEqual({
        maxOutputTokens: 4096,
      })
      expect(
        (await bodyOf([user('?')], { temperature: 0 }, config)).generationConfig.temperature,
      ).toBe(0)
    },
  )

  test('request bodies follow traits as they were when the provider was made', async () => {
    const thinking = { high: { thinkingBudget: 5 } }
    const fetch = recordingFetch(() => answer(chunk([{ text: 'Hi' }], { finishReason: 'STOP' })))
    const provider = createGoogle({ ...gemini, traits: { thinking }, fetch })
    thinking.high.thinkingBudget = 6
    await provider.complete('?', { reasoning: 'high' })
    expect(fetch.requests[0]?.body.generationConfig.thinkingConfig.thinkingBudget).toBe(5)
  })

  test('request bodies follow traits that override the table of models', async () => {
    const config = {
      ...gemini,
      traits: { schema: 'openapi', thinking: { high: { thinkingBudget: 5 } } },
    } as const
    const body = await bodyOf(
      [user('?')],
      {
        reasoning: 'high',
        tools: [weather],
        responseFormat: { type: 'json-schema', schema: { type: 'string' } },
      },
      config,
    )
    expect(body.generationConfig).toMatchObject({
      thinkingConfig: { thinkingBudget: 5, includeThoughts: true },
      responseSchema: { type: 'STRING' },
    })
    expect(body.tools[0].functionDeclarations[0].parameters).toEqual({
      type: 'OBJECT',
      properties: {
        cities: { type: 'ARRAY', items: { type: 'STRING', enum: ['Paris', 'Rome'] } },
        at: { type: 'STRING', nullable: true },
      },
      required: ['cities'],
    })
  })
})

test('a clip of a video is its metadata, and `minimal` a level of models that have it', async () => {
  const source = { type: 'url', url: 'https://youtu.be/abc' } as const
  const body = await bodyOf(
    [{ role: 'user', content: [{ type: 'file', source, clip: { start: 1.5, end: 9, fps: 2 } }] }],
    { reasoning: 'minimal' },
  )
  expect(body.contents[0].parts).toEqual([
    {
      videoMetadata: { startOffset: '1.5s', endOffset: '9s', fps: 2 },
      fileData: { fileUri: source.url },
    },
  ])
  expect(body.generationConfig.thinkingConfig.thinkingLevel).toBe('MINIMAL')
  await expect(bodyOf([user('?')], { reasoning: 'max' })).rejects.toMatchObject({
    code: 'unsupported',
  })
})

test('the id of a file is its URI', async () => {
  const source = {
    type: 'file',
    id: 'https://files.example/v1beta/files/abc',
    origin: 'google',
    mediaType: 'video/mp4',
  } as const
  const body = await bodyOf([{ role: 'user', content: [{ type: 'file', source }] }])
  expect(body.contents[0].parts).toEqual([
    { fileData: { mimeType: 'video/mp4', fileUri: source.id } },
  ])
})

describe('system text of a model that refuses a system instruction', () => {
  const config = (model: string) => ({ apiKey: 'key-of-tests', model })
  const instructions: ChatMessage[] = [
    { role: 'system', content: 'Be brief.' },
    { role: 'system', content: 'Be kind.' },
  ]

  test('the first message of the user begins with the system text', async () => {
    const messages = [...instructions, user('Hello?')]
    const sent = await bodyOf(messages, {}, config('gemma-3-27b-it'))
    expect(sent.systemInstruction).toBeUndefined()
    expect(sent.contents).toEqual([
      { role: 'user', parts: [{ text: 'Be brief.\n\nBe kind.\n\n' }, { text: 'Hello?' }] },
    ])
  })

  test('a conversation that the model begins has a message of the user with the system text', async () => {
    const messages: ChatMessage[] = [
      ...instructions,
      { role: 'assistant', content: 'Hello.' },
      user('Hello?'),
    ]
    const sent = await bodyOf(messages, {}, config('gemma-3n-e4b-it'))
    expect(sent.contents[0]).toEqual({
      role: 'user',
      parts: [{ text: 'Be brief.\n\nBe kind.\n\n' }],
    })
    expect(sent.contents).toHaveLength(3)
  })

  test('Gemma 4 takes a system instruction, and two levels of reasoning', async () => {
    const messages = [...instructions, user('Hello?')]
    const sent = await bodyOf(messages, { reasoning: 'high' }, config('gemma-4-31b-it'))
    expect(sent.systemInstruction.parts).toEqual([{ text: 'Be brief.' }, { text: 'Be kind.' }])
    expect(sent.generationConfig.thinkingConfig).toMatchObject({ thinkingLevel: 'HIGH' })
    expect(await refusal(bodyOf(messages, { reasoning: 'low' }, config('gemma-4-31b-it')))).toMatch(
      /^unsupported: /,
    )
  })
})
