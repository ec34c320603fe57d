import { generateKeyPairSync } from 'node:crypto'
import { getEventListeners } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { inspect } from 'node:util'
import { isLlmError, type LlmError, type ProviderError } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import type { GoogleEndpointConfig, GoogleVertexConfig } from '../src/config.js'
import { googleHosts } from '../src/config.js'
import { createGoogle } from '../src/index.js'
import { answer, chunk, recordingFetch, sse } from './support.js'

const key = 'AIzaSyTestKeyOfThisSuite0123456789'
const model = 'gemini-3-flash-preview'
const ok = () => sse(chunk([{ text: 'Hi' }], { finishReason: 'STOP' }))

const codeOf = async (promise: Promise<unknown>): Promise<LlmError> => {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(isLlmError(error)).toBe(true)
  return error as LlmError
}

describe('the SDK builds requests and nothing else', () => {
  test('the installed version is the one whose behaviour is pinned here', () => {
    const main = createRequire(import.meta.url).resolve('@google/genai')
    const { version } = JSON.parse(
      readFileSync(`${main.slice(0, main.indexOf('/dist/'))}/package.json`, 'utf8'),
    ) as {
      version: string
    }
    expect(version).toMatch(/^3\./)
  })

  test('one stream is one request with the key in the header only and a body that the SDK does not read', async () => {
    let reads = 0
    let locks = 0
    const fetch = recordingFetch(() => {
      const response = ok()
      const { body } = response
      const read = body!.getReader.bind(body)
      Object.defineProperty(body, 'getReader', {
        value: (...args: []) => {
          locks++
          return read(...args)
        },
      })
      for (const name of ['json', 'text', 'arrayBuffer', 'clone'] as const) {
        Object.defineProperty(response, name, {
          value: () => {
            reads++
            throw new Error('not for the SDK')
          },
        })
      }
      return response
    })
    const reader = await createGoogle({ apiKey: key, model, fetch }).stream('Hello')
    expect(locks).toBeLessThanOrEqual(1)
    const texts: string[] = []
    for await (const text of reader) texts.push(text)
    expect(texts).toEqual(['Hi'])
    expect([reads, locks, fetch.requests.length]).toEqual([0, 1, 1])
    const [request] = fetch.requests
    expect(request!.url).toBe(
      `https://generativelanguage.googleapis.com/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    )
    expect(request!.method).toBe('POST')
    expect(request!.headers['x-goog-api-key']).toBe(key)
    expect(request!.headers['content-type']).toBe('application/json')
    expect(request!.headers['authorization']).toBeUndefined()
    expect(request!.body.contents).toEqual([{ role: 'user', parts: [{ text: 'Hello' }] }])
  })

  test('requests that differ only in their body are built alike, one way per method', async () => {
    const fetch = recordingFetch(() => answer(chunk([{ text: 'Hi' }], { finishReason: 'STOP' })))
    const { complete, stream } = createGoogle({ apiKey: key, model, fetch })
    await complete('One')
    await complete('Two', { vendor: { headers: { 'X-Own': 'mine' } } })
    await (await stream('Three')).close()
    await complete('Four')
    const [one, two, ...others] = fetch.requests
    expect([two!.url, two!.headers]).toEqual([one!.url, { ...one!.headers, 'x-own': 'mine' }])
    expect(others.map(({ url }) => url.split('/models/')[1])).toEqual([
      `${model}:streamGenerateContent?alt=sse`,
      `${model}:generateContent`,
    ])
    expect(fetch.requests.map(({ body }) => body.contents[0]!.parts[0]!.text)).toEqual([
      'One',
      'Two',
      'Three',
      'Four',
    ])
  })

  test('a whole reply is one request to generateContent', async () => {
    const fetch = recordingFetch(() => answer(chunk([{ text: 'Hi' }], { finishReason: 'STOP' })))
    expect(await createGoogle({ apiKey: key, model, fetch }).complete('Hello')).toBe('Hi')
    expect(fetch.requests.map(({ url }) => url)).toEqual([
      `https://generativelanguage.googleapis.com/v1beta/models/${model}:generateContent`,
    ])
  })

  test.each([408, 429, 500, 502, 503, 504])(
    'status %i is not retried by the SDK',
    async (status) => {
      const fetch = recordingFetch(() =>
        answer({ error: { code: status, message: 'no', status: 'X' } }, status),
      )
      const error = await codeOf(
        createGoogle({ apiKey: key, model, fetch }).complete('Hello', { retry: { attempts: 1 } }),
      )
      expect((error as ProviderError).status).toBe(status)
      expect(fetch.requests.length).toBe(1)
    },
  )

  test('a redirect is refused', async () => {
    const fetch = recordingFetch(
      () =>
        new Response(null, { status: 307, headers: { location: 'https://elsewhere.example/' } }),
    )
    expect((await codeOf(createGoogle({ apiKey: key, model, fetch }).complete('Hello'))).code).toBe(
      'redirect-refused',
    )
    expect(fetch.requests.length).toBe(1)
  })

  test('calls at the same time keep their own bodies and responses', async () => {
    const fetch = recordingFetch(async ({ body }) => {
      const text = body.contents[0].parts[0].text as string
      await new Promise((resolve) => setTimeout(resolve, text.length % 7))
      return answer(chunk([{ text: `to ${text}` }], { finishReason: 'STOP' }))
    })
    const provider = createGoogle({ apiKey: key, model, fetch })
    const prompts = Array.from({ length: 50 }, (_, index) => 'x'.repeat(index + 1))
    expect(await Promise.all(prompts.map((prompt) => provider.complete(prompt)))).toEqual(
      prompts.map((prompt) => `to ${prompt}`),
    )
  })

  test('a shared signal keeps no listener', async () => {
    const { signal } = new AbortController()
    const provider = createGoogle({ apiKey: key, model, fetch: recordingFetch(ok) })
    for (let call = 0; call < 20; call++)
      for await (const _ of await provider.stream('Hello', { signal }));
    expect(getEventListeners(signal, 'abort').length).toBe(0)
  })

  test('headers of the caller win, whatever their case', async () => {
    const fetch = recordingFetch(ok)
    await createGoogle({
      apiKey: key,
      model,
      fetch,
      headers: { 'X-Goog-Api-Key': 'other', 'User-Agent': 'me' },
    }).stream('Hello')
    expect(fetch.requests[0]!.headers).toMatchObject({
      'x-goog-api-key': 'other',
      'user-agent': 'me',
    })
  })
})

