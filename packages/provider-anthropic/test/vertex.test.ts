import type { CallOptions, ChatMessage } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import {
  type AnthropicConfig,
  countTokens,
  createAnthropic,
  createAnthropicBatches,
  createAnthropicFiles,
  listModels,
} from '../src/index.js'
import { google, startVertex } from './vertex-server.js'

const model = 'claude-haiku-4-5@20251001'
const place = '/v1/projects/my-project/locations/europe-west1/publishers/anthropic/models'
const hi: ChatMessage = { role: 'user', content: 'Hi' }
const once: CallOptions = { retry: { attempts: 1 } }

/** A configuration for a server, with a token that is another one at each request. */
function configOf(baseUrl: string, more: Partial<AnthropicConfig> = {}) {
  const asked: string[] = []
  const accessToken = (): Promise<string> => {
    asked.push(`token-${asked.length + 1}-of-vertex`)
    return Promise.resolve(`${asked.at(-1) ?? ''}\n`)
  }
  const vertex = { project: 'my-project', location: 'europe-west1', accessToken }
  return { asked, config: { model, baseUrl, vertex, ...more } satisfies AnthropicConfig }
}

/** The error that a promise rejects with. */
const failureOf = (
  promise: Promise<unknown>,
): Promise<Error & { code?: string; status?: number }> =>
  promise.then(
    () => Promise.reject(new Error('nothing failed')),
    (error: unknown) => error as Error,
  )

