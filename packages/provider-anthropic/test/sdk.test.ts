import { getEventListeners } from 'node:events'
import { inspect } from 'node:util'
import { BaseAnthropic } from '@anthropic-ai/sdk/client'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { closeServers, serve } from '../../../test/support/answering-server.js'
import { type AnthropicConfig, countTokens, createAnthropic, listModels } from '../src/index.js'

const apiKey = 'sk-ant-secret-0123456789abcdef'
const sse = (...events: readonly { type: string }[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
const hello = sse(
  {
    type: 'message_start',
    message: { model: 'm', content: [], usage: { input_tokens: 1, output_tokens: 1 } },
  } as {
    type: string
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as {
    type: string
  },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } } as {
    type: string
  },
  { type: 'content_block_stop', index: 0 } as { type: string },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } } as {
    type: string
  },
  { type: 'message_stop' },
)

afterEach(async () => {
  vi.restoreAllMocks()
  await closeServers()
})

const provider = (config: Partial<AnthropicConfig>): ReturnType<typeof createAnthropic> =>
  createAnthropic({ model: 'claude-sonnet-4-5', apiKey, ...config })
const once = { retry: { attempts: 1 } }

describe('the SDK only sends requests', () => {
  test.each([408, 409, 429, 500, 503, 529])(
    'status %i: each attempt is one request',
    async (status) => {
      const body = JSON.stringify({ type: 'error', error: { type: 'api_error', message: 'no' } })
      const { origin, paths } = await serve(() => ({
        status,
        headers: { 'content-type': 'application/json', 'x-should-retry': 'true' },
        body,
      }))
      await expect(provider({ baseUrl: origin }).complete('Hi', once)).rejects.toMatchObject({
        provider: 'anthropic',
        status,
      })
      expect(paths).toEqual(['/v1/messages'])
    },
  )

  test('no redirect is followed', async () => {
    const { origin, paths } = await serve((path) =>
      path === '/v1/messages'
        ? { status: 307, headers: { location: '/elsewhere' }, body: '' }
        : { status: 200, body: '{}' },
    )
    await expect(provider({ baseUrl: origin }).complete('Hi', once)).rejects.toMatchObject({
      code: 'redirect-refused',
    })
    expect(paths).toEqual(['/v1/messages'])
  })

  test('a stream is one request over the real transport', async () => {
    const { origin, paths } = await serve(() => ({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: hello,
    }))
    const reader = await provider({ baseUrl: origin }).stream('Hi')
    let text = ''
    for await (const piece of reader) text += piece
    expect([text, reader.finishReason(), reader.usage().outputTokens, paths.length]).toEqual([
      'Hello',
      'stop',
      2,
      1,
    ])
  })

  test('many tokens without a stream and a deprecated model are neither refused nor warned of', async () => {
    const warn = vi.spyOn(console, 'warn')
    const fetch = async (): Promise<Response> =>
      Response.json({
        type: 'message',
        content: [{ type: 'text', text: 'ok' }],
        stop_reason: 'end_turn',
      })
    expect(
      await provider({ model: 'claude-sonnet-4-5', fetch }).complete('Hi', { maxTokens: 128_000 }),
    ).toBe('ok')
    expect(warn).not.toHaveBeenCalled()
  })

  test('the SDK starts no timer of its own', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout')
    const never = provider({
      fetch: () => new Promise(() => undefined),
      timeouts: { headersMs: 1234 },
    })
    await expect(never.complete('Hi', { deadlineMs: 20 })).rejects.toMatchObject({
      code: 'timeout',
    })
    const delays = timers.mock.calls.map(([, ms]) => ms)
    expect(delays).toContain(1234)
    // The SDK's own time-out.
    expect(delays).not.toContain(600_000)
  })

  test('the SDK is asked once for requests that differ in their body, and again for other betas; a fetch that changes headers affects only its request', async () => {
    const built = vi.spyOn(BaseAnthropic.prototype, 'buildRequest')
    const sent: Record<string, string>[] = []
    const fetch = async (_: unknown, init?: RequestInit): Promise<Response> => {
      const headers = init?.headers as Record<string, string>
      sent.push({ ...headers })
      headers['x-left'] = 'behind'
      return Response.json({
        type: 'message',
        content: [{ type: 'text', text: 'ok' }],
        stop_reason: 'end_turn',
      })
    }
    const { complete } = provider({ fetch })
    await complete('One')
    await complete('Two', { vendor: { headers: { 'X-Own': 'mine' } } })
    expect([built.mock.calls.length, sent[1]]).toEqual([1, { ...sent[0], 'x-own': 'mine' }])
    await complete('Three', { vendor: { betas: ['later'] } })
    expect([built.mock.calls.length, sent[2]]).toEqual([
      2,
      { ...sent[0], 'anthropic-beta': 'later' },
    ])
    expect(sent[0]).toMatchObject({ 'x-api-key': apiKey, 'content-type': 'application/json' })
  })

  test('calls at the same time each use their own fetch', async () => {
    const ask = async (host: string): Promise<string> => {
      const { baseUrl } = { baseUrl: `http://${host}.test` }
      const fetch = async (): Promise<Response> => {
        await new Promise((resolve) => setTimeout(resolve, host === 'a' ? 10 : 0))
        return Response.json({
          type: 'message',
          content: [{ type: 'text', text: host }],
          stop_reason: 'end_turn',
        })
      }
      return provider({ baseUrl, fetch }).complete('Hi')
    }
    expect(await Promise.all(['a', 'b', 'c'].map(ask))).toEqual(['a', 'b', 'c'])
    const seen = new Set<string>()
    const shared = provider({
      fetch: async (_, init) => {
        const body = JSON.parse(init?.body as string) as {
          messages: { content: { text: string }[] }[]
        }
        const { text } = body.messages[0]!.content[0]!
        seen.add(text)
        await new Promise((resolve) => setTimeout(resolve, (prompts.indexOf(text) * 7) % 20))
        return Response.json({
          type: 'message',
          content: [{ type: 'text', text }],
          stop_reason: 'end_turn',
        })
      },
    })
    const prompts = Array.from({ length: 50 }, (_, index) => `prompt ${index}`)
    expect(await Promise.all(prompts.map((prompt) => shared.complete(prompt)))).toEqual(prompts)
    expect(seen.size).toBe(50)
  })
})