describe('keys', () => {
  test('a key with a line break is refused, and appears nowhere', async () => {
    const broken = 'AIzaSySecretSecretSecret\nSecret'
    const thrown: unknown = await Promise.resolve()
      .then(() => createGoogle({ apiKey: broken, model }))
      .then(
        () => undefined,
        (error: unknown) => error,
      )
    expect(isLlmError(thrown, 'config')).toBe(true)
    expect(inspect(thrown, { depth: 9, showHidden: true })).not.toContain('Secret')
  })

  test('no key is refused before anything is sent', () => {
    expect(() => createGoogle({ model })).toThrow(
      'google: pass apiKey; only newProvider reads it from GEMINI_API_KEY',
    )
  })

  test('a wrong key appears in no error and no inspection, also when the server repeats it', async () => {
    const fetch = recordingFetch(() =>
      answer(
        {
          error: {
            code: 400,
            message: `API key not valid: ${key}`,
            status: 'INVALID_ARGUMENT',
            details: [
              { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' },
            ],
          },
        },
        400,
      ),
    )
    const provider = createGoogle({ apiKey: key, model, fetch })
    const error = await codeOf(provider.complete('Hello'))
    expect(error.code).toBe('auth')
    expect(fetch.requests[0]!.url).not.toContain(key)
    for (const value of [error, provider, error.cause, JSON.stringify(error)]) {
      expect(inspect(value, { depth: 9, showHidden: true })).not.toContain(key)
    }
  })
})

describe('Vertex AI', () => {
  test('an access token is asked for each request and sent as a header', async () => {
    let asked = 0
    const fetch = recordingFetch(ok)
    const provider = createGoogle({
      model,
      fetch,
      enforceHosts: true,
      vertex: {
        project: 'demo',
        location: 'europe-west1',
        accessToken: async () => `token-${++asked}`,
      },
    })
    await provider.stream('Hello')
    await provider.stream('Hello')
    expect(fetch.requests.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer token-1',
      'Bearer token-2',
    ])
    expect(fetch.requests[0]!.url).toBe(
      `https://europe-west1-aiplatform.googleapis.com/v1beta1/projects/demo/locations/europe-west1/publishers/google/models/${model}:streamGenerateContent?alt=sse`,
    )
    expect(fetch.requests[0]!.headers['x-goog-api-key']).toBeUndefined()
  })

  test('a failing token callback is an auth error, and nothing is sent', async () => {
    const fetch = recordingFetch(ok)
    const vertex = {
      project: 'demo',
      accessToken: (): string => {
        throw new Error('no login')
      },
    }
    const error = await codeOf(createGoogle({ model, fetch, vertex }).complete('Hello'))
    expect([error.code, error.message]).toEqual([
      'auth',
      'google: auth: no request could be made: no login',
    ])
    expect(fetch.requests.length).toBe(0)
  })

  test('a token that the server repeats appears in no error', async () => {
    const fetch = recordingFetch(({ headers }) =>
      answer(
        {
          error: {
            code: 401,
            message: `bad ${headers['authorization'] ?? ''}`,
            status: 'UNAUTHENTICATED',
          },
        },
        401,
      ),
    )
    const vertex = { project: 'demo', accessToken: () => 'ya29.a-secret-access-token' }
    const error = await codeOf(createGoogle({ model, fetch, vertex }).complete('Hello'))
    expect(error.code).toBe('auth')
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('ya29')
  })

  test('a service account gets its token through our transport, from a declared host', async () => {
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    })
    const fetch = recordingFetch(({ url }) =>
      url.includes('oauth2')
        ? answer({ access_token: 'ya29.of-the-account', expires_in: 3600, token_type: 'Bearer' })
        : ok(),
    )
    const vertex = {
      project: 'demo',
      credentials: {
        type: 'service_account',
        client_email: 'me@demo.iam.gserviceaccount.com',
        private_key: privateKey,
      },
    }
    const config = { model, fetch, enforceHosts: true, vertex } as const
    const provider = createGoogle(config)
    await provider.stream('Hello')
    await provider.stream('Hello')
    const hosts = fetch.requests.map(({ url }) => `${new URL(url).hostname}:443`)
    expect(hosts).toEqual([
      'oauth2.googleapis.com:443',
      'aiplatform.googleapis.com:443',
      'aiplatform.googleapis.com:443',
    ])
    expect(googleHosts(config)).toEqual(expect.arrayContaining(hosts))
    expect(fetch.requests[2]!.headers['authorization']).toBe('Bearer ya29.of-the-account')
    expect(fetch.requests[0]).toMatchObject({
      url: 'https://oauth2.googleapis.com/token',
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' },
    })
    expect(fetch.requests[0]!.body).toMatch(
      /^grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=ey/,
    )
    expect(inspect(provider, { depth: 9, showHidden: true })).not.toContain('PRIVATE KEY')
  })

  test('a refused token is an auth error', async () => {
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    })
    const fetch = recordingFetch(() =>
      answer({ error: 'invalid_grant', error_description: 'Invalid JWT Signature.' }, 400),
    )
    const vertex = {
      project: 'demo',
      credentials: {
        type: 'service_account',
        client_email: 'me@demo.iam.gserviceaccount.com',
        private_key: privateKey,
      },
    }
    const error = await codeOf(createGoogle({ model, fetch, vertex }).complete('Hello'))
    expect(error.code).toBe('auth')
    expect(error.message).toMatch(/invalid_grant/)
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('PRIVATE KEY')
  })

  test('an API key works without a project (express mode)', async () => {
    const fetch = recordingFetch(ok)
    await createGoogle({ apiKey: key, model, fetch, vertex: {} }).stream('Hello')
    expect(fetch.requests[0]!.url).toBe(
      `https://aiplatform.googleapis.com/v1beta1/publishers/google/models/${model}:streamGenerateContent?alt=sse`,
    )
    expect(fetch.requests[0]!.headers['x-goog-api-key']).toBe(key)
  })

  test.each<[GoogleVertexConfig, RegExp]>([
    [{}, /not none/],
    [{ project: 'demo' }, /not none/],
    [{ accessToken: () => 'token' }, /vertex.project is missing/],
    [
      { project: 'demo', accessToken: () => 'token', applicationDefault: true },
      /accessToken and applicationDefault/,
    ],
    [{ project: 'demo', location: 'a.b', accessToken: () => 'token' }, /vertex.location/],
  ])('%j is refused', (vertex, message) => {
    expect(() => createGoogle({ model, vertex })).toThrow(message)
  })
})

