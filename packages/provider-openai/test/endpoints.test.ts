import { describe, expect, test } from 'vitest'
import { capabilities } from '../src/capabilities.js'
import { countTokens, createOpenAI, createOpenAIEmbedder, listModels } from '../src/index.js'
import { recordingFetch } from './support.js'

const apiKey = 'sk-test-0123456789'

describe('embeddings', () => {
  test('embeddings are asked for in one request per batch, and come in the order of the texts', async () => {
    const { fetch, sent } = recordingFetch({
      data: [
        { index: 1, embedding: [2, 2] },
        { index: 0, embedding: [1, 1] },
      ],
      usage: { prompt_tokens: 5 },
    })
    const embedder = createOpenAIEmbedder({
      apiKey,
      model: 'text-embedding-3-small',
      dimensions: 2,
      fetch,
    })
    const { vectors, usage } = await embedder.embed(['a', 'b'])
    expect([vectors, usage.inputTokens, embedder.name]).toEqual([
      [
        [1, 1],
        [2, 2],
      ],
      5,
      'openai',
    ])
    expect(sent[0]?.url).toBe('https://api.openai.com/v1/embeddings')
    expect(sent[0]?.body).toEqual({
      model: 'text-embedding-3-small',
      input: ['a', 'b'],
      encoding_format: 'float',
      dimensions: 2,
    })
    expect(sent[0]?.headers.get('authorization')).toBe(`Bearer ${apiKey}`)
  })
})

test('listModels lists the models of the server', async () => {
  const { fetch, sent } = recordingFetch({
    object: 'list',
    data: [{ id: 'gpt-5.4', created: 1_772_000_000, owned_by: 'system' }, {}],
  })
  expect(await listModels({ apiKey, project: 'proj', fetch })).toEqual([
    { id: 'gpt-5.4', createdAt: '2026-02-25T06:13:20.000Z', ownedBy: 'system' },
  ])
  expect([sent[0]?.method, sent[0]?.url, sent[0]?.headers.get('openai-project')]).toEqual([
    'GET',
    'https://api.openai.com/v1/models',
    'proj',
  ])
})

test('countTokens reports the count of the server', async () => {
  const { fetch, sent } = recordingFetch({ object: 'response.input_tokens', input_tokens: 42 })
  const count = await countTokens(
    { apiKey, model: 'gpt-5.4', fetch },
    [{ role: 'user', content: 'Hi' }],
    {
      system: 'S',
      tools: [{ name: 't', description: 'T' }],
    },
  )
  expect(count).toEqual({ tokens: 42, source: 'provider' })
  expect(sent[0]?.url).toBe('https://api.openai.com/v1/responses/input_tokens')
  expect(sent[0]?.body).toEqual({
    model: 'gpt-5.4',
    instructions: 'S',
    input: [{ role: 'user', content: 'Hi' }],
    tools: [
      {
        type: 'function',
        name: 't',
        description: 'T',
        parameters: { type: 'object', properties: {} },
        strict: false,
      },
    ],
  })
})

test('capabilities names a source for each ability', () => {
  const { providerTools, fewestTokens: _least, ...found } = capabilities({ model: 'gpt-5.4' })
  expect(providerTools).toHaveProperty('webSearch')
  expect(
    Object.fromEntries(Object.entries(found).map(([name, { supported }]) => [name, supported])),
  ).toEqual({
    tools: true,
    parallelTools: 'by-model',
    images: 'by-model',
    schema: 'by-model',
    logprobs: 'by-model',
    reasoning: true,
    embeddings: true,
    files: true,
  })
  for (const { source } of Object.values(found)) expect(source).toMatch(/^https:/)
  expect(capabilities({ model: 'gpt-4.1' })).toMatchObject({
    reasoning: { supported: 'by-model' },
    logprobs: { supported: true },
  })
  expect(
    capabilities({ model: 'gpt-4.1', profile: { supportsJsonSchema: true } }).schema,
  ).toMatchObject({
    supported: true,
    source: expect.stringContaining('profile') as string,
  })
})

test("the cheapest model is OpenAI's at OpenAI, the model itself elsewhere, and may be set", () => {
  expect(createOpenAI({ apiKey, model: 'gpt-5.4' }).cheapestModel).toBe('gpt-5.4-mini')
  expect(createOpenAI({ model: 'tiny', baseUrl: 'http://localhost:8080/v1' }).cheapestModel).toBe(
    'tiny',
  )
  expect(
    createOpenAI({ apiKey, model: 'gpt-5.4', cheapestModel: 'gpt-5.4-nano' }).cheapestModel,
  ).toBe('gpt-5.4-nano')
})
