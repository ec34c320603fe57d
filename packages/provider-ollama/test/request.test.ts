import {
  type CallOptions,
  type ChatMessage,
  isLlmError,
  type LlmError,
  type StreamEvent,
  toImagePart,
} from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { createOllama, createOllamaEmbedder, listModels, type OllamaConfig } from '../src/index.js'

interface Sent {
  url: string
  method: string
  headers: Record<string, string>
  body: { messages: unknown[]; [field: string]: unknown }
}

/** A server that responds with these bodies in turn, and what it was sent. */
function server(...answers: (string | { status: number; body: string })[]) {
  const sent: Sent[] = []
  const fetch: OllamaConfig['fetch'] = (input, init) => {
    const body = init?.body as string | undefined
    sent.push({
      url: input as string,
      method: init?.method ?? 'GET',
      headers: init?.headers as Record<string, string>,
      body: JSON.parse(body ?? '{}') as Sent['body'],
    })
    const answer = answers[Math.min(sent.length, answers.length) - 1] ?? ''
    return Promise.resolve(
      typeof answer === 'string'
        ? new Response(answer)
        : new Response(answer.body, { status: answer.status }),
    )
  }
  return { sent, fetch }
}

const line = (fields: object, message: object = {}) =>
  `${JSON.stringify({ model: 'llama3', message: { role: 'assistant', content: '', ...message }, ...fields })}\n`
const end = (fields: object = {}, message: object = {}) =>
  line(
    { done: true, done_reason: 'stop', prompt_eval_count: 100, eval_count: 5, ...fields },
    message,
  )

const weather = {
  name: 'get_weather',
  description: 'Weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
}
const once = { retry: { attempts: 1 } }

async function sentFor(
  messages: readonly ChatMessage[],
  options: CallOptions = {},
  config: Partial<OllamaConfig> = {},
): Promise<Sent> {
  const { sent, fetch } = server(end())
  await createOllama({ model: 'llama3', ...config, fetch }).generate(messages, options)
  return sent[0]!
}

async function failure(promise: Promise<unknown>): Promise<LlmError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!isLlmError(error)) throw new Error(`expected an LlmError, not ${String(error)}`)
  return error
}