describe('Claude on Vertex AI, over a socket', () => {
  test('a whole reply and a stream go to the methods of the path, each with a token of its own', async () => {
    await using server = await startVertex()
    const { asked, config } = configOf(server.baseUrl, { betas: ['context-management-2025-06-27'] })
    const provider = createAnthropic(config)
    expect(await provider.generate([hi])).toMatchObject({
      text: 'The sky is blue.',
      finishReason: 'stop',
    })
    let text = ''
    for await (const delta of await provider.stream('Hi')) text += delta
    expect(text).toBe('The sky is blue.')
    expect(server.requests.map(({ path }) => path)).toEqual([
      `${place}/${model}:rawPredict`,
      `${place}/${model}:streamRawPredict`,
    ])
    expect(server.requests.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer token-1-of-vertex',
      'Bearer token-2-of-vertex',
    ])
    expect(server.requests[0]).toMatchObject({
      headers: { 'anthropic-beta': 'context-management-2025-06-27' },
      body: { anthropic_version: 'vertex-2023-10-16' },
    })
    expect(asked).toHaveLength(2)
  })

  test('another attempt asks for another token', async () => {
    await using server = await startVertex()
    server.troubles.push(google(503, 'UNAVAILABLE', 'The service is currently unavailable.'))
    const { asked, config } = configOf(server.baseUrl)
    expect(await createAnthropic(config).complete('Hi')).toBe('The sky is blue.')
    expect(asked).toEqual(['token-1-of-vertex', 'token-2-of-vertex'])
  })

  test('an expired token is an error without the token, and the next call has a new one', async () => {
    await using server = await startVertex()
    server.tokens.delete('token-1-of-vertex')
    const { config } = configOf(server.baseUrl)
    const provider = createAnthropic(config)
    const error = await failureOf(provider.complete('Hi', once))
    expect(error).toMatchObject({ code: 'auth', status: 401, type: 'UNAUTHENTICATED' })
    expect(error.message).toContain('Request had invalid credentials: ')
    expect(JSON.stringify([error.message, error, error.cause])).not.toContain('token-1-of-vertex')
    expect(await provider.complete('Hi', once)).toBe('The sky is blue.')
  })

  test.each([0, 1, 60, 200, 400, 700])(
    'a stream that is cut after %i bytes fails',
    async (cutAt) => {
      await using server = await startVertex()
      server.troubles.push({ cutAt })
      const { config } = configOf(server.baseUrl)
      const read = async (): Promise<void> => {
        const reader = await createAnthropic(config).stream('Hi', once)
        while (!(await reader.next()).done);
      }
      const error = await failureOf(read())
      expect(['truncated', 'network']).toContain(error.code)
    },
  )

  test('a whole reply that is cut fails', async () => {
    await using server = await startVertex()
    server.troubles.push({ cutAt: 40 })
    expect(
      (await failureOf(createAnthropic(configOf(server.baseUrl).config).generate([hi], once))).code,
    ).toMatch(/^(truncated|network)$/)
  })

  const notFound = { code: 404, message: 'Publisher Model `m` was not found.', status: 'NOT_FOUND' }
  test.each([
    ["Google's form", 404, { error: notFound }, 'not-found', 'Publisher Model `m` was not found.'],
    [
      "Google's form in an array",
      404,
      [{ error: notFound }],
      'not-found',
      'Publisher Model `m` was not found.',
    ],
    [
      'no quota',
      429,
      { error: { code: 429, message: 'Quota exceeded.', status: 'RESOURCE_EXHAUSTED' } },
      'rate-limit',
      'Quota exceeded.',
    ],
    [
      'no right',
      403,
      { error: { code: 403, message: 'Denied.', status: 'PERMISSION_DENIED' } },
      'permission',
      'Denied.',
    ],
    [
      "Anthropic's form",
      400,
      {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'prompt is too long' },
        request_id: 'req_vrtx_2',
      },
      'context-length',
      'prompt is too long',
    ],
  ])('a failure is read: %s', async (_form, status, body, code, message) => {
    await using server = await startVertex()
    server.troubles.push({ status, body })
    const error = await failureOf(
      createAnthropic(configOf(server.baseUrl).config).complete('Hi', once),
    )
    expect(error).toMatchObject({ code, status })
    expect(error.message).toContain(`${status} ${code}: ${message}`)
  })

  test('tokens are counted, with the model in the body', async () => {
    await using server = await startVertex()
    const { config } = configOf(server.baseUrl)
    expect(await countTokens(config, [{ role: 'system', content: 'Be brief.' }, hi])).toMatchObject(
      { tokens: 7 },
    )
    expect(server.requests[0]).toMatchObject({
      path: `${place}/count-tokens:rawPredict`,
      body: { model },
    })
  })

  const picture = (source: object): ChatMessage =>
    ({ role: 'user', content: [{ type: 'image', source }] }) as never
  const tool = { name: 'add', description: 'Adds', parameters: { type: 'object', properties: {} } }
  const schema = {
    type: 'json-schema',
    name: 'n',
    schema: { type: 'object', properties: {} },
  } as const
  test.each([
    ['web fetch', [hi], { providerTools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] }, []],
    [
      'the newer web search',
      [hi],
      { providerTools: [{ type: 'web_search_20260209', name: 'web_search' }] },
      [],
    ],
    [
      'code that runs',
      [hi],
      { providerTools: [{ type: 'code_execution_20260120', name: 'code_execution' }] },
      [],
    ],
    ['callers of a tool', [hi], {}, [{ ...tool, callers: ['code'] }]],
    ['a picture by its address', [picture({ type: 'url', url: 'https://a.test/b.png' })], {}, []],
    ['a stored file', [picture({ type: 'file', id: 'f', origin: 'anthropic' })], {}, []],
  ])('%s is refused by name, and nothing is asked', async (_what, messages, options, tools) => {
    await using server = await startVertex()
    const { asked, config } = configOf(server.baseUrl)
    const call = createAnthropic(config).generate(messages, {
      ...(options as CallOptions),
      tools: tools as never,
    })
    await expect(call).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('Claude in Vertex AI has no such thing') as string,
    })
    expect([asked, server.requests]).toEqual([[], []])
  })

  test('batches, files and lists of models are refused, and nothing is asked', async () => {
    await using server = await startVertex()
    const { asked, config } = configOf(server.baseUrl)
    const refused = expect.objectContaining({ code: 'unsupported' }) as Error
    expect(() => createAnthropicBatches(config)).toThrow(refused)
    expect(() => createAnthropicFiles(config)).toThrow(refused)
    await expect(listModels(config)).rejects.toMatchObject({ code: 'unsupported' })
    expect([asked, server.requests]).toEqual([[], []])
  })

  test.each([
    [
      'the web search',
      [hi],
      { providerTools: [{ type: 'web_search_20250305', name: 'web_search' }] },
      [],
    ],
    ['a schema, and a strict tool', [hi], { responseFormat: schema }, [{ ...tool, strict: true }]],
    [
      'a picture',
      [picture({ type: 'base64', mediaType: 'image/png', data: 'iVBORw0KGgo=' })],
      {},
      [tool],
    ],
  ])('%s is taken', async (_what, messages, options, tools) => {
    await using server = await startVertex()
    const { config } = configOf(server.baseUrl)
    const { text } = await createAnthropic(config).generate(messages, { ...options, tools: tools })
    expect(text).toBe('The sky is blue.')
  })

  test('a token that is given once is sent, and is kept out of errors', async () => {
    await using server = await startVertex()
    const vertex = { project: 'my-project', location: 'europe-west1' }
    const provider = createAnthropic({
      model,
      baseUrl: server.baseUrl,
      vertex,
      authToken: 'token-1-of-vertex',
    })
    expect(await provider.complete('Hi')).toBe('The sky is blue.')
    server.tokens.clear()
    expect((await failureOf(provider.complete('Hi', once))).message).not.toContain(
      'token-1-of-vertex',
    )
  })

  test('a callback that fails, or gives nothing, is an error that names it', async () => {
    await using server = await startVertex()
    const ask = (accessToken: () => string) =>
      failureOf(
        createAnthropic({
          model,
          baseUrl: server.baseUrl,
          vertex: { project: 'p', accessToken },
        }).complete('Hi', once),
      )
    const failed = await ask(() => {
      throw new Error('gcloud is not logged in')
    })
    expect(failed).toMatchObject({ code: 'auth' })
    expect(failed.message).toContain(
      'anthropic: vertex.accessToken failed: gcloud is not logged in',
    )
    expect(await ask(() => '')).toMatchObject({ code: 'config' })
    expect(server.requests).toEqual([])
  })
})

