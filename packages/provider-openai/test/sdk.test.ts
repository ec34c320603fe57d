import { getEventListeners } from 'node:events'
import { inspect } from 'node:util'
import type { Fetch } from '@modelport/driver'
import OpenAI from 'openai'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { closeServers, serve } from '../../../test/support/answering-server.js'
import { createOpenAI, type OpenAIConfig } from '../src/index.js'
import { message, response, sse } from './support.js'

const apiKey = 'sk-proj-secret-0123456789abcdef'
const once = { retry: { attempts: 1 } }
const hello = sse(
  { type: 'response.created', response: { model: 'm' } } as never,
  {
    type: 'response.output_text.delta',
    output_index: 0,
    content_index: 0,
    delta: 'Hello',
  } as never,
  {
    type: 'response.completed',
    response: { status: 'completed', output: [], usage: { input_tokens: 1, output_tokens: 1 } },
  } as never,
)
const provider = (config: Partial<OpenAIConfig>): ReturnType<typeof createOpenAI> =>
  createOpenAI({ model: 'gpt-5.4', apiKey, api: 'responses', ...config })

afterEach(async () => {
  vi.restoreAllMocks()
  await closeServers()
})

describe('the SDK only sends requests', () => {
  test.each([401, 408, 409, 429, 500, 503])(
    'status %i: one attempt is one request',
    async (status) => {
      const headers = {
        'content-type': 'application/json',
        'x-should-retry': 'true',
        'retry-after': '0',
      }
      const { origin, paths } = await serve(() => ({
        status,
        headers,
        body: '{"error":{"message":"no","type":"x","code":null}}',
      }))
      await expect(
        provider({ baseUrl: `${origin}/v1` }).complete('Hi', once),
      ).rejects.toMatchObject({
        provider: 'openai',
        status,
      })
      expect(paths).toEqual(['/v1/responses'])
    },
  )

  test.each([301, 302, 307, 308])(
    'a redirect with status %i is refused, not followed',
    async (status) => {
      const { origin, paths } = await serve(() => ({
        status,
        headers: { location: '/v1/elsewhere' },
        body: '',
      }))
      await expect(
        provider({ baseUrl: `${origin}/v1` }).complete('Hi', once),
      ).rejects.toMatchObject({
        code: 'redirect-refused',
      })
      expect(paths).toEqual(['/v1/responses'])
    },
  )

  test('a stream is one request over the real transport', async () => {
    const { origin, paths } = await serve(() => ({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: hello,
    }))
    const reader = await provider({ baseUrl: `${origin}/v1` }).stream('Hi')
    let text = ''
    for await (const piece of reader) text += piece
    expect([text, reader.finishReason(), paths]).toEqual(['Hello', 'stop', ['/v1/responses']])
  })

  test('the SDK is asked once for requests that differ in their body; a fetch that changes headers affects only its request', async () => {
    const built = vi.spyOn(OpenAI.prototype, 'buildRequest')
    const sent: Record<string, string>[] = []
    const fetch: Fetch = async (_, init) => {
      const headers = init?.headers as Record<string, string>
      sent.push({ ...headers })
      headers['x-left'] = 'behind'
      return Response.json(response(message('ok')))
    }
    const { complete } = provider({ fetch })
    await complete('One')
    await complete('Two', { vendor: { headers: { 'X-Own': 'mine' } } })
    expect([built.mock.calls.length, sent[1]]).toEqual([1, { ...sent[0], 'x-own': 'mine' }])
    expect(sent[0]).toMatchObject({
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
    })
  })

  test('calls at the same time each go through their own fetch', async () => {
    const fetch: Fetch = async (_, init) => {
      const { input } = JSON.parse(init?.body as string) as { input: [{ content: string }] }
      await new Promise((resolve) =>
        setTimeout(resolve, (prompts.indexOf(input[0].content) * 7) % 5),
      )
      return Response.json(response(message(input[0].content)))
    }
    const shared = provider({ fetch })
    const prompts = Array.from({ length: 50 }, (_, index) => `prompt ${index}`)
    expect(await Promise.all(prompts.map((prompt) => shared.complete(prompt)))).toEqual(prompts)
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
})

test('a signal that many calls share keeps no listener', async () => {
  const controller = new AbortController()
  const { signal } = controller
  let seen = 0
  const fetch: Fetch = async (_, init) => {
    seen = Math.max(seen, getEventListeners(signal, 'abort').length)
    return (init?.body as string).includes('fail')
      ? new Response('no', { status: 400 })
      : new Response(hello, { headers: { 'content-type': 'text/event-stream' } })
  }
  const shared = provider({ fetch })
  for (let call = 0; call < 100; call++) {
    for await (const _ of await shared.stream('Hi', { signal })) continue
    await expect(shared.complete('fail', { signal, ...once })).rejects.toMatchObject({
      code: 'invalid-request',
    })
  }
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  expect(seen).toBe(1)
})

describe('the key', () => {
  const failing: Fetch = async (_, init) => {
    const { authorization } = Object.fromEntries(new Headers(init?.headers))
    return Response.json(
      {
        error: {
          message: `Incorrect API key provided: ${String(authorization)}`,
          type: 'invalid_request_error',
          code: 'invalid_api_key',
        },
      },
      { status: 401 },
    )
  }

  test('a key with a line break is refused before anything is sent, and shown nowhere', () => {
    for (const broken of [`${apiKey}\nx`, `${apiKey}\r\nx-evil: 1`, `a ${apiKey}`]) {
      const caught = ((): unknown => {
        try {
          return provider({ apiKey: broken })
        } catch (error) {
          return error
        }
      })()
      expect(caught).toMatchObject({ code: 'config' })
      expect(`${inspect(caught, { depth: 9 })}${JSON.stringify(caught)}`).not.toContain('secret')
    }
    expect(() => provider({ apiKey: `${apiKey}\n` })).not.toThrow()
  })

  test('the key is in no error and in no inspection', async () => {
    const shared = provider({ fetch: failing })
    const error = await shared.complete('Hi', once).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'auth', status: 401 })
    for (const value of [error, shared]) {
      expect(inspect(value, { depth: 12, showHidden: true }), 'inspection').not.toContain(
        'secret-0123',
      )
      expect(JSON.stringify(value), 'JSON').not.toContain('secret-0123')
    }
    expect((error as Error).message).toContain('[redacted]')
  })

  test('the key is needed at OpenAI, not elsewhere', async () => {
    expect(() => createOpenAI({ model: 'gpt-5.4' })).toThrow(
      expect.objectContaining({ code: 'config' }),
    )
    let headers = new Headers()
    const fetch: Fetch = async (_, init) => {
      headers = new Headers(init?.headers)
      return Response.json(response(message('Hi')))
    }
    await createOpenAI({
      model: 'tiny',
      baseUrl: 'http://localhost:8080/v1',
      api: 'responses',
      fetch,
    }).complete('Hi')
    expect([headers.get('authorization'), headers.get('api-key')]).toEqual([null, null])
  })
})

