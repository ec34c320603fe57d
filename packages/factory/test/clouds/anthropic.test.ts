import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { apiHost, apiHosts, hostPort, newProvider, testConnection } from '../../src/index.js'
import { environmentOf, failureOf, recordingFetch } from '../support.js'

const foundry = 'https://r.services.ai.azure.com/anthropic'
const keys = {
  AWS_BEARER_TOKEN_BEDROCK: 'bedrock-key-0123456789',
  ANTHROPIC_FOUNDRY_API_KEY: 'foundry-key-0123456789',
}

/** A function that gives another token at each call. */
const freshToken = () => {
  let calls = 0
  return () => Promise.resolve(`token-${++calls}-of-a-cloud`)
}

/** What a configuration sends first. */
async function sent(config: object, variables: Record<string, string>) {
  const { fetch, requests } = recordingFetch()
  const given = { model: 'anthropic.claude-haiku-4-5', ...config, fetch } as never
  const provider = await newProvider(given, { environment: environmentOf(variables) })
  await provider.complete('Hi', { retry: { attempts: 1 } }).catch(() => undefined)
  return requests.map(({ url, headers }) => [url, headers.get('x-api-key')])
}

describe('Claude by the Messages API of a cloud', () => {
  const mantle = 'https://bedrock-mantle.eu-west-1.api.aws/anthropic/v1/messages'
  test.each([
    [{ bedrock: { region: 'eu-west-1' } }, {}, mantle],
    [{ useEnvironmentBaseUrls: true }, { AWS_REGION: 'eu-west-1' }, mantle],
    [
      { baseUrl: 'https://bedrock-runtime.us-east-1.amazonaws.com/anthropic' },
      {},
      'https://bedrock-runtime.us-east-1.amazonaws.com/anthropic/v1/messages',
    ],
  ])('the key of Bedrock goes to the region: %j', async (config, more, url) => {
    const requests = await sent({ provider: 'anthropic-bedrock', ...config }, { ...keys, ...more })
    expect(requests).toEqual([[url, keys.AWS_BEARER_TOKEN_BEDROCK]])
  })

  test('the key of Foundry goes to the resource that its companion variable names', async () => {
    const named = { ...keys, ANTHROPIC_FOUNDRY_BASE_URL: foundry }
    const wanted = [[`${foundry}/v1/messages`, keys.ANTHROPIC_FOUNDRY_API_KEY]]
    expect(await sent({ provider: 'anthropic-foundry', baseUrl: foundry }, named)).toEqual(wanted)
    expect(
      await sent({ provider: 'anthropic-foundry', useEnvironmentBaseUrls: true }, named),
    ).toEqual(wanted)
  })

  test.each([
    [
      { provider: 'anthropic-foundry', baseUrl: foundry },
      'anthropic-foundry: no key for this address',
    ],
    [
      { provider: 'anthropic-foundry' },
      'anthropic-foundry: the address of the resource is missing; give baseUrl: https://RESOURCE.services.ai.azure.com/anthropic',
    ],
    [{ provider: 'anthropic-bedrock' }, 'the region is missing'],
    [
      { provider: 'anthropic-bedrock', baseUrl: 'https://elsewhere.test' },
      'anthropic-bedrock: no key for this address',
    ],
    [{ provider: 'anthropic-bedrock', bedrock: { region: 'cn-north-1' } }, 'no known address'],
    [
      {
        provider: 'anthropic-bedrock',
        baseUrl: 'https://elsewhere.test',
        bedrock: { region: 'eu-west-1', credentials: 'default-chain' },
      },
      "sends a key made of this computer's own credentials, and only to *.amazonaws.com and *.api.aws, not to elsewhere.test:443; give bedrock.accessToken for another address",
    ],
    [
      { provider: 'anthropic-foundry', baseUrl: foundry, bedrock: { region: 'eu-west-1' } },
      'anthropic-foundry: bedrock has the settings of another provider; leave it out',
    ],
  ])('%j is refused, and nothing is sent', async (config, message) => {
    const error = await failureOf(() => sent(config, keys))
    expect(error).toMatchObject({ code: 'config' })
    expect(error.message).toContain(message)
  })

  test('without its key, the error names the variable', async () => {
    const error = await failureOf(() =>
      sent({ provider: 'anthropic-bedrock', bedrock: { region: 'us-east-1' } }, {}),
    )
    expect(error.message).toContain(
      'anthropic-bedrock: environment variable AWS_BEARER_TOKEN_BEDROCK is not set',
    )
  })

  test.each([
    [
      'anthropic-foundry',
      { baseUrl: foundry, azure: { azureADTokenProvider: freshToken() } },
      `${foundry}/v1/messages`,
    ],
    ['anthropic-bedrock', { bedrock: { region: 'eu-west-1', accessToken: freshToken() } }, mantle],
    [
      'bedrock',
      { bedrock: { region: 'eu-west-1', accessToken: freshToken() } },
      'https://bedrock-runtime.eu-west-1.amazonaws.com/model/m/converse',
    ],
  ])(
    'a token function of %s is asked before each request, and no key of a variable is sent',
    async (provider, config, url) => {
      const { fetch, requests } = recordingFetch()
      const given = { provider, model: 'm', ...config, fetch }
      const made = await newProvider(given, { environment: environmentOf(keys) })
      for (let call = 1; call <= 2; call++)
        await made.complete('Hi', { retry: { attempts: 1 } }).catch(() => undefined)
      expect(requests.map(({ url, headers }) => [url, headers.get('authorization')])).toEqual([
        [url, 'Bearer token-1-of-a-cloud'],
        [url, 'Bearer token-2-of-a-cloud'],
      ])
      expect(requests[0]?.headers.get('x-api-key')).toBeNull()
    },
  )

  test('AWS credentials make a key for each attempt, and no key of a variable is sent', async () => {
    const { fetch, requests } = recordingFetch()
    const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG' }
    const given = { provider: 'anthropic-bedrock', model: 'm', enforceHosts: true, fetch }
    const made = await newProvider(
      { ...given, bedrock: { region: 'eu-west-1', credentials } },
      { environment: environmentOf(keys) },
    )
    await made.complete('Hi', { retry: { attempts: 1 } }).catch(() => undefined)
    expect(requests.map(({ url }) => url)).toEqual([mantle])
    const { headers } = requests[0] as (typeof requests)[number]
    const [, key = ''] =
      /^Bearer bedrock-api-key-(.+)$/.exec(headers.get('authorization') ?? '') ?? []
    expect(atob(key)).toContain('X-Amz-Credential=AKIDEXAMPLE%2F')
    expect(headers.get('x-api-key')).toBeNull()
  })

  test("the hosts of AWS's chain are listed next to that of the API", () => {
    const bedrock = { region: 'eu-west-1', credentials: 'default-chain' } as const
    const hosts = apiHosts({ provider: 'anthropic-bedrock', model: 'm', bedrock }).map(hostPort)
    expect(hosts).toEqual(
      expect.arrayContaining([
        'bedrock-mantle.eu-west-1.api.aws:443',
        'sts.eu-west-1.amazonaws.com:443',
      ]),
    )
  })

  test('enforceHosts keeps to the one host of the list', async () => {
    const config = {
      provider: 'anthropic-bedrock',
      model: 'm',
      bedrock: { region: 'us-east-1' },
      enforceHosts: true,
    }
    expect(apiHosts(config).map(hostPort)).toEqual(['bedrock-mantle.us-east-1.api.aws:443'])
    expect(apiHost({ provider: 'anthropic-foundry', baseUrl: foundry })).toBe(
      'r.services.ai.azure.com:443',
    )
    expect(await sent(config, keys)).toHaveLength(1)
  })
})

