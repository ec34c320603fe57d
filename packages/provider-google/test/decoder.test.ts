import {
  type AssistantMessage,
  type Generation,
  isLlmError,
  type ProviderError,
  type StreamEvent,
} from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { createGoogle } from '../src/index.js'
import { answer, chunk, recordingFetch, sse } from './support.js'

const create = (respond: () => Response) =>
  createGoogle({
    apiKey: 'key-of-tests',
    model: 'gemini-3-flash-preview',
    fetch: recordingFetch(respond),
  })
const once = { retry: { attempts: 1 } }
const stop = { finishReason: 'STOP' }

async function events(...chunks: readonly unknown[]): Promise<readonly StreamEvent[]> {
  const found: StreamEvent[] = []
  for await (const event of await create(() => sse(...chunks)).streamWithTools(
    [{ role: 'user', content: '?' }],
    [],
    once,
  ))
    found.push(event)
  return found
}

const generate = (body: unknown): Promise<Generation> =>
  create(() => answer(body)).generate([{ role: 'user', content: '?' }], once)

const failure = async (promise: Promise<unknown>): Promise<ProviderError> => {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(isLlmError(error)).toBe(true)
  return error as ProviderError
}

const types = (found: readonly StreamEvent[]): string[] => found.map(({ type }) => type)

