import { inspect } from 'node:util'
import type { Fetch } from '@modelport/driver'
import { describe, expect, test } from 'vitest'
import { createOpenAI, createOpenAIEmbedder, listModels, type OpenAIConfig } from '../src/index.js'
import { completion, message, recordingFetch, response, streamed } from './support.js'

const endpoint = 'https://res.openai.azure.com'
const deployed = { endpoint, deployment: 'my deployment', apiVersion: '2025-04-01-preview' }
const apiKey = 'azure-key-0123456789'
const create = (config: Partial<OpenAIConfig>): ReturnType<typeof createOpenAI> =>
  createOpenAI({ model: 'gpt-4.1', ...config })

describe('addresses and keys', () => {
  test('addresses and keys are those of a deployment, with api-version and api-key', async () => {
    const { fetch, sent } = recordingFetch(completion('Hi'))
    const provider = create({ apiKey, azure: deployed, fetch, enforceHosts: true })
    expect(await provider.complete('Hi', { maxTokens: 9 })).toBe('Hi')
    expect([provider.name, provider.cheapestModel]).toEqual(['azure-openai', 'gpt-4.1'])
    expect(sent[0]?.url).toBe(
      'https://res.openai.azure.com/openai/deployments/my%20deployment/chat/completions?api-version=2025-04-01-preview',
    )
    expect([sent[0]?.headers.get('api-key'), sent[0]?.headers.get('authorization')]).toEqual([
      apiKey,
      null,
    ])
    expect(sent[0]?.body).toMatchObject({ max_completion_tokens: 9 })
  })

  test('addresses and keys of the Responses API are those of the resource', async () => {
    const { fetch, sent } = recordingFetch(response(message('Hi')))
    await create({ apiKey, azure: deployed, api: 'responses', fetch }).complete('Hi')
    expect(sent[0]?.url).toBe(
      'https://res.openai.azure.com/openai/responses?api-version=2025-04-01-preview',
    )
    expect(sent[0]?.body).toMatchObject({ model: 'my deployment' })
  })

  test.each([endpoint, `${endpoint}/`, `${endpoint}/openai`, `${endpoint}/openai/v1/`])(
    'the endpoint %s gets the v1 form of an address',
    async (address) => {
      const { fetch, sent } = recordingFetch(response(message('Hi')))
      await create({ apiKey, azure: { endpoint: address }, fetch }).complete('Hi')
      expect(sent[0]?.url).toBe('https://res.openai.azure.com/openai/v1/responses')
      expect(sent[0]?.headers.get('api-key')).toBe(apiKey)
      await create({ apiKey, azure: { endpoint: address, apiVersion: 'preview' }, fetch }).complete(
        'Hi',
      )
      expect(sent[1]?.url).toBe(
        'https://res.openai.azure.com/openai/v1/responses?api-version=preview',
      )
    },
  )

  test('addresses and keys of embeddings and models are those of the deployment and the resource', async () => {
    const { fetch, sent } = recordingFetch(
      { data: [{ embedding: [1, 2] }] },
      { data: [{ id: 'gpt-4.1', created: 0 }] },
    )
    await createOpenAIEmbedder({
      apiKey,
      model: 'text-embedding-3-small',
      azure: deployed,
      fetch,
    }).embed(['Hi'])
    expect(await listModels({ apiKey, azure: deployed, fetch })).toEqual([
      { id: 'gpt-4.1', createdAt: '1970-01-01T00:00:00.000Z' },
    ])
    expect(sent.map(({ url, headers }) => [url, headers.get('api-key')])).toEqual([
      [
        'https://res.openai.azure.com/openai/deployments/my%20deployment/embeddings?api-version=2025-04-01-preview',
        apiKey,
      ],
      ['https://res.openai.azure.com/openai/models?api-version=2025-04-01-preview', apiKey],
    ])
  })

  test.each<[Partial<OpenAIConfig>, RegExp]>([
    [{ azure: deployed }, /apiKey or azure.azureADTokenProvider/],
    [{ apiKey, azure: { ...deployed, azureADTokenProvider: async () => 'x' } }, /not both/],
    [{ apiKey, azure: { endpoint, deployment: 'd' } }, /apiVersion/],
    [{ apiKey, azure: deployed, baseUrl: 'https://x.test' }, /not both/],
  ])('addresses and keys are refused in %o', (config, words) => {
    expect(() => create(config)).toThrow(
      expect.objectContaining({ code: 'config', message: expect.stringMatching(words) as string }),
    )
  })
})

