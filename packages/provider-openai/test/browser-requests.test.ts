import { afterEach, describe, expect, test, vi } from 'vitest'
import { stubPage } from '../../../test/support/page.js'
import { buildRequests as withoutSdk } from '../src/browser-requests.js'
import type { OpenAIConfig } from '../src/config.js'
import { toEndpoint } from '../src/endpoint.js'
import { createOpenAI } from '../src/index.js'
import { buildRequests as withSdk } from '../src/requests.js'

const model = 'gpt-5.2'
const apiKey = 'sk-own-0123456789'
const endpoint = 'https://r.openai.azure.com'
const azureADTokenProvider = async (): Promise<string> => 'a-token-of-entra'

/** What the SDK says of itself, and what `postJson` says of the body. */
const ofTheSdk = /^(x-stainless-.*|user-agent|accept|content-type)$/

const own = (headers: Readonly<Record<string, string>>): object =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ofTheSdk.test(name)))

describe('without the SDK the same requests are made', () => {
  test.each<Omit<OpenAIConfig, 'model'>>([
    { apiKey },
    { apiKey, organization: 'org-1', project: 'proj_1' },
    { apiKey, baseUrl: 'https://eu.api.openai.com/v1/' },
    { apiKey, baseUrl: 'http://[::1]:8080/some/where?q=1#f' },
    { baseUrl: 'http://localhost:8080/v1' },
    { apiKey, azure: { endpoint } },
    { apiKey, azure: { endpoint, apiVersion: 'preview' } },
    { apiKey, azure: { endpoint, deployment: 'mein Einsatz/1', apiVersion: '2025-04-01-preview' } },
    { azure: { endpoint, azureADTokenProvider } },
    {
      azure: { endpoint, deployment: 'd', apiVersion: '2025-04-01-preview', azureADTokenProvider },
      project: 'proj_1',
    },
  ])('without the SDK the same requests are made for %j', async (config) => {
    for (const [path, api] of [
      ['/responses', 'resource'],
      ['/chat/completions', 'deployment'],
    ] as const) {
      const there = toEndpoint(config, api)
      const bySdk = await withSdk(there, config)(path)
      const byUs = await withoutSdk(there, config)(path)
      expect(byUs).toEqual({ url: bySdk.url, headers: own(bySdk.headers) })
    }
  })

  test('a failing callback for the token is the same error', async () => {
    const azure = {
      endpoint,
      azureADTokenProvider: (): Promise<string> => Promise.reject(new Error('no login')),
    }
    const there = toEndpoint({ azure }, 'resource')
    const errors = await Promise.all(
      [withSdk, withoutSdk].map((build) =>
        build(there, { azure })('/responses').catch((error: unknown) => error),
      ),
    )
    expect(errors[0]).toMatchObject({
      code: 'auth',
      message: expect.stringContaining('no login') as string,
    })
    expect(errors[1]).toEqual(errors[0])
  })
})

describe('in a page, where users can see the key', () => {
  afterEach(() => {
    vi.unstubAllGlobals()
  })

  test.each([
    [
      'with the SDK',
      (dangerouslyAllowBrowser?: boolean): unknown =>
        createOpenAI({
          model,
          apiKey,
          ...(dangerouslyAllowBrowser !== undefined && { dangerouslyAllowBrowser }),
        }),
    ],
    [
      'without it',
      (dangerouslyAllowBrowser?: boolean): unknown =>
        withoutSdk(toEndpoint({ apiKey }), {
          apiKey,
          ...(dangerouslyAllowBrowser !== undefined && { dangerouslyAllowBrowser }),
        }),
    ],
  ])('a page is refused %s, with what would allow it', (_, create) => {
    stubPage()
    expect(() => create()).toThrow(
      expect.objectContaining({
        code: 'config',
        message: expect.stringContaining('dangerouslyAllowBrowser: true') as string,
      }),
    )
    expect(() => create(false)).toThrow(expect.objectContaining({ code: 'config' }))
    expect(create(true)).toBeDefined()
  })

  test('a worker is not a page', () => {
    vi.stubGlobal('self', globalThis)
    expect(withoutSdk(toEndpoint({ apiKey }), { apiKey })).toBeDefined()
  })
})
