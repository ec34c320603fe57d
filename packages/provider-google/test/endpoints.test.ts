import { isLlmError } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { capabilities } from '../src/capabilities.js'
import {
  cheapestModel,
  countTokens,
  createGoogle,
  createGoogleEmbedder,
  listModels,
} from '../src/index.js'
import { answer, recordingFetch } from './support.js'

const apiKey = 'key-of-tests'
const vertex = { project: 'demo', location: 'us-central1', accessToken: () => 'token-of-tests' }
const host = 'https://generativelanguage.googleapis.com/v1beta/models'
const vertexHost =
  'https://us-central1-aiplatform.googleapis.com/v1beta1/projects/demo/locations/us-central1/publishers/google/models'

describe('embeddings', () => {
  test('embeddings take vendor fields, which are merged deep, and headers', async () => {
    const fetch = recordingFetch(() => answer({ predictions: [{ embeddings: { values: [1] } }] }))
    const embedder = createGoogleEmbedder({
      vertex,
      model: 'gemini-embedding-001',
      fetch,
      dimensions: 1,
    })
    await embedder.embed(['a'], {
      vendor: { parameters: { autoTruncate: false }, headers: { 'x-team': 'one' } },
    })
    expect(fetch.requests[0]).toMatchObject({
      body: { parameters: { outputDimensionality: 1, autoTruncate: false } },
      headers: { 'x-team': 'one' },
    })
    await expect(embedder.embed(['a'], { vendor: { model: 'other' } })).rejects.toMatchObject({
      code: 'config',
    })
  })

  test('embeddings are asked for in batches of 100, in order, with the purpose', async () => {
    const fetch = recordingFetch(({ body }) =>
      answer({
        // oxlint-disable-next-line typescript/no-explicit-any -- JSON
        embeddings: body.requests.map((request: any) => ({
          values: [Number(request.content.parts[0].text), 1],
        })),
      }),
    )
    const embedder = createGoogleEmbedder({
      apiKey,
      model: 'gemini-embedding-001',
      fetch,
      dimensions: 2,
    })
    const { vectors, usage } = await embedder.embed(
      Array.from({ length: 250 }, (_, index) => String(index)),
      { purpose: 'query' },
    )
    expect(vectors.map(([first]) => first)).toEqual(
      Array.from({ length: 250 }, (_, index) => index),
    )
    expect(usage.reported).toBe(false)
    expect(
      fetch.requests.map(({ url, method, body, headers }) => [
        url,
        method,
        body.requests.length,
        headers['x-goog-api-key'],
      ]),
    ).toEqual(
      [100, 100, 50].map((count) => [
        `${host}/gemini-embedding-001:batchEmbedContents`,
        'POST',
        count,
        apiKey,
      ]),
    )
    expect(fetch.requests[2]!.body.requests[0]).toEqual({
      model: 'models/gemini-embedding-001',
      content: { parts: [{ text: '200' }] },
      taskType: 'RETRIEVAL_QUERY',
      outputDimensionality: 2,
    })
  })

  test('embeddings are asked for one by one at Vertex AI, with tokens counted', async () => {
    const fetch = recordingFetch(() =>
      answer({ predictions: [{ embeddings: { values: [1, 2], statistics: { token_count: 3 } } }] }),
    )
    const { vectors, usage } = await createGoogleEmbedder({
      vertex,
      model: 'gemini-embedding-001',
      fetch,
    }).embed(['a', 'b'], { purpose: 'document' })
    expect([vectors, usage.inputTokens, usage.reported]).toEqual([
      [
        [1, 2],
        [1, 2],
      ],
      6,
      true,
    ])
    expect(
      fetch.requests.map(({ url, body, headers }) => [url, body, headers['authorization']]),
    ).toEqual(
      ['a', 'b'].map((content) => [
        `${vertexHost}/gemini-embedding-001:predict`,
        { instances: [{ content, task_type: 'RETRIEVAL_DOCUMENT' }] },
        'Bearer token-of-tests',
      ]),
    )
  })

  test('embeddings reject typed on a failure and on a wrong number of vectors', async () => {
    const failing = createGoogleEmbedder({
      apiKey,
      model: 'm',
      fetch: recordingFetch(() =>
        answer({ error: { code: 400, message: 'no', status: 'INVALID_ARGUMENT' } }, 400),
      ),
    })
    await expect(failing.embed(['a'])).rejects.toMatchObject({
      code: 'invalid-request',
      message: 'google: 400 invalid-request: no',
    })
    const short = createGoogleEmbedder({
      apiKey,
      model: 'm',
      fetch: recordingFetch(() => answer({ embeddings: [] })),
    })
    await expect(short.embed(['a'])).rejects.toSatisfy((error) => isLlmError(error, 'protocol'))
  })
})

