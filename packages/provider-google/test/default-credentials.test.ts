import { rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { createGoogle, type GoogleConfig } from '../src/index.js'
import { answer, chunk, recordingFetch, sse } from './support.js'

const secret = 'secret-of-the-default-credentials'
const folder = temporaryFolder('adc')

/** Default credentials are read from this file. */
function useCredentials(credentials: object): void {
  const path = join(folder, 'credentials.json')
  writeFileSync(path, JSON.stringify(credentials))
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', path)
}

afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(join(folder, 'credentials.json'), { force: true })
})

const user = {
  type: 'authorized_user',
  client_id: 'c',
  client_secret: secret,
  refresh_token: `refresh-${secret}`,
}
/** Federation: the subject token is asked for at one address, and exchanged at another. */
const federated = (tokenUrl: string, subjectUrl: string): object => ({
  type: 'external_account',
  audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/x',
  subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  token_url: tokenUrl,
  credential_source: { url: subjectUrl, headers: { 'x-own': secret }, format: { type: 'text' } },
})
/** A user who stands in for a service account. */
const impersonating = (url: string): object => ({
  type: 'impersonated_service_account',
  source_credentials: user,
  service_account_impersonation_url: url,
})

function google(respond: Parameters<typeof recordingFetch>[0], more: Partial<GoogleConfig> = {}) {
  const fetch = recordingFetch(respond)
  const provider = createGoogle({
    model: 'gemini-3-flash-preview',
    fetch,
    vertex: { project: 'demo', applicationDefault: true },
    ...more,
  })
  const failure = async (): Promise<unknown> =>
    provider.complete('Hi', { retry: { attempts: 1 } }).then(
      () => undefined,
      (error: unknown) => error,
    )
  return { fetch, provider, failure }
}

test("a user's default credentials get their token through our transport", async () => {
  useCredentials(user)
  const { fetch, provider } = google(({ url }) =>
    url.includes('oauth2')
      ? answer({ access_token: 'ya29.of-the-user', expires_in: 3600 })
      : sse(chunk([{ text: 'Hi' }], { finishReason: 'STOP' })),
  )
  await provider.stream('Hi')
  expect(fetch.requests.map(({ url }) => new URL(url).host)).toEqual([
    'oauth2.googleapis.com',
    'aiplatform.googleapis.com',
  ])
  expect(fetch.requests[1]!.headers['authorization']).toBe('Bearer ya29.of-the-user')
})

test('an error does not disclose a request that the server repeats', async () => {
  useCredentials(user)
  const { failure } = google(({ body }) =>
    answer({ error: 'invalid_grant', error_description: `no such grant: ${String(body)}` }, 400),
  )
  const error = await failure()
  expect(error).toMatchObject({
    code: 'auth',
    message: expect.stringContaining('invalid_grant') as string,
  })
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(secret)
})

test('a client certificate is not used, because it needs a connection of its own', async () => {
  const source = { certificate: { use_default_certificate_config: true } }
  useCredentials({
    ...federated('https://sts.googleapis.com/v1/token', ''),
    credential_source: source,
  })
  const { fetch, failure } = google(() => answer({}))
  expect(await failure()).toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining('client certificate') as string,
  })
  expect(fetch.requests).toEqual([])
})

test('a user who stands in for an account gets both tokens through our transport', async () => {
  useCredentials(
    impersonating(
      'https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/a@b:generateAccessToken',
    ),
  )
  const { fetch, provider } = google(({ url }) => {
    if (url.includes('oauth2'))
      return answer({ access_token: 'ya29.of-the-user', expires_in: 3600 })
    return url.includes('iamcredentials')
      ? answer({ accessToken: 'ya29.of-the-account', expireTime: '2100-01-01T00:00:00Z' })
      : sse(chunk([{ text: 'Hi' }], { finishReason: 'STOP' }))
  })
  await provider.stream('Hi')
  expect(fetch.requests.map(({ url }) => new URL(url).host)).toEqual([
    'oauth2.googleapis.com',
    'iamcredentials.googleapis.com',
    'aiplatform.googleapis.com',
  ])
})

test.each<[string, object, Partial<GoogleConfig>, string]>([
  [
    "a host of the credentials' own",
    federated('https://token.evil.example/v1', 'https://sts.googleapis.com/subject'),
    {},
    'token.evil.example:443',
  ],
  [
    'a usual host that enforceHosts leaves out',
    user,
    { enforceHosts: ['aiplatform.googleapis.com:443'] },
    'oauth2.googleapis.com:443',
  ],
])(
  '%s is refused before a connection is made, and the message has no secret',
  async (_, credentials, more, host) => {
    useCredentials(credentials)
    const { fetch, failure } = google(() => answer('the-subject-token'), more)
    const error = await failure()
    expect(error).toMatchObject({
      code: 'config',
      message: expect.stringContaining(`${host} is not among the hosts`) as string,
    })
    expect(fetch.requests.map(({ url }) => new URL(url).host)).not.toContain(
      host.replace(':443', ''),
    )
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(secret)
  },
)