const vertex = { project: 'p', accessToken: () => 'token-of-vertex' }
test.each([
  [{ vertex: { project: 'p' } }, 'Vertex AI needs one of vertex.accessToken and authToken'],
  [
    { vertex, authToken: 'token-of-vertex' },
    'Vertex AI needs one of vertex.accessToken and authToken',
  ],
  [{ vertex, apiKey: 'key-0123456789' }, 'Vertex AI takes no apiKey, cloud and apiVersion'],
  [{ vertex, cloud: 'foundry' as const }, 'Vertex AI takes no apiKey, cloud and apiVersion'],
  [{ vertex, apiVersion: '2026-10-21' }, 'Vertex AI takes no apiKey, cloud and apiVersion'],
  [{ vertex: { ...vertex, project: '' } }, 'vertex needs the id of a project'],
  [{ vertex: { ...vertex, project: 'p/../q' } }, 'vertex needs the id of a project'],
  [{ vertex: { ...vertex, location: 'eu/x' } }, 'a location such as'],
])('the configuration %j is refused', (config, message) => {
  expect(() => createAnthropic({ model, ...config })).toThrow(
    expect.objectContaining({
      code: 'config',
      message: expect.stringContaining(message) as string,
    }),
  )
})

test.each([
  [undefined, 'https://aiplatform.googleapis.com'],
  ['global', 'https://aiplatform.googleapis.com'],
  ['us', 'https://aiplatform.us.rep.googleapis.com'],
  ['europe-west1', 'https://europe-west1-aiplatform.googleapis.com'],
])('the location %s has its own address', async (location, root) => {
  const urls: string[] = []
  const fetch: AnthropicConfig['fetch'] = (url) => {
    urls.push(url as string)
    return Promise.resolve(Response.json({}, { status: 400 }))
  }
  const provider = createAnthropic({
    model,
    vertex: { ...vertex, location },
    fetch,
    enforceHosts: true,
  })
  await provider.complete('Hi').catch(() => undefined)
  const where = `projects/p/locations/${location ?? 'global'}/publishers/anthropic/models`
  expect(urls).toEqual([`${root}/v1/${where}/${model}:rawPredict`])
})

test('a model name that would lead to another path is refused', async () => {
  const provider = createAnthropic({
    model: '../../x',
    vertex,
    fetch: () => Promise.reject(new Error('asked')),
  })
  await expect(provider.complete('Hi')).rejects.toMatchObject({ code: 'config' })
})