describe('request', () => {
  test('a request equals its golden JSON for a conversation with tools', async () => {
    const { body, url, headers } = await sentFor(
      [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            toImagePart(new Uint8Array([1, 2, 3]), 'image/png'),
          ],
        },
        {
          role: 'assistant',
          content: 'Looking.',
          reasoning: 'hm',
          toolCalls: [
            {
              id: 'a',
              name: 'get_weather',
              arguments: { city: 'Paris' },
              argumentsText: '{"city":"Paris"}',
            },
            { id: 'b', name: 'get_weather', arguments: {}, argumentsText: '{', error: 'not JSON' },
          ],
          origin: { provider: 'ollama', model: 'llama3' },
        },
        { role: 'tool', toolCallId: 'b', content: 'no city', isError: true },
        { role: 'tool', toolCallId: 'a', content: 'sunny' },
      ],
      {
        system: 'Be brief.',
        tools: [weather, { name: 'now', description: '' }],
        temperature: 0,
        topP: 0.5,
        topK: 3,
        seed: 7,
        stop: ['END'],
        maxTokens: 64,
        reasoning: 'low',
        topLogprobs: 2,
        responseFormat: { type: 'json' },
        vendor: {
          keep_alive: '10m',
          options: { num_ctx: 8192, temperature: 0.1 },
          headers: { 'x-team': 'a' },
        },
      },
    )
    expect(url).toBe('http://localhost:11434/api/chat')
    expect(headers).toEqual({
      'content-type': 'application/json',
      accept: 'application/json',
      'x-team': 'a',
    })
    expect(body).toEqual({
      model: 'llama3',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'What is this?', images: ['AQID'] },
        {
          role: 'assistant',
          content: 'Looking.',
          thinking: 'hm',
          tool_calls: [
            { id: 'a', function: { name: 'get_weather', arguments: { city: 'Paris' } } },
            { id: 'b', function: { name: 'get_weather', arguments: { INVALID_JSON: '{' } } },
          ],
        },
        { role: 'tool', content: 'sunny', tool_name: 'get_weather', tool_call_id: 'a' },
        { role: 'tool', content: 'Error: no city', tool_name: 'get_weather', tool_call_id: 'b' },
      ],
      stream: false,
      tools: [
        { type: 'function', function: weather },
        {
          type: 'function',
          function: {
            name: 'now',
            description: '',
            parameters: { type: 'object', properties: {} },
          },
        },
      ],
      format: 'json',
      think: 'low',
      logprobs: true,
      top_logprobs: 2,
      keep_alive: '10m',
      options: {
        num_predict: 64,
        temperature: 0.1,
        top_p: 0.5,
        top_k: 3,
        seed: 7,
        stop: ['END'],
        num_ctx: 8192,
      },
    })
  })

  test('a request has only the fields that were asked for, and a limit of the reply', async () => {
    const { body } = await sentFor([{ role: 'user', content: 'Hi' }])
    expect(body).toEqual({
      model: 'llama3',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: false,
      options: { num_predict: 4096 },
    })
  })

  test('a request to ollama.com has no limit of the reply: somebody else runs that server', async () => {
    const baseUrl = 'https://ollama.com'
    expect((await sentFor([{ role: 'user', content: 'Hi' }], {}, { baseUrl })).body).toMatchObject({
      options: {},
    })
  })

  test('a request sends a schema as the format, reasoning none as no thinking, toolChoice none as no tools, and temperature 0', async () => {
    const schema = { type: 'object', properties: {} }
    const { body } = await sentFor([{ role: 'user', content: 'Hi' }], {
      responseFormat: { type: 'json-schema', schema },
      reasoning: 'none',
      tools: [weather],
      toolChoice: 'none',
      temperature: 0,
      maxTokens: 1,
    })
    expect(body).toEqual({
      model: 'llama3',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: false,
      format: schema,
      think: false,
      options: { num_predict: 1, temperature: 0 },
    })
  })

  test('a request has no reasoning of another vendor', async () => {
    const { body } = await sentFor([
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: 'Hello',
        reasoning: 'secret',
        origin: { provider: 'other', model: 'm', state: { signature: 's' } },
      },
      { role: 'user', content: 'Bye' },
    ])
    expect(body.messages[1]).toEqual({ role: 'assistant', content: 'Hello' })
  })

  test.each<[string, readonly ChatMessage[], CallOptions]>([
    ['toImagePart', [{ role: 'user', content: [toImagePart('https://host.example/a.png')] }], {}],
    [
      'messages[0]',
      [
        {
          role: 'user',
          content: [
            {
              type: 'file',
              source: { type: 'base64', data: 'AA==', mediaType: 'application/pdf' },
            },
          ],
        },
      ],
      {},
    ],
    ['toolChoice', [{ role: 'user', content: 'Hi' }], { toolChoice: 'required' }],
    ['toolChoice', [{ role: 'user', content: 'Hi' }], { toolChoice: { name: 'get_weather' } }],
    ['parallelToolCalls', [{ role: 'user', content: 'Hi' }], { parallelToolCalls: false }],
    [
      'providerTools',
      [{ role: 'user', content: 'Hi' }],
      { providerTools: [{ type: 'web_search' }] },
    ],
  ])('a request is refused as unsupported: %s', async (named, messages, options) => {
    const { sent, fetch } = server(end())
    const error = await failure(
      createOllama({ model: 'llama3', fetch }).generate(messages, options),
    )
    expect(error).toMatchObject({ code: 'unsupported', provider: 'ollama' })
    expect(error.message).toContain(named)
    expect(sent).toEqual([])
  })

  test.each([
    ['http://localhost:11434/', 'http://localhost:11434/api/chat'],
    ['http://localhost:11434/v1', 'http://localhost:11434/api/chat'],
    ['http://localhost:11434/v1/', 'http://localhost:11434/api/chat'],
    ['https://ollama.com/api', 'https://ollama.com/api/chat'],
    ['https://host.example/proxy/ollama?x=1', 'https://host.example/proxy/ollama/api/chat'],
  ])('the base URL %s leads to the path of the API', async (baseUrl, expected) => {
    const { sent, fetch } = server(end())
    await createOllama({
      model: 'llama3',
      baseUrl,
      fetch,
      apiKey: ' key-123456\n',
      headers: { 'x-proxy': '1' },
      enforceHosts: true,
    }).complete('Hi')
    expect(sent[0]).toMatchObject({
      url: expected,
      headers: { authorization: 'Bearer key-123456', 'x-proxy': '1' },
    })
  })
})