describe('Claude on Vertex AI', () => {
  const project = 'my-project'
  const accessToken = () => 'token-of-vertex-0123'
  const model = 'claude-haiku-4-5@20251001'
  const path = (location: string) =>
    `/v1/projects/my-project/locations/${location}/publishers/anthropic/models/${model}:rawPredict`
  const environment = environmentOf({ MY_TOKEN: 'token-of-variable-0123' })

  async function sentTo(config: object, variables: Record<string, string> = {}) {
    const { fetch, requests } = recordingFetch()
    const given = { provider: 'anthropic-vertex', model, ...config, fetch } as never
    const provider = await newProvider(given, { environment: environmentOf(variables) })
    await provider.complete('Hi', { retry: { attempts: 1 } }).catch(() => undefined)
    return requests.map(({ url, headers }) => [
      url,
      headers.get('authorization'),
      headers.get('x-api-key'),
    ])
  }

  test('a token goes as a bearer to the host of the location, by a callback or by the variable that is named', async () => {
    const eu = `https://aiplatform.eu.rep.googleapis.com${path('eu')}`
    expect(await sentTo({ vertex: { project, location: 'eu', accessToken } })).toEqual([
      [eu, 'Bearer token-of-vertex-0123', null],
    ])
    const named = { vertex: { project, location: 'eu' }, apiKeyEnv: 'MY_TOKEN' }
    expect(await sentTo(named, { MY_TOKEN: 'token-of-variable-0123' })).toEqual([
      [eu, 'Bearer token-of-variable-0123', null],
    ])
  })

  test('the environment names project, location and address where it is asked to', async () => {
    const variables = { GOOGLE_CLOUD_PROJECT: project, GOOGLE_CLOUD_LOCATION: 'us-east5' }
    const config = { useEnvironmentBaseUrls: true, vertex: { accessToken } }
    expect((await sentTo(config, variables)).map(([url]) => url)).toEqual([
      `https://us-east5-aiplatform.googleapis.com${path('us-east5')}`,
    ])
    const moved = { ...variables, ANTHROPIC_VERTEX_BASE_URL: 'https://gateway.test/v1' }
    expect((await sentTo(config, moved)).map(([url]) => url)).toEqual([
      `https://gateway.test${path('us-east5')}`,
    ])
  })

  test.each([
    [
      { vertex: { project } },
      'name its variable as apiKeyEnv (in a file: api_key_env), or give vertex.accessToken',
    ],
    [{ vertex: { project }, apiKeyEnv: 'NO_TOKEN' }, 'environment variable NO_TOKEN is not set'],
    [
      { vertex: { project, applicationDefault: true }, baseUrl: 'https://gateway.test' },
      "applicationDefault sends this computer's own credentials, and only to *.googleapis.com",
    ],
    [
      { vertex: { project, credentials: { client_email: 'a@b', private_key: '' } } },
      'vertex.credentials must have client_email and private_key',
    ],
    [{ vertex: { accessToken } }, 'vertex needs the id of a project'],
    [{ vertex: { project, location: 'eu/x', accessToken } }, 'location must be a region'],
  ])('%j is refused, and nothing is sent', async (config, message) => {
    const error = await failureOf(() => sentTo(config))
    expect(error).toMatchObject({ code: 'config' })
    expect(error.message).toContain(message)
  })

  test("the key of a service account is exchanged once, by Google's package, at a host of the list", async () => {
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    })
    const credentials = { client_email: 'me@demo.iam.gserviceaccount.com', private_key: privateKey }
    const { fetch, requests } = recordingFetch((url) =>
      url.includes('oauth2')
        ? Response.json({ access_token: 'ya29.of-the-account', expires_in: 3600 })
        : Response.json({}, { status: 401 }),
    )
    const config = {
      provider: 'anthropic-vertex',
      model,
      vertex: { project, credentials },
      enforceHosts: true,
    }
    const provider = await newProvider({ ...config, fetch }, { environment })
    for (let call = 1; call <= 2; call++)
      await provider.complete('Hi', { retry: { attempts: 1 } }).catch(() => undefined)

    const claude = `https://aiplatform.googleapis.com${path('global')}`
    expect(requests.map(({ url, headers }) => [url, headers.get('authorization')])).toEqual([
      ['https://oauth2.googleapis.com/token', null],
      [claude, 'Bearer ya29.of-the-account'],
      [claude, 'Bearer ya29.of-the-account'],
    ])
    expect(apiHosts(config).map(hostPort)).toEqual([
      'aiplatform.googleapis.com:443',
      'oauth2.googleapis.com:443',
    ])
  })

  test('a server of tokens that repeats what it was sent does not show it in the error', async () => {
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    })
    const bodies: string[] = []
    const fetch = (_: unknown, init?: RequestInit): Promise<Response> => {
      bodies.push(new URLSearchParams(init?.body as URLSearchParams | string).toString())
      const assertion = new URLSearchParams(bodies[0]).get('assertion')
      return Promise.resolve(
        Response.json({ error: 'invalid_grant', error_description: assertion }, { status: 400 }),
      )
    }
    const credentials = { client_email: 'me@demo.iam.gserviceaccount.com', private_key: privateKey }
    const config = { provider: 'anthropic-vertex', model, vertex: { project, credentials }, fetch }
    const provider = await newProvider(config, { environment })
    const error = await failureOf(() => provider.complete('Hi', { retry: { attempts: 1 } }))
    expect(error).toMatchObject({ code: 'auth' })
    expect(error.message).toContain('invalid_grant')
    const assertion = new URLSearchParams(bodies[0]).get('assertion') ?? ''
    expect(assertion.length).toBeGreaterThan(100)
    expect(error.message).not.toContain(assertion)
  })

  test('a token that is missing passes the model over, as a missing key does', async () => {
    const config = {
      provider: 'anthropic-vertex',
      model,
      vertex: { project },
      apiKeyEnv: 'NO_TOKEN',
      fallback: [{ provider: 'ollama', model: 'm' }],
      fallbackOptions: { missingKey: 'next' as const },
    }
    expect((await newProvider(config, { environment })).name).toBe('ollama')
  })

  test('the one host is listed, enforceHosts keeps to it, and testConnection asks there', async () => {
    const config = {
      provider: 'anthropic-vertex',
      model,
      vertex: { project, accessToken },
      enforceHosts: true,
    }
    expect(apiHosts(config).map(hostPort)).toEqual(['aiplatform.googleapis.com:443'])
    const { fetch, urls } = recordingFetch(() =>
      Response.json({
        type: 'message',
        role: 'assistant',
        model,
        content: [{ type: 'text', text: 'OK' }],
        stop_reason: 'end_turn',
      }),
    )
    expect(await testConnection({ ...config, fetch })).toMatchObject({ model })
    expect(urls).toEqual([`https://aiplatform.googleapis.com${path('global')}`])
    const elsewhere = { ...config, fetch, enforceHosts: ['elsewhere.test:443'] }
    const error = await failureOf(async () => (await newProvider(elsewhere)).complete('Hi'))
    expect(error.message).toContain('aiplatform.googleapis.com:443')
    expect(urls).toHaveLength(1)
  })
})
