import { describe, expect, test } from 'vitest'
import { apiHost, apiHosts, hostPort, newProvider } from '../src/index.js'
import { environmentOf, failureOf, recordingFetch } from './support.js'

const foundry = 'https://r.services.ai.azure.com/anthropic'
const keys = { AWS_BEARER_TOKEN_BEDROCK: 'bedrock-key-0123456789', ANTHROPIC_FOUNDRY_API_KEY: 'foundry-key-0123456789' }

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
    expect(await sent({ provider: 'anthropic-foundry', useEnvironmentBaseUrls: true }, named)).toEqual(wanted)
  })

  test.each([
    [{ provider: 'anthropic-foundry', baseUrl: foundry }, 'anthropic-foundry: no key for this address'],
    [{ provider: 'anthropic-foundry' }, 'anthropic-foundry: baseUrl is missing'],
    [{ provider: 'anthropic-bedrock' }, 'the region is missing'],
    [
      { provider: 'anthropic-bedrock', baseUrl: 'https://elsewhere.test' },
      'anthropic-bedrock: no key for this address',
    ],
    [{ provider: 'anthropic-bedrock', bedrock: { region: 'cn-north-1' } }, 'no known address'],
    [
      { provider: 'anthropic-bedrock', bedrock: { region: 'eu-west-1', credentials: 'default-chain' } },
      'anthropic-bedrock: give a key; other credentials are not taken',
    ],
    [
      { provider: 'anthropic-foundry', baseUrl: foundry, azure: { azureADTokenProvider: () => Promise.resolve('t') } },
      'anthropic-foundry: give a key; other credentials are not taken',
    ],
  ])('%j is refused, and nothing is sent', async (config, message) => {
    const error = await failureOf(() => sent(config, keys))
    expect(error).toMatchObject({ code: 'config' })
    expect(error.message).toContain(message)
  })

  test('without its key, the error names the variable', async () => {
    const error = await failureOf(() => sent({ provider: 'anthropic-bedrock', bedrock: { region: 'us-east-1' } }, {}))
    expect(error.message).toContain('anthropic-bedrock: environment variable AWS_BEARER_TOKEN_BEDROCK is not set')
  })

  test('enforceHosts keeps to the one host of the list', async () => {
    const config = { provider: 'anthropic-bedrock', model: 'm', bedrock: { region: 'us-east-1' }, enforceHosts: true }
    expect(apiHosts(config).map(hostPort)).toEqual(['bedrock-mantle.us-east-1.api.aws:443'])
    expect(apiHost({ ...config, provider: 'anthropic-foundry', baseUrl: foundry })).toBe('r.services.ai.azure.com:443')
    expect(await sent(config, keys)).toHaveLength(1)
  })
})