describe('Entra tokens', () => {
  const tokens = ['eyJ-first-0123456789', 'eyJ-second-0123456789']
  const rotating = (): (() => Promise<string>) => {
    let calls = 0
    return async () => tokens[Math.min(calls++, 1)] as string
  }

  test('Entra tokens are asked for at each request', async () => {
    const { fetch, sent } = recordingFetch(completion('Hi'))
    const provider = create({ azure: { ...deployed, azureADTokenProvider: rotating() }, fetch })
    await provider.complete('Hi')
    await provider.complete('Hi')
    expect(sent.map(({ headers }) => headers.get('authorization'))).toEqual(
      tokens.map((token) => `Bearer ${token}`),
    )
    expect(sent[0]?.headers.get('api-key')).toBeNull()
  })

  test('Entra tokens are redacted like a key, old and new, also for embeddings', async () => {
    const fetch: Fetch = async () =>
      Response.json(
        { error: { message: `bad tokens: ${tokens.join(' ')}`, code: '401' } },
        { status: 401 },
      )
    const azure = { ...deployed, azureADTokenProvider: rotating() }
    const provider = create({ azure, fetch })
    await provider.complete('Hi').catch(() => undefined)
    const error: unknown = await provider.complete('Hi').catch((reason: unknown) => reason)
    expect(error).toMatchObject({
      code: 'auth',
      status: 401,
      message: expect.stringContaining('[redacted] [redacted]') as string,
    })
    expect(inspect([error, provider], { depth: 12, showHidden: true })).not.toMatch(/eyJ-/)
    const embedder = createOpenAIEmbedder({
      model: 'm',
      azure: { ...deployed, azureADTokenProvider: async () => tokens[0] as string },
      fetch,
    })
    expect(
      inspect(await embedder.embed(['Hi']).catch((reason: unknown) => reason), { depth: 12 }),
    ).not.toMatch(/eyJ-first/)
  })

  test('Entra tokens reject auth if the callback fails, and config if it gives something else', async () => {
    const { fetch, sent } = recordingFetch(completion('Hi'))
    const failing = (azureADTokenProvider: () => Promise<string>): Promise<unknown> =>
      create({ azure: { ...deployed, azureADTokenProvider }, fetch })
        .complete('Hi', { retry: { attempts: 1 } })
        .catch((reason: unknown) => reason)
    expect(await failing(() => Promise.reject(new Error('no identity')))).toMatchObject({
      code: 'auth',
      message: expect.stringContaining('no identity') as string,
    })
    expect(await failing(async () => 'a b\nc')).toMatchObject({ code: 'config' })
    expect(sent).toHaveLength(0)
  })
})

describe('content filters', () => {
  const filtered = {
    error: {
      code: 'content_filter',
      message: 'The response was filtered',
      status: 400,
      param: 'prompt',
      innererror: {
        code: 'ResponsibleAIPolicyViolation',
        content_filter_result: { violence: { filtered: true, severity: 'high' } },
      },
    },
  }

  test.each([filtered, { error: { ...filtered.error, code: 'BadRequest' } }])(
    'content filters are a content-filter error in an error body',
    async (body) => {
      const fetch: Fetch = async () => Response.json(body, { status: 400 })
      for (const api of ['chat', 'responses'] as const) {
        await expect(
          create({ apiKey, azure: deployed, api, fetch }).complete('Hi'),
        ).rejects.toMatchObject({
          code: 'content-filter',
          status: 400,
        })
      }
    },
  )

  test('content filters are reported from chunks, the first of which has no choice', async () => {
    const chunk = (choices: readonly object[], more: object = {}): object => ({
      object: 'chat.completion.chunk',
      model: 'gpt-4.1',
      choices,
      ...more,
    })
    const { fetch } = recordingFetch(() =>
      streamed(
        chunk([], {
          model: '',
          prompt_filter_results: [
            {
              prompt_index: 0,
              content_filter_results: { hate: { filtered: false, severity: 'safe' } },
            },
          ],
        }),
        chunk([
          {
            index: 0,
            delta: { role: 'assistant', content: '' },
            finish_reason: null,
            content_filter_results: {},
          },
        ]),
        chunk([
          {
            index: 0,
            delta: { content: 'I ' },
            finish_reason: null,
            content_filter_results: { hate: { filtered: false } },
          },
        ]),
        chunk([
          {
            index: 0,
            delta: {},
            finish_reason: 'content_filter',
            content_filter_results: { hate: { filtered: true, severity: 'high' } },
          },
        ]),
      ),
    )
    const reader = await create({ apiKey, azure: deployed, fetch }).stream('Hi')
    let text = ''
    for await (const piece of reader) text += piece
    expect([text, reader.finishReason()]).toEqual(['I ', 'content-filter'])
  })

  test('an unknown deployment rejects not-found', async () => {
    const fetch: Fetch = async () =>
      Response.json(
        {
          error: {
            code: 'DeploymentNotFound',
            message: 'The API deployment for this resource does not exist.',
          },
        },
        { status: 404 },
      )
    await expect(create({ apiKey, azure: deployed, fetch }).complete('Hi')).rejects.toMatchObject({
      code: 'not-found',
    })
  })
})