describe('answer', () => {
  const stream = async (...lines: string[]): Promise<{ events: StreamEvent[]; sent: Sent[] }> => {
    const { sent, fetch } = server(lines.join(''))
    const events: StreamEvent[] = []
    for await (const event of await createOllama({ model: 'llama3', fetch }).streamWithTools(
      [{ role: 'user', content: 'Hi' }],
      [weather],
      once,
    ))
      events.push(event)
    return { events, sent }
  }
  const call = (city: string, extra: object = {}) => ({
    ...extra,
    function: { name: 'get_weather', arguments: { city } },
  })

  test('lines may have several calls without ids, thinking next to content, and content and a call on the done line', async () => {
    const { events, sent } = await stream(
      line({ done: false }, { thinking: 'hm', content: 'Let me see' }),
      line({ done: false }, { tool_calls: [call('Paris'), call('Rome', { index: 0 })] }),
      line({ done: false }, { tool_calls: [call('Oslo')] }),
      end(
        { prompt_eval_cached_count: 40 },
        { content: '.', tool_calls: [call('Bonn', { id: 'own' })] },
      ),
    )
    expect(sent[0]?.headers['accept']).toBe('application/x-ndjson')
    expect(
      events.filter(({ type }) => type === 'text-delta' || type === 'reasoning-delta'),
    ).toEqual([
      { type: 'reasoning-delta', text: 'hm' },
      { type: 'text-delta', text: 'Let me see' },
      { type: 'text-delta', text: '.' },
    ])
    const calls = events.flatMap((event) =>
      event.type === 'tool-call-complete' ? [event.toolCall] : [],
    )
    expect(calls.map(({ arguments: { city } }) => city)).toEqual(['Paris', 'Rome', 'Oslo', 'Bonn'])
    expect(new Set(calls.map(({ id }) => id)).size).toBe(4)
    expect(calls[3]?.id).toBe('own')
    expect(events.at(-2)).toMatchObject({
      type: 'turn-end',
      reason: 'tool-calls',
      usage: { inputTokens: 100, outputTokens: 5, cacheReadTokens: 40 },
    })
  })

  test('a tool turn continues with call and result', async () => {
    const { sent, fetch } = server(
      end({}, { tool_calls: [call('Paris')] }),
      end({}, { content: 'Sunny.' }),
    )
    const reader = await createOllama({ model: 'llama3', fetch }).streamWithTools(
      [{ role: 'user', content: 'Hi' }],
      [weather],
    )
    for await (const event of reader) {
      if (event.type === 'tool-call-complete')
        await reader.sendToolResults([{ callId: event.toolCall.id, content: 'sun' }])
    }
    expect(reader.fullText()).toBe('Sunny.')
    expect(sent[1]?.body.messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: '',
        tool_calls: [
          { id: 'call_1', function: { name: 'get_weather', arguments: { city: 'Paris' } } },
        ],
      },
      { role: 'tool', content: 'sun', tool_name: 'get_weather', tool_call_id: 'call_1' },
    ])
  })

  test.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['load', 'other'],
    ['unload', 'other'],
    ['brand_new', 'other'],
  ])('done_reason %s is %s', async (raw, reason) => {
    const { fetch } = server(end({ done_reason: raw }, { content: 'x' }))
    expect(
      await createOllama({ model: 'llama3', fetch }).generate([{ role: 'user', content: 'Hi' }]),
    ).toMatchObject({
      finishReason: reason,
      rawFinishReason: raw,
    })
  })

  test('no done_reason is unknown, no counts are not reported; a line of more than 64 KiB is read', async () => {
    const long = 'x'.repeat(100_000)
    const { fetch } = server(line({ done: true }, { content: long }))
    const answer = await createOllama({ model: 'llama3', fetch }).generate([
      { role: 'user', content: 'Hi' },
    ])
    expect(answer).toMatchObject({
      finishReason: 'unknown',
      text: long,
      usage: { reported: false },
    })
  })

  test('a reply has logprobs and images', async () => {
    const { fetch } = server(
      end(
        {
          logprobs: [
            {
              token: 'A',
              logprob: -0.1,
              bytes: [65],
              top_logprobs: [
                { token: 'A', logprob: -0.1 },
                { token: 'B', logprob: -2 },
              ],
            },
            null,
          ],
        },
        { content: 'A', images: ['iVBORw0KGgo='] },
      ),
    )
    const answer = await createOllama({ model: 'llama3', fetch }).generate(
      [{ role: 'user', content: 'Hi' }],
      {
        topLogprobs: 2,
      },
    )
    expect(answer.logprobs).toEqual([
      {
        token: 'A',
        logprob: -0.1,
        top: [
          { token: 'A', logprob: -0.1 },
          { token: 'B', logprob: -2 },
        ],
      },
    ])
    expect(answer.message.content).toEqual([
      { type: 'text', text: 'A' },
      { type: 'image', source: { type: 'base64', data: 'iVBORw0KGgo=', mediaType: 'image/png' } },
    ])
  })

  test.each([
    [
      'an error line after text',
      `${line({ done: false }, { content: 'Hel' })}{"error":"llama runner process has terminated"}\n`,
      'server',
      'terminated',
    ],
    [
      'an error in a 200 body',
      '{"error":"registry.ollama.ai/library/x does not support tools"}',
      'unsupported',
      'does not support tools',
    ],
    ['a cut stream', line({ done: false }, { content: 'Hel' }), 'truncated', ''],
    ['a line that is not JSON', `{"mess\n${end()}`, 'protocol', ''],
    ['a line that is not an object', `null\n${end()}`, 'protocol', ''],
    ['a line that is a list', `[]\n${end()}`, 'protocol', ''],
  ])('%s rejects', async (_, body, code, text) => {
    const { fetch } = server(body)
    const reader = await createOllama({ model: 'llama3', fetch }).streamWithHistory(
      [{ role: 'user', content: 'Hi' }],
      once,
    )
    const error = await failure(
      (async () => {
        for await (const _text of reader);
      })(),
    )
    expect(error.code).toBe(code)
    expect(error.message).toContain(text)
  })

  test.each([
    [404, '{"error":"model \'nope\' not found"}', 'not-found', 'ollama pull'],
    [
      404,
      '{"error":"model \\"nope\\" not found, try pulling it first"}',
      'not-found',
      'try pulling it first',
    ],
    [404, '404 page not found', 'not-found', '404 page not found'],
    [
      400,
      '{"error":"registry.ollama.ai/library/x does not support tools"}',
      'unsupported',
      'tools',
    ],
    [
      400,
      '{"error":"think value \\"high\\" is not supported for this model"}',
      'unsupported',
      'think value "high"',
    ],
    [
      400,
      '{"error":"the input length exceeds the context length"}',
      'context-length',
      'context length',
    ],
    [
      400,
      '{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}',
      'context-length',
      'available context size',
    ],
    [400, '{"error":"invalid format"}', 'invalid-request', 'invalid format'],
    [
      401,
      '{"error":"unauthorized","signin_url":"https://ollama.com/connect"}',
      'auth',
      'unauthorized',
    ],
    [
      500,
      '{"error":"model requires more system memory (8 GiB) than is available (2 GiB)"}',
      'server',
      'memory',
    ],
    [
      503,
      '{"error":"server busy, please try again. maximum pending requests exceeded"}',
      'overloaded',
      'busy',
    ],
  ])('HTTP %i %s', async (status, body, code, text) => {
    const { fetch } = server({ status, body })
    const error = await failure(createOllama({ model: 'llama3', fetch }).complete('Hi', once))
    expect(error).toMatchObject({ code, status })
    expect(error.message).toContain(text)
  })
})