describe('streams', () => {
  test('streams give text and two calls of one chunk in order, with ids', async () => {
    const found = await events(
      chunk(
        [
          { text: 'Hi' },
          { functionCall: { name: 'a', args: { x: 1 } } },
          { functionCall: { name: 'b' } },
        ],
        stop,
      ),
    )
    expect(types(found)).toEqual([
      'text-delta',
      'tool-call-start',
      'tool-call-complete',
      'tool-call-start',
      'tool-call-complete',
      'turn-end',
      'done',
    ])
    expect(
      found.flatMap((event) => (event.type === 'tool-call-complete' ? [event.toolCall] : [])),
    ).toEqual([
      { id: 'call_1', name: 'a', arguments: { x: 1 }, argumentsText: '{"x":1}' },
      { id: 'call_2', name: 'b', arguments: {}, argumentsText: '{}' },
    ])
    expect(found.at(-2)).toMatchObject({ type: 'turn-end', reason: 'tool-calls' })
  })

  test('streams do not end with a chunk without content, of usage only, or with thoughts only', async () => {
    const found = await events(
      { usageMetadata: { trafficType: 'ON_DEMAND' } },
      { candidates: [] },
      { candidates: [{}] },
      { candidates: [{ content: {} }] },
      chunk([{ text: 'Thinking', thought: true }]),
      { usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 1 } },
      chunk([{ text: 'Hi' }]),
      chunk([], { finishReason: 'FINISH_REASON_UNSPECIFIED' }),
      chunk([{ text: '!' }], stop),
      {
        usageMetadata: {
          promptTokenCount: 5,
          candidatesTokenCount: 2,
          thoughtsTokenCount: 4,
          cachedContentTokenCount: 3,
        },
      },
    )
    expect(types(found)).toEqual([
      'reasoning-delta',
      'text-delta',
      'text-delta',
      'turn-end',
      'done',
    ])
    expect(found.at(-1)).toMatchObject({
      reason: 'stop',
      usage: { inputTokens: 5, outputTokens: 6, reasoningTokens: 4, cacheReadTokens: 3 },
    })
  })

  test('streams keep a count that a later chunk has as null, or not at all', async () => {
    const found = await events(
      chunk(
        [{ text: 'Hi' }],
        {},
        {
          usageMetadata: {
            promptTokenCount: 5,
            candidatesTokenCount: 2,
            thoughtsTokenCount: 4,
            cachedContentTokenCount: 3,
          },
        },
      ),
      chunk([], stop, {
        usageMetadata: {
          promptTokenCount: null,
          candidatesTokenCount: null,
          thoughtsTokenCount: null,
          cachedContentTokenCount: null,
        },
      }),
      { usageMetadata: { trafficType: 'ON_DEMAND' } },
    )
    expect(found.at(-1)).toMatchObject({
      usage: { inputTokens: 5, outputTokens: 6, reasoningTokens: 4, cacheReadTokens: 3 },
    })
  })

  test('streams ignore [DONE] and empty records, which gateways add', async () => {
    const text = `data:\n\ndata: ${JSON.stringify(chunk([{ text: 'Hi' }], stop))}\n\nevent: ping\ndata: \n\ndata: [DONE] \n\n`
    const reader = await create(
      () => new Response(text, { headers: { 'content-type': 'text/event-stream' } }),
    ).stream('?', once)
    const pieces: string[] = []
    for await (const piece of reader) pieces.push(piece)
    expect(pieces).toEqual(['Hi'])
  })

  test('a cut between the two finish reasons of code execution is truncated', async () => {
    const code = (id: string): object => ({ executableCode: { id, code: 'print(1)' } })
    const result = (id: string): object => ({ codeExecutionResult: { id, output: '1' } })
    const chunks = [
      chunk([code('a')]),
      chunk([result('a')]),
      chunk([code('b')], stop),
      chunk([result('b')]),
      chunk([{ text: 'The answer' }]),
      chunk([{ text: ' is 1.' }], stop),
      chunk([{ text: '' }]),
    ]
    const found = await events(...chunks)
    expect(found.filter(({ type }) => type === 'text-delta')).toHaveLength(2)
    expect(found.at(-2)).toMatchObject({ type: 'turn-end', reason: 'stop' })
    for (let length = 0; length < 6; length++)
      await expect(events(...chunks.slice(0, length)), `${length} chunks`).rejects.toMatchObject({
        code: 'truncated',
      })
  })

  test('streams ignore all candidates but the first', async () => {
    const response = {
      candidates: [
        { index: 1, content: { parts: [{ text: 'B' }] }, finishReason: 'STOP' },
        { index: 0, content: { parts: [{ text: 'A' }] }, finishReason: 'STOP' },
      ],
    }
    expect((await events(response)).filter(({ type }) => type === 'text-delta')).toEqual([
      { type: 'text-delta', text: 'A' },
    ])
  })

  test('streams are truncated without a finish reason', async () => {
    expect((await failure(events(chunk([{ text: 'Hi' }])))).code).toBe('truncated')
  })

  test('streams reject with a failure inside the stream, typed', async () => {
    const error = await failure(
      events(chunk([{ text: 'Hi' }]), {
        error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' },
      }),
    )
    expect(error).toMatchObject({
      code: 'overloaded',
      status: 503,
      message: 'google: 503 overloaded: The model is overloaded.',
    })
    expect(error.partial?.text).toBe('Hi')
  })

  test.each(['null', '1', '"text"', '{"candidates":'])(
    'streams reject protocol for %s instead of a chunk',
    async (data) => {
      const text = `data: ${JSON.stringify(chunk([{ text: 'Hi' }]))}\n\ndata: ${data}\n\ndata: {}\n\n`
      const reader = create(
        () => new Response(text, { headers: { 'content-type': 'text/event-stream' } }),
      ).stream('?', once)
      expect(
        (
          await failure(
            reader.then(async (stream) => {
              for await (const _ of stream);
            }),
          )
        ).code,
      ).toBe('protocol')
    },
  )

  test('streams join arguments that come value by value', async () => {
    const call = (functionCall: object, part: object = {}) => chunk([{ functionCall, ...part }])
    const found = await events(
      call({ name: 'a', willContinue: true }, { thoughtSignature: 's' }),
      call({
        partialArgs: [{ jsonPath: "$.list[0]['a b']", stringValue: 'Pa', willContinue: true }],
        willContinue: true,
      }),
      call({
        partialArgs: [{ jsonPath: "$.list[0]['a b']", stringValue: 'ris', willContinue: true }],
        willContinue: true,
      }),
      call({
        partialArgs: [
          { jsonPath: "$.list[0]['a b']", stringValue: '' },
          { jsonPath: '$.n', numberValue: 0 },
          { jsonPath: '$.b', boolValue: false },
          { jsonPath: '$.z', nullValue: 'NULL_VALUE' },
        ],
        willContinue: true,
      }),
      call({}),
      call({ name: 'b', args: {} }),
      chunk([], stop),
    )
    expect(
      found.flatMap((event) =>
        event.type === 'tool-call-complete' ? [event.toolCall.arguments] : [],
      ),
    ).toEqual([{ list: [{ 'a b': 'Paris' }], n: 0, b: false, z: null }, {}])
  })

  test.each([
    '$.__proto__.polluted',
    '$.constructor.prototype.polluted',
    '$.list[4000000000]',
    '$.list[1]',
    'list',
    '$',
    '$.a..b',
  ])('streams are not harmed by the argument path %s', async (jsonPath) => {
    const found = await events(
      chunk([{ functionCall: { name: 'a', partialArgs: [{ jsonPath, stringValue: 'x' }] } }], stop),
    ).then(
      (all) =>
        all.flatMap((event) => (event.type === 'tool-call-complete' ? [event.toolCall.error] : [])),
      (error: unknown) => [isLlmError(error, 'protocol') ? 'protocol' : error],
    )
    expect(found).toEqual([expect.stringMatching(/protocol|refused/)])
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  test('streams end a call in deltas at the next call, at a text or with the reply; it goes back whole with its signature', async () => {
    const begun = (name: string, value: string) => ({
      functionCall: {
        name,
        partialArgs: [{ jsonPath: '$.x', stringValue: value }],
        willContinue: true,
      },
      thoughtSignature: `of ${name}`,
    })
    const fetch = recordingFetch(() =>
      sse(chunk([begun('a', '1'), begun('b', '2'), { text: 'Hi' }, begun('c', '3')], stop)),
    )
    const reader = await createGoogle({
      apiKey: 'key-of-tests',
      model: 'm',
      fetch,
    }).streamWithTools([{ role: 'user', content: '?' }], [], once)
    const found: StreamEvent[] = []
    for await (const event of reader) found.push(event)
    expect(types(found).filter((type) => type !== 'tool-call-start')).toEqual([
      'tool-call-complete',
      'tool-call-complete',
      'text-delta',
      'tool-call-complete',
      'turn-end',
      'done',
    ])
    expect((reader.messages().at(-1) as AssistantMessage).origin?.state).toEqual([
      { functionCall: { name: 'a', args: { x: '1' } }, thoughtSignature: 'of a' },
      { functionCall: { name: 'b', args: { x: '2' } }, thoughtSignature: 'of b' },
      { text: 'Hi' },
      { functionCall: { name: 'c', args: { x: '3' } }, thoughtSignature: 'of c' },
    ])
  })

  test.each([
    [{ thoughtsTokenCount: 4 }, { outputTokens: 4, reasoningTokens: 4, reported: true }],
    [{ promptTokenCount: 4 }, { inputTokens: 4, outputTokens: 0, reported: true }],
    [{ cachedContentTokenCount: 4 }, { reported: false }],
  ])('streams report the counts %o', async (usageMetadata, usage) => {
    expect((await generate(chunk([{ text: 'Hi' }], stop, { usageMetadata }))).usage).toMatchObject(
      usage,
    )
  })

  test('streams reject protocol for a delta that belongs to no call', async () => {
    expect((await failure(events(chunk([{ functionCall: { partialArgs: [] } }], stop)))).code).toBe(
      'protocol',
    )
    const ended = {
      functionCall: { name: 'a', partialArgs: [{ jsonPath: '$.x', stringValue: '1' }] },
    }
    expect(
      (await failure(events(chunk([ended, { functionCall: { partialArgs: [] } }], stop)))).code,
    ).toBe('protocol')
  })
})

describe('finish reasons', () => {
  test.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content-filter'],
    ['RECITATION', 'content-filter'],
    ['BLOCKLIST', 'content-filter'],
    ['PROHIBITED_CONTENT', 'content-filter'],
    ['SPII', 'content-filter'],
    ['IMAGE_SAFETY', 'content-filter'],
    ['IMAGE_PROHIBITED_CONTENT', 'content-filter'],
    ['IMAGE_RECITATION', 'content-filter'],
    ['LANGUAGE', 'other'],
    ['OTHER', 'other'],
    ['MODEL_ARMOR', 'other'],
    ['MISSING_THOUGHT_SIGNATURE', 'error'],
    ['MALFORMED_FUNCTION_CALL', 'error'],
    ['UNEXPECTED_TOOL_CALL', 'error'],
    ['TOO_MANY_TOOL_CALLS', 'error'],
    ['MALFORMED_RESPONSE', 'error'],
    ['SOMETHING_NEW', 'other'],
    ['constructor', 'other'],
    ['CONTINUATION', 'length'],
  ])('%s → %s', async (finishReason, reason) => {
    expect(await generate(chunk([{ text: 'Hi' }], { finishReason }))).toMatchObject({
      text: 'Hi',
      finishReason: reason,
      rawFinishReason: finishReason,
    })
  })

  test.each([
    [1, 'stop'],
    [2, 'length'],
    [3, 'content-filter'],
    [99, 'other'],
  ])('the number %i → %s', async (finishReason, reason) => {
    expect((await generate(chunk([{ text: 'Hi' }], { finishReason }))).finishReason).toBe(reason)
  })

  test('a blocked prompt is a filtered reply, not an error and not an empty success', async () => {
    const blocked = {
      promptFeedback: { blockReason: 'PROHIBITED_CONTENT', blockReasonMessage: 'no' },
      usageMetadata: { promptTokenCount: 4 },
    }
    expect(await generate(blocked)).toMatchObject({
      text: '',
      finishReason: 'content-filter',
      rawFinishReason: 'PROHIBITED_CONTENT',
      warnings: ['no'],
      usage: { inputTokens: 4 },
    })
    expect((await events(blocked)).at(-1)).toMatchObject({ type: 'done', reason: 'content-filter' })
  })

  test('an unspecified block reason blocks nothing, and a message about a stop is not a warning', async () => {
    const answered = chunk(
      [{ text: 'Hi' }],
      { ...stop, finishMessage: 'All is well.' },
      { promptFeedback: { blockReason: 'BLOCK_REASON_UNSPECIFIED', blockReasonMessage: 'None.' } },
    )
    const { finishReason, warnings } = await generate(answered)
    expect([finishReason, warnings]).toEqual(['stop', undefined])
  })

  test('the error of a malformed call says what was wrong with it', async () => {
    const malformed = await generate({
      candidates: [
        {
          finishReason: 'MALFORMED_FUNCTION_CALL',
          finishMessage: 'Malformed function call: print(x)',
        },
      ],
    })
    expect(malformed).toMatchObject({
      finishReason: 'error',
      warnings: ['Malformed function call: print(x)'],
    })
  })

  test('an unfinished reply continues by its token, without the text so far', async () => {
    let round = 0
    const fetch = recordingFetch(() =>
      answer(
        round++
          ? chunk([{ text: ' two' }], { ...stop })
          : chunk([{ text: 'one' }], {
              finishReason: 'CONTINUATION',
              continuationToken: 'token-1',
            }),
      ),
    )
    const generation = await createGoogle({ apiKey: 'key-of-tests', model: 'm', fetch }).generate([
      { role: 'user', content: '?' },
    ])
    expect(generation.text).toBe('one two')
    expect(fetch.requests[1]!.body).toEqual({
      ...fetch.requests[0]!.body,
      continuationToken: 'token-1',
    })
  })
})

