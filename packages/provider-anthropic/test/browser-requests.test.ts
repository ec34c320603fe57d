import { afterEach, describe, expect, test, vi } from 'vitest'
import { stubPage } from '../../../test/support/page.js'
import { buildRequests as withoutSdk } from '../src/browser-requests.js'
import type { AnthropicConnection } from '../src/config.js'
import { toConnection } from '../src/connection.js'
import { countTokens, createAnthropic, listModels } from '../src/index.js'
import { buildRequests as withSdk } from '../src/requests.js'

const apiKey = 'sk-ant-own-0123456789'
const model = 'claude-sonnet-4-5'

/** What the SDK says of itself, and what `postJson` says of the body. */
const ofTheSdk = /^(x-stainless-.*|user-agent|accept|content-type)$/

describe('without the SDK the same requests are made', () => {
  test.each<AnthropicConnection>([
    { apiKey },
    { authToken: 'a-token-0123456789' },
    { apiKey, authToken: 'a-token-0123456789' },
    { apiKey, apiVersion: '2026-10-21', dangerouslyAllowBrowser: true },
    { apiKey, baseUrl: 'https://proxy.test/some/where/v1/' },
    { baseUrl: 'http://[::1]:8080' },
  ])('without the SDK the same requests are made for %j', async (config) => {
    const connection = toConnection(config)
    for (const betas of [[], ['one'], ['one', 'two']]) {
      const [bySdk, byUs] = await Promise.all(
        [withSdk, withoutSdk].map((build) =>
          build(connection, config.dangerouslyAllowBrowser ?? false)(betas),
        ),
      )
      const headers = Object.fromEntries(
        Object.entries(bySdk!.headers).filter(([name]) => !ofTheSdk.test(name)),
      )
      expect(byUs).toEqual({ url: bySdk!.url, headers })
    }
  })
})

describe('in a page, where users can see the key', () => {
  afterEach(() => {
    vi.unstubAllGlobals()
  })

  test.each([
    [
      'with the SDK',
      (dangerouslyAllowBrowser: boolean): unknown =>
        createAnthropic({ model, apiKey, dangerouslyAllowBrowser }),
    ],
    [
      'without it',
      (dangerouslyAllowBrowser: boolean): unknown =>
        withoutSdk(toConnection({ apiKey }), dangerouslyAllowBrowser),
    ],
  ])('a page is refused %s, with what would allow it', (_, create) => {
    stubPage()
    expect(() => create(false)).toThrow(
      expect.objectContaining({
        code: 'config',
        message: expect.stringContaining('dangerouslyAllowBrowser: true') as string,
      }),
    )
    expect(create(true)).toBeDefined()
  })

  test('where that is allowed, every request has the header of browsers', async () => {
    stubPage()
    const told: unknown[] = []
    const fetch = async (_: unknown, init?: RequestInit): Promise<Response> => {
      told.push(new Headers(init?.headers).get('anthropic-dangerous-direct-browser-access'))
      return Response.json({
        type: 'message',
        content: [{ type: 'text', text: 'Hello' }],
        stop_reason: 'end_turn',
        data: [],
        input_tokens: 1,
      })
    }
    const config = { model, apiKey, dangerouslyAllowBrowser: true, fetch }
    await createAnthropic(config).complete('Hi')
    await listModels(config)
    await countTokens(config, [{ role: 'user', content: 'Hi' }])
    expect(told).toEqual(['true', 'true', 'true'])
  })
})