describe('hosts', () => {
  const first = async (config: Partial<OpenAIConfig>): Promise<string> => {
    const urls: string[] = []
    const fetch: Fetch = async (input) => {
      urls.push(input as string)
      return Response.json({ error: { message: 'enough' } }, { status: 400 })
    }
    await createOpenAI({ model: 'gpt-5.4', apiKey, fetch, enforceHosts: true, ...config })
      .complete('Hi', once)
      .catch(() => undefined)
    return urls.join()
  }

  test.each<[Partial<OpenAIConfig>, string]>([
    [{}, 'https://api.openai.com/v1/responses'],
    [{ api: 'chat' }, 'https://api.openai.com/v1/chat/completions'],
    [{ baseUrl: 'https://eu.api.openai.com/v1' }, 'https://eu.api.openai.com/v1/responses'],
    [{ baseUrl: 'https://api.openai.com/v1/?q=1#f' }, 'https://api.openai.com/v1/responses'],
    [{ baseUrl: 'https://proxy.test/openai' }, 'https://proxy.test/openai/chat/completions'],
    [
      { baseUrl: 'https://api.openai.com.evil.test/v1' },
      'https://api.openai.com.evil.test/v1/chat/completions',
    ],
    [{ baseUrl: 'http://[::1]:8080/v1', api: 'responses' }, 'http://[::1]:8080/v1/responses'],
    [
      { baseUrl: 'https://r.openai.azure.com/openai/v1/' },
      'https://r.openai.azure.com/openai/v1/responses',
    ],
  ])('the hosts of %o are listed', async (config, url) => {
    expect(await first(config)).toBe(url)
  })

  test('a host that is not allowed is not contacted', async () => {
    expect(await first({ enforceHosts: ['other.test:443'] })).toBe('')
  })

  test('an API it does not speak is refused', () => {
    expect(() => provider({ api: 'completions' as 'chat' })).toThrow(
      expect.objectContaining({
        code: 'config',
        message: 'openai: api must be "responses" or "chat", not "completions"',
      }),
    )
  })

  test.each(['responses', 'chat'] as const)(
    'a configuration without a model is refused: %s',
    (api) => {
      expect(() => provider({ api, model: undefined as unknown as string })).toThrow(
        expect.objectContaining({
          code: 'config',
          message: 'openai: model must be text: the name of a model',
        }),
      )
    },
  )

  test('bad addresses are refused', () => {
    for (const baseUrl of ['localhost:8080', 'https://user:pass@host.test', 'ftp://host.test']) {
      expect(() => provider({ baseUrl })).toThrow(
        expect.objectContaining({ code: 'invalid-base-url' }),
      )
    }
  })
})
