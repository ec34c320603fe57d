import { describe, expect, test } from 'vitest'
import type { ApiMethod, ApiRequest } from '../src/api-request.js'
import { buildRequests as withoutSdk } from '../src/browser-requests.js'
import { type GoogleConfig, toCheckedKey } from '../src/config.js'
import { createGoogle } from '../src/index.js'
import { buildRequests as withSdk } from '../src/requests.js'
import { answer, recordingFetch } from './support.js'

const apiKey = 'AIza-own-0123456789'
const methods: readonly ApiMethod[] = [
  'generateContent',
  'streamGenerateContent',
  'countTokens',
  'embedContent',
  'listModels',
]
const models = [
  'gemini-3-flash-preview',
  'gemini-embedding-001',
  'gemini-embedding-2',
  'text-embedding-005',
  'models/gemini-2.5-pro',
  'tunedModels/mine',
  'meta/llama-4-maas',
  'publishers/anthropic/models/claude@20251101',
  'projects/p/locations/l/endpoints/123',
]

/** What the SDK says of itself, and what `postJson` says of the body. */
const ofTheSdk = /^(x-goog-api-client|user-agent|accept|content-type)$/

const own = ({ url, headers }: ApiRequest): ApiRequest => ({
  url,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !ofTheSdk.test(name))),
})

/** Nobody asks for a token over this. */
const noFetch = (): Promise<Response> => Promise.reject(new Error('nothing is sent here'))

describe('without the SDK the same requests are made', () => {
  test.each<Omit<GoogleConfig, 'model'>>([
    { apiKey },
    { apiKey, apiVersion: 'v1' },
    { apiKey, baseUrl: 'https://proxy.test/google/v1alpha/' },
    { apiKey, vertex: {} },
    { apiKey, vertex: { location: 'eu' } },
    { vertex: { project: 'demo', accessToken: () => 'ya29.token' } },
    {
      vertex: { project: 'demo', location: 'us-east5', accessToken: async () => 'ya29.token' },
      baseUrl: 'http://localhost:8080',
    },
  ])('without the SDK the same requests are made for %j', async (config) => {
    const given = { ...config, model: '' }
    const [bySdk, byUs] = [withSdk, withoutSdk].map((build) =>
      build(given, toCheckedKey(given), noFetch),
    )
    for (const method of methods) {
      for (const model of models)
        expect([method, model, await byUs!(method, model)]).toEqual([
          method,
          model,
          own(await bySdk!(method, model)),
        ])
    }
  })

  test('a failing callback for the token is the same error', async () => {
    const config: GoogleConfig = {
      model: '',
      vertex: {
        project: 'demo',
        accessToken: () => {
          throw new Error('no login')
        },
      },
    }
    const errors = await Promise.all(
      [withSdk, withoutSdk].map((build) =>
        build(config, undefined, noFetch)('countTokens', 'm').catch((error: unknown) => error),
      ),
    )
    expect(errors[0]).toMatchObject({
      code: 'auth',
      message: 'google: auth: no request could be made: no login',
    })
    expect(errors[1]).toEqual(errors[0])
  })
})

test.each([
  { applicationDefault: true },
  { credentials: { client_email: 'a@b', private_key: 'k' } },
])('%j needs Node', (ways) => {
  expect(() =>
    withoutSdk({ model: '', vertex: { project: 'demo', ...ways } }, undefined, noFetch),
  ).toThrow(expect.objectContaining({ code: 'unsupported' }))
})

test.each([' ', 'a b', 'a?key=1', 'a&b', 'a#b', '../files', 'a%2F..'])(
  '%j is not a model name, and nothing is sent',
  async (model) => {
    const fetch = recordingFetch(() => answer({}))
    await expect(createGoogle({ apiKey, model, fetch }).complete('Hi')).rejects.toMatchObject({
      code: 'config',
    })
    expect(fetch.requests).toEqual([])
  },
)