describe('a prompt that the server cut', () => {
  const warningsFor = async (text: string, fields: object, vendor = {}) => {
    const { fetch } = server(end(fields, { content: 'x' }))
    return (
      (
        await createOllama({ model: 'llama3', fetch }).generate([{ role: 'user', content: text }], {
          vendor,
        })
      ).warnings ?? []
    )
  }
  const words = 'word '.repeat(5000)

  test('a count below the fewest tokens the text can be is reported', async () => {
    const [warning] = await warningsFor(words, { prompt_eval_count: 2050 })
    expect(warning).toContain('2050')
    expect(warning).toContain('5000')
    expect(warning).toContain('num_ctx')
  })
  test('a cut prompt in Chinese is reported too', async () => {
    expect(
      await warningsFor('你好世界今天天气'.repeat(500), { prompt_eval_count: 500 }),
    ).toHaveLength(1)
  })
  test('a count that fills num_ctx is reported', async () => {
    expect(
      await warningsFor('Hi', { prompt_eval_count: 4096 }, { options: { num_ctx: 4096 } }),
    ).toHaveLength(1)
  })
  test.each([
    ['the whole count', words, { prompt_eval_count: 5010 }],
    ['no count, as of old versions with a full cache', words, { prompt_eval_count: undefined }],
    [
      'white space and rules, which have tokens of their own',
      `${' '.repeat(90_000)}${'='.repeat(90_000)}`,
      { prompt_eval_count: 900 },
    ],
  ])('no warning is given with %s', async (_, text, fields) => {
    expect(await warningsFor(text, fields)).toEqual([])
  })
})

