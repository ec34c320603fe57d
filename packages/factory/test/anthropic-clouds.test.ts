import { describe, expect, test } from 'vitest'
import { apiHost, apiHosts, hostPort, newProvider, testConnection } from '../src/index.js'
import { environmentOf, failureOf, recordingFetch } from './support.js'

const foundry = 'https://r.services.ai.azure.com/anthropic'
const keys = {
  AWS_BEARER_TOKEN_BEDROCK: 'bedrock-key-0123456789',
  ANTHROPIC_FOUNDRY_API_KEY: 'foundry-key-0123456789',
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
        bedrock: { region: 'eu-west-1', credentials: 'default-chain' },
      },
      'anthropic-bedrock: give a key; other credentials are not taken',
    ],
    [
      {
        provider: 'anthropic-foundry',
        baseUrl: foundry,
        azure: { azureADTokenProvider: () => Promise.resolve('t') },
      },
      'anthropic-foundry: give a key; other credentials are not taken',
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

  test('enforceHosts keeps to the one host of the list', async () => {
    const config = {
      provider: 'anthropic-bedrock',
      model: 'm',
      bedrock: { region: 'us-east-1' },
      enforceHosts: true,
    }
    expect(apiHosts(config).map(hostPort)).toEqual(['bedrock-mantle.us-east-1.api.aws:443'])
    expect(apiHost({ ...config, provider: 'anthropic-foundry', baseUrl: foundry })).toBe(
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
      { vertex: { project, applicationDefault: true } },
      'anthropic-vertex: give vertex.accessToken; other credentials',
    ],
    [
      { vertex: { project, credentials: { client_email: 'a@b', private_key: 'k' } } },
      'anthropic-vertex: give vertex.accessToken; other credentials are not taken',
    ],
    [{ vertex: { accessToken } }, 'vertex needs the id of a project'],
    [{ vertex: { project, location: 'eu/x', accessToken } }, 'location must be a region'],
  ])('%j is refused, and nothing is sent', async (config, message) => {
    const error = await failureOf(() => sentTo(config))
    expect(error).toMatchObject({ code: 'config' })
    expect(error.message).toContain(message)
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