describe('hosts', () => {
  test.each<[GoogleEndpointConfig, string[]]>([
    [{}, ['generativelanguage.googleapis.com:443']],
    [{ baseUrl: 'http://localhost:8080/v1beta/' }, ['localhost:8080']],
    [{ vertex: { project: 'p', accessToken: () => '' } }, ['aiplatform.googleapis.com:443']],
    [
      { vertex: { project: 'p', location: 'eu', accessToken: () => '' } },
      ['aiplatform.eu.rep.googleapis.com:443'],
    ],
    [
      {
        vertex: {
          project: 'p',
          location: 'us-east5',
          credentials: { client_email: 'a@b', private_key: 'k' },
        },
      },
      ['us-east5-aiplatform.googleapis.com:443', 'oauth2.googleapis.com:443'],
    ],
    [
      { vertex: { project: 'p', applicationDefault: true } },
      [
        'aiplatform.googleapis.com:443',
        'oauth2.googleapis.com:443',
        'sts.googleapis.com:443',
        'iamcredentials.googleapis.com:443',
        'metadata.google.internal:80',
        '169.254.169.254:80',
      ],
    ],
  ])('the hosts of %j are listed', (config, hosts) => {
    expect(googleHosts(config)).toEqual(hosts)
  })

  test.each([
    ['https://proxy.example', 'https://proxy.example/v1beta'],
    ['https://proxy.example/', 'https://proxy.example/v1beta'],
    ['https://proxy.example/google/v1beta', 'https://proxy.example/google/v1beta'],
    ['https://proxy.example/v1/', 'https://proxy.example/v1'],
    ['https://proxy.example/v1alpha?key=1#x', 'https://proxy.example/v1alpha'],
  ])('the base URL %s leads to the path of the API', async (baseUrl, start) => {
    const fetch = recordingFetch(ok)
    await createGoogle({ apiKey: key, model, fetch, baseUrl }).stream('Hello')
    expect(fetch.requests[0]!.url).toBe(`${start}/models/${model}:streamGenerateContent?alt=sse`)
  })
})