test('a configuration without a model is refused', () => {
  expect(() => provider({ model: undefined as unknown as string })).toThrow(
    expect.objectContaining({
      code: 'config',
      message: 'anthropic: model must be text: the name of a model',
    }),
  )
})

describe('keys', () => {
  test('a key with a line break in it is refused and appears nowhere', () => {
    const broken = 'sk-ant-secret\n0123456789abcdef'
    let thrown: unknown
    try {
      createAnthropic({ model: 'm', apiKey: broken })
    } catch (error) {
      thrown = error
    }
    expect(thrown).toMatchObject({ code: 'config' })
    expect(inspect(thrown, { depth: 10 })).not.toMatch(/sk-ant|0123456789/)
  })

  test('a server that repeats the key does not get it into an error', async () => {
    const { origin } = await serve(() => ({
      status: 401,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        type: 'error',
        error: { type: 'authentication_error', message: `invalid x-api-key ${apiKey}` },
        request_id: 'req_1',
      }),
    }))
    const error: unknown = await provider({ baseUrl: origin })
      .complete('Hi')
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'auth', status: 401, requestId: 'req_1' })
    expect(inspect(error, { depth: 10 }) + JSON.stringify(error)).not.toContain(apiKey)
  })

  test('a provider shows no key', () => {
    const shown = provider({ headers: { authorization: 'Bearer header-secret' } })
    expect(inspect(shown, { depth: 10, showHidden: true }) + JSON.stringify(shown)).not.toMatch(
      /secret/,
    )
  })
})

test('a thousand streams leave no listener on one signal', async () => {
  const { signal } = new AbortController()
  const warned = vi.spyOn(process, 'emitWarning')
  const asked = provider({
    fetch: async () => new Response(hello, { headers: { 'content-type': 'text/event-stream' } }),
  })
  for (let round = 0; round < 1000; round++) {
    const reader = await asked.stream('Hi', { signal })
    if (round % 3) for await (const _ of reader) if (round % 2) break
    await reader.close()
  }
  expect(getEventListeners(signal, 'abort').length).toBe(0)
  expect(warned).not.toHaveBeenCalled()
})

describe('other endpoints', () => {
  test('listModels reads every page', async () => {
    const { origin, paths } = await serve((path) => {
      const first = !path.includes('after_id')
      const data = first
        ? [{ id: 'a', display_name: 'A', created_at: '2026-01-01T00:00:00Z' }]
        : [{ id: 'b' }]
      return {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ data, has_more: first, last_id: first ? 'a' : 'b' }),
      }
    })
    expect(await listModels({ apiKey, baseUrl: origin })).toEqual([
      { id: 'a', displayName: 'A', createdAt: '2026-01-01T00:00:00Z' },
      { id: 'b' },
    ])
    expect(paths).toEqual(['/v1/models?limit=1000', '/v1/models?limit=1000&after_id=a'])
  })

  test('countTokens sends only what is counted', async () => {
    let body: unknown
    let url = ''
    const fetch = async (input: unknown, init?: RequestInit): Promise<Response> => {
      url = input as string
      body = JSON.parse(init?.body as string)
      return Response.json({ input_tokens: 14 })
    }
    expect(
      await countTokens(
        { apiKey, model: 'claude-sonnet-4-5', fetch },
        [{ role: 'user', content: 'Hi' }],
        { system: 'Be long.', temperature: 0 },
        { system: 'Be brief.' },
      ),
    ).toEqual({ tokens: 14, source: 'provider' })
    expect(url).toBe('https://api.anthropic.com/v1/messages/count_tokens')
    expect(body).toEqual({
      model: 'claude-sonnet-4-5',
      system: [{ type: 'text', text: 'Be brief.' }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
    })
  })

  test('countTokens counts the call that would be made: its budget of thinking, its betas, its headers; and refuses what it would', async () => {
    let body: unknown
    let headers = new Headers()
    const fetch = async (_: unknown, init?: RequestInit): Promise<Response> => {
      body = JSON.parse(init?.body as string)
      headers = new Headers(init?.headers)
      return Response.json({ input_tokens: 14 })
    }
    const config = { apiKey, model: 'claude-sonnet-4-5', fetch }
    await countTokens(config, [{ role: 'user', content: 'Hi' }], {
      reasoning: 'high',
      vendor: { betas: ['b1'], headers: { 'X-Tenant': 't' } },
    })
    expect(body).toMatchObject({ thinking: { type: 'enabled', budget_tokens: 24_576 } })
    expect([
      headers.get('anthropic-beta'),
      headers.get('x-tenant'),
      headers.get('x-api-key'),
      headers.has('authorization'),
    ]).toEqual(['b1', 't', apiKey, false])
    const refused = countTokens(config, [{ role: 'user', content: 'Hi' }], {
      reasoning: 'high',
      maxTokens: 500,
    })
    await expect(refused).rejects.toMatchObject({ code: 'config', provider: 'anthropic' })
  })
})