describe('models and tokens', () => {
  test('listModels reads all pages', async () => {
    const fetch = recordingFetch(({ url }) =>
      url.includes('pageToken=2')
        ? answer({ models: [{ name: 'models/b' }, {}] })
        : answer({
            models: [{ name: 'models/a', inputTokenLimit: 10, outputTokenLimit: 5 }],
            nextPageToken: '2',
          }),
    )
    expect(await listModels({ apiKey, model: 'm', fetch })).toEqual([
      { id: 'a', inputTokenLimit: 10, outputTokenLimit: 5 },
      { id: 'b' },
    ])
    expect(fetch.requests.map(({ url, method }) => [url, method])).toEqual([
      [`${host}?pageSize=1000`, 'GET'],
      [`${host}?pageSize=1000&pageToken=2`, 'GET'],
    ])
    expect(fetch.requests.every(({ headers }) => headers['x-goog-api-key'] === apiKey)).toBe(true)
  })

  test('listModels lists publisher models at Vertex AI', async () => {
    const fetch = recordingFetch(() =>
      answer({ publisherModels: [{ name: 'publishers/google/models/a' }] }),
    )
    expect(await listModels({ vertex, model: 'm', fetch })).toEqual([{ id: 'a' }])
    expect(fetch.requests[0]!.url).toBe(
      'https://us-central1-aiplatform.googleapis.com/v1beta1/publishers/google/models?pageSize=1000',
    )
  })

  test('countTokens counts the system text', async () => {
    const messages = [
      { role: 'system', content: 'S' },
      { role: 'user', content: 'Hi' },
    ] as const
    const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }]
    const systemInstruction = { parts: [{ text: 'S' }] }
    const fetch = recordingFetch(() => answer({ totalTokens: 4 }))
    expect(await countTokens({ apiKey, model: 'gemini-3-flash-preview', fetch }, messages)).toEqual(
      {
        tokens: 4,
        source: 'provider',
      },
    )
    expect(await countTokens({ vertex, model: 'gemini-3-flash-preview', fetch }, messages)).toEqual(
      {
        tokens: 4,
        source: 'provider',
      },
    )
    expect(fetch.requests.map(({ url, body }) => [url, body])).toEqual([
      [
        `${host}/gemini-3-flash-preview:countTokens`,
        {
          generateContentRequest: {
            model: 'models/gemini-3-flash-preview',
            contents,
            systemInstruction,
          },
        },
      ],
      [`${vertexHost}/gemini-3-flash-preview:countTokens`, { contents, systemInstruction }],
    ])
  })

  test('countTokens counts defaults, options and tools', async () => {
    const fetch = recordingFetch(() => answer({ totalTokens: 9 }))
    const tools = [{ name: 'now', description: 'The time' }]
    const model = 'gemini-3-flash-preview'
    await countTokens(
      { apiKey, model, fetch, defaults: { system: 'S' } },
      [{ role: 'user', content: 'Hi' }],
      { tools },
      { system: 'T' },
    )
    await countTokens({ vertex, model, fetch }, [{ role: 'user', content: 'Hi' }], { tools })
    const counted = {
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      tools: [{ functionDeclarations: tools }],
    }
    expect(fetch.requests.map(({ body }) => body)).toEqual([
      {
        generateContentRequest: {
          model: `models/${model}`,
          ...counted,
          systemInstruction: { parts: [{ text: 'T' }] },
        },
      },
      counted,
    ])
  })

  test('capabilities names a source for each ability', () => {
    const {
      providerTools,
      fewestTokens: _least,
      ...found
    } = capabilities({ model: 'gemini-3.8-flash' })
    expect(providerTools).toHaveProperty('webSearch')
    expect(
      Object.fromEntries(Object.entries(found).map(([name, { supported }]) => [name, supported])),
    ).toEqual({
      tools: true,
      parallelTools: true,
      images: true,
      schema: true,
      logprobs: 'by-model',
      reasoning: true,
      embeddings: true,
      files: true,
    })
    for (const { source } of Object.values(found)) expect(source).toMatch(/^https:/)
    expect(capabilities({ model: 'gemini-2.0-flash' }).reasoning.supported).toBe(false)
    expect(
      capabilities({ model: 'gemini-2.0-flash', profile: { supportsTools: false } }),
    ).toMatchObject({
      tools: { supported: false },
      parallelTools: { supported: false },
    })
  })

  test("the cheapest model is that of the table, or the configuration's", () => {
    expect(createGoogle({ apiKey, model: 'm' }).cheapestModel).toBe(cheapestModel)
    expect(createGoogle({ apiKey, model: 'm', cheapestModel: 'mine' }).cheapestModel).toBe('mine')
    expect(cheapestModel).toBe('gemini-3.1-flash-lite')
  })
})