test('a host that enforceHosts names is allowed, even if it is not one of the usual hosts', async () => {
  useCredentials(federated('https://sts.googleapis.com/v1/token', 'https://subject.example/'))
  const enforceHosts = [
    'subject.example:443',
    'sts.googleapis.com:443',
    'aiplatform.googleapis.com:443',
  ]
  const { fetch, provider } = google(
    ({ url }) => {
      if (url.includes('subject.example')) return new Response('the-subject-token')
      return url.includes('sts')
        ? answer({
            access_token: 'ya29.federated',
            expires_in: 3600,
            token_type: 'Bearer',
            issued_token_type: 'x',
          })
        : sse(chunk([{ text: 'Hi' }], { finishReason: 'STOP' }))
    },
    { enforceHosts },
  )
  await provider.stream('Hi')
  expect(fetch.requests.map(({ url }) => new URL(url).host)).toEqual([
    'subject.example',
    'sts.googleapis.com',
    'aiplatform.googleapis.com',
  ])
})

describe('the metadata server', () => {
  const asked: string[] = []
  const proxied: string[] = []
  let leadsTo: string | undefined
  const metadata = createServer((request, response) => {
    asked.push(`${request.url} ${String(request.headers['metadata-flavor'])}`)
    if (leadsTo !== undefined) {
      response.writeHead(302, { location: leadsTo, 'metadata-flavor': 'Google' }).end()
      return
    }
    response.writeHead(200, { 'metadata-flavor': 'Google', 'content-type': 'application/json' })
    response.end(JSON.stringify({ access_token: 'ya29.of-the-machine', expires_in: 3600 }))
  })
  const proxy = createServer((request, response) => {
    proxied.push(request.url ?? '')
    response.writeHead(502).end()
  }).on('connect', (request, socket) => {
    proxied.push(request.url ?? '')
    socket.end()
  })
  const listen = async (server: Server): Promise<string> => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    return `127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  let metadataHost = ''
  let proxyHost = ''
  beforeAll(async () => {
    metadataHost = await listen(metadata)
    proxyHost = await listen(proxy)
  })
  afterAll(() => {
    metadata.close()
    proxy.close()
  })
  beforeEach(() => {
    asked.length = 0
    proxied.length = 0
    leadsTo = undefined
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', undefined)
    vi.stubEnv('CLOUDSDK_CONFIG', folder)
    vi.stubEnv('HOME', folder)
    vi.stubEnv('GCE_METADATA_HOST', metadataHost)
    for (const name of ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'])
      vi.stubEnv(name, `http://${proxyHost}`)
    for (const name of ['NO_PROXY', 'no_proxy']) vi.stubEnv(name, undefined)
  })

  /** The request of a provider with the transport of this package: nothing listens at its API. */
  const call = async (more: Partial<GoogleConfig> = {}): Promise<unknown> =>
    createGoogle({
      model: 'gemini-3-flash-preview',
      baseUrl: 'http://127.0.0.1:9',
      vertex: { project: 'demo', applicationDefault: true },
      ...more,
    })
      .complete('Hi', { retry: { attempts: 1 } })
      .then(
        () => undefined,
        (error: unknown) => error,
      )

  test.each([[undefined], [true]])(
    'the metadata server is asked past any proxy of the environment (enforceHosts: %s)',
    async (enforceHosts) => {
      await call({ enforceHosts })
      expect(asked).toEqual([
        '/computeMetadata/v1/instance Google',
        expect.stringMatching(/^\/computeMetadata\/v1\/instance\/service-accounts\/default\/token/),
      ])
      expect(proxied).toEqual([])
    },
  )

  test('the token of the metadata server is sent with the request', async () => {
    const { fetch, provider } = google(({ url }) =>
      url.includes(metadataHost)
        ? Response.json(
            { access_token: 'ya29.of-the-machine', expires_in: 3600 },
            { headers: { 'metadata-flavor': 'Google' } },
          )
        : sse(chunk([{ text: 'Hi' }], { finishReason: 'STOP' })),
    )
    await provider.stream('Hi')
    expect(fetch.requests.at(-1)?.headers['authorization']).toBe('Bearer ya29.of-the-machine')
  })

  test('a redirect of the metadata server is not followed', async () => {
    leadsTo = `http://${proxyHost}/token`
    expect(await call()).toMatchObject({ code: 'auth' })
    expect(asked).toHaveLength(1)
    expect(proxied).toEqual([])
  })

  test('the metadata server is not asked if the list of enforceHosts lacks it', async () => {
    expect(await call({ enforceHosts: ['127.0.0.1:9'] })).toMatchObject({
      code: 'config',
      message: expect.stringContaining(
        `the metadata server ${metadataHost} is not among`,
      ) as string,
    })
    expect(asked).toEqual([])
  })
})