describe('other parts of a reply', () => {
  test('other parts of a reply include images, code run by the vendor, searches, citations and log probabilities', async () => {
    const generation = await generate(
      chunk(
        [
          { executableCode: { id: 'c1', language: 'PYTHON', code: '1' } },
          { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
          { toolCall: { id: 's1', toolType: 'GOOGLE_SEARCH_WEB' } },
          { text: 'Hi' },
          { inlineData: { mimeType: 'image/png', data: 'aW1n' }, thoughtSignature: 's' },
        ],
        {
          ...stop,
          groundingMetadata: {
            webSearchQueries: ['q'],
            groundingChunks: [
              { web: { uri: 'https://a.example', title: 'A' } },
              { retrievedContext: { text: 'B' } },
            ],
            groundingSupports: [
              { segment: { text: 'Hi' }, groundingChunkIndices: [0, 7] },
              { groundingChunkIndices: [1] },
            ],
          },
          citationMetadata: { citationSources: [{ uri: 'https://c.example' }] },
          logprobsResult: {
            chosenCandidates: [{ token: 'Hi', logProbability: -0.1 }],
            topCandidates: [
              {
                candidates: [
                  { token: 'Hi', logProbability: -0.1 },
                  { token: 'Ho', logProbability: -3 },
                ],
              },
            ],
          },
        },
        { modelVersion: 'gemini-3-flash-001' },
      ),
    )
    expect(generation.message.content).toEqual([
      { type: 'text', text: 'Hi' },
      { type: 'image', source: { type: 'base64', data: 'aW1n', mediaType: 'image/png' } },
    ])
    expect(generation.providerToolCalls?.map(({ id, name }) => [id, name])).toEqual([
      ['c1', 'code_execution'],
      [undefined, 'code_execution'],
      ['s1', 'google_search_web'],
      [undefined, 'google_search'],
    ])
    expect(generation.citations).toEqual([
      { url: 'https://a.example', title: 'A', text: 'Hi' },
      { text: 'B' },
      { url: 'https://c.example' },
    ])
    expect(generation.logprobs).toEqual([
      {
        token: 'Hi',
        logprob: -0.1,
        top: [
          { token: 'Hi', logprob: -0.1 },
          { token: 'Ho', logprob: -3 },
        ],
      },
    ])
    expect(generation.message.origin).toMatchObject({
      provider: 'google',
      model: 'gemini-3-flash-001',
    })
    expect(generation.message.origin?.state).toHaveLength(5)
  })

  test('other parts of a reply include sound, files, pages that were read and tools without a name, but no media of a thought', async () => {
    const data = (mimeType: string, more: object = {}): object => ({
      inlineData: { mimeType, data: 'AAAA' },
      ...more,
    })
    const parts = [
      data('audio/wav'),
      data('application/pdf'),
      data('image/png', { thought: true }),
      { toolResponse: { id: 't1' } },
    ]
    const { message, providerToolCalls, citations } = await generate(
      chunk(parts, {
        ...stop,
        urlContextMetadata: { urlMetadata: [] },
        groundingMetadata: { groundingChunks: [] },
        citationMetadata: { citationSources: [] },
      }),
    )
    expect((message.content as readonly { type: string }[]).map(({ type }) => type)).toEqual([
      'audio',
      'file',
    ])
    expect(providerToolCalls?.map(({ id, name }) => [id, name])).toEqual([
      ['t1', 'unknown'],
      [undefined, 'url_context'],
    ])
    expect(citations).toBeUndefined()
    expect(
      (
        await generate(
          chunk([{ text: 'Hi' }], {
            ...stop,
            citationMetadata: { citationSources: [{ uri: 'https://c.example' }] },
          }),
        )
      ).citations,
    ).toEqual([{ url: 'https://c.example' }])
  })

  test('other parts of a reply include files in a storage, which go back as they came', async () => {
    const stored = (fileUri: string, mimeType?: string, more: object = {}): object => ({
      fileData: { fileUri, mimeType },
      ...more,
    })
    const parts = [
      { text: 'There.' },
      stored('gs://b/i.png', 'image/png'),
      stored('gs://b/v.mp4', 'video/mp4'),
      stored('gs://b/x'),
      stored('gs://b/t.png', 'image/png', { thought: true }),
      { fileData: null },
    ]
    const { message, providerToolCalls } = await generate(
      chunk(parts, { ...stop, groundingMetadata: { retrievalQueries: ['q'] } }),
    )
    expect(message.content).toEqual([
      { type: 'text', text: 'There.' },
      { type: 'image', source: { type: 'url', url: 'gs://b/i.png', mediaType: 'image/png' } },
      { type: 'file', source: { type: 'url', url: 'gs://b/v.mp4', mediaType: 'video/mp4' } },
      { type: 'file', source: { type: 'url', url: 'gs://b/x' } },
    ])
    expect(providerToolCalls).toMatchObject([{ name: 'retrieval' }])
    const fetch = recordingFetch(() => answer(chunk([{ text: 'Hi' }], stop)))
    await createGoogle({ apiKey: 'key-of-tests', model: 'm', fetch }).generate([
      { role: 'user', content: '?' },
      message,
      { role: 'user', content: '?' },
    ])
    expect(fetch.requests[0]!.body).toMatchObject({
      contents: [{}, { role: 'model', parts: JSON.parse(JSON.stringify(parts)) as unknown }, {}],
    })
  })

  test('other parts of a reply include log probabilities without alternatives', async () => {
    const { logprobs, averageLogprob } = await generate(
      chunk([{ text: 'Hi' }], {
        ...stop,
        avgLogprobs: -0.25,
        logprobsResult: {
          chosenCandidates: [{ token: 'Hi', logProbability: -0.1 }, { token: '!' }],
        },
      }),
    )
    expect(logprobs).toEqual([{ token: 'Hi', logprob: -0.1 }])
    expect(averageLogprob).toBe(-0.25)
  })

  test("a source of an unknown kind is not a citation; an image's page is one", async () => {
    const groundingMetadata = {
      imageSearchQueries: ['q'],
      groundingChunks: [
        { newKind: { uri: 'https://a.example' } },
        { image: { imageUri: 'https://i.example', sourceUri: 'https://b.example', title: 'B' } },
      ],
    }
    const supported = {
      ...groundingMetadata,
      groundingSupports: [{ segment: { text: 'Hi' }, groundingChunkIndices: [0, 1] }],
    }
    const generation = await generate(chunk([{ text: 'Hi' }], { ...stop, groundingMetadata }))
    expect(generation.citations).toEqual([{ url: 'https://b.example', title: 'B' }])
    expect(generation.providerToolCalls).toMatchObject([{ name: 'google_search' }])
    expect(
      (await generate(chunk([{ text: 'Hi' }], { ...stop, groundingMetadata: supported })))
        .citations,
    ).toEqual([{ url: 'https://b.example', title: 'B', text: 'Hi' }])
  })

  test('other parts of a reply are warnings that name the keywords of a schema which may not be honoured', async () => {
    const provider = create(() => answer(chunk([{ text: '{}' }], stop)))
    const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^a' } } }
    const { warnings } = await provider.generate([{ role: 'user', content: '?' }], {
      responseFormat: { type: 'json-schema', schema },
    })
    expect(warnings).toEqual([
      'google: responseFormat: the API may not hold the model to #/properties/a/pattern',
    ])
    const reader = await create(() => sse(chunk([{ text: '{}' }], stop))).stream('?', {
      responseFormat: { type: 'json-schema', schema },
    })
    for await (const _ of reader);
    expect(reader.details().warnings).toEqual(warnings)
  })
})

test('values of the wrong type never cause an untyped error', async () => {
  const good = chunk(
    [
      { text: 'a', thought: true },
      {
        functionCall: {
          name: 'a',
          args: { x: 1 },
          partialArgs: [{ jsonPath: '$.a', stringValue: 's' }],
        },
      },
      { inlineData: { mimeType: 'image/png', data: 'aW1n' } },
    ],
    {
      ...stop,
      groundingMetadata: {
        webSearchQueries: ['q'],
        groundingChunks: [{ web: { uri: 'u' } }],
        groundingSupports: [{ segment: { text: 's' }, groundingChunkIndices: [0] }],
      },
      citationMetadata: { citations: [{ uri: 'u' }] },
      logprobsResult: {
        chosenCandidates: [{ token: 't', logProbability: 1 }],
        topCandidates: [{ candidates: [{ token: 't' }] }],
      },
    },
    {
      usageMetadata: { promptTokenCount: 1 },
      promptFeedback: { blockReason: 'OTHER' },
      modelVersion: 'm',
    },
  )
  const paths: (string | number)[][] = []
  const walk = (value: unknown, path: (string | number)[]): void => {
    if (path.length) paths.push(path)
    if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value))
        walk(inner, [...path, Array.isArray(value) ? Number(key) : key])
  }
  walk(good, [])
  expect(paths.length).toBeGreaterThan(50)
  for (const path of paths) {
    for (const wrong of [null, 0, 7, 'text', true, [], [null], {}]) {
      const broken = structuredClone(good) as Record<string | number, any> // oxlint-disable-line typescript/no-explicit-any
      const holder = path
        .slice(0, -1)
        .reduce<Record<string | number, any>>((inner, key) => inner[key], broken) // oxlint-disable-line typescript/no-explicit-any
      holder[path.at(-1)!] = wrong
      const error = await generate(broken).then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      if (error !== undefined)
        expect(
          isLlmError(error) && error.code,
          `${path.join('.')} = ${JSON.stringify(wrong)}`,
        ).toMatch(/^(protocol|truncated|unknown)$/)
      if (isLlmError(error, 'unknown'))
        expect(error.message, `${path.join('.')} = ${JSON.stringify(wrong)}`).not.toMatch(
          /is not|undefined|null/,
        )
    }
  }
})