describe('other endpoints', () => {
  test('the embedder sends one request and reports its tokens', async () => {
    const { sent, fetch } = server('{"model":"e","embeddings":[[1,2],[3,4]],"prompt_eval_count":6}')
    const { vectors, usage } = await createOllamaEmbedder({
      model: 'e',
      fetch,
      dimensions: 2,
      apiKey: 'key-123456',
    }).embed(['a', 'b'])
    expect(sent[0]).toMatchObject({
      url: 'http://localhost:11434/api/embed',
      body: { model: 'e', input: ['a', 'b'], truncate: false, dimensions: 2 },
      headers: { authorization: 'Bearer key-123456' },
    })
    expect(vectors).toEqual([
      [1, 2],
      [3, 4],
    ])
    expect(usage.inputTokens).toBe(6)
  })
  test('the embedder rejects typed on a failure', async () => {
    const { fetch } = server({
      status: 400,
      body: '{"error":"the input length exceeds the context length"}',
    })
    expect((await failure(createOllamaEmbedder({ model: 'e', fetch }).embed(['a']))).code).toBe(
      'context-length',
    )
  })
  test('listModels lists the models of the server', async () => {
    const { sent, fetch } = server(
      '{"models":[{"name":"llama3:8b","model":"llama3:8b","size":5,"modified_at":"2026-01-01T00:00:00Z","digest":"d","details":{"family":"llama","parameter_size":"8B","quantization_level":""}},{}]}',
    )
    expect(await listModels({ baseUrl: 'https://host.example/v1/', fetch })).toEqual([
      {
        id: 'llama3:8b',
        sizeBytes: 5,
        modifiedAt: '2026-01-01T00:00:00Z',
        family: 'llama',
        parameterSize: '8B',
      },
    ])
    expect(sent[0]).toMatchObject({ url: 'https://host.example/api/tags', method: 'GET' })
  })
  test('the cheapest model is the model unless set', () => {
    expect(createOllama({ model: 'a' }).cheapestModel).toBe('a')
    expect(createOllama({ model: 'a', cheapestModel: 'b' }).cheapestModel).toBe('b')
  })
})
