import type { CallOptions, ChatMessage } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { capabilities } from '../src/capabilities.js'
import {
  type AnthropicConfig,
  countTokens,
  createAnthropic,
  createAnthropicBatches,
  listModels,
} from '../src/index.js'

const apiKey = 'key-of-clouds-0123456789'
const clouds = {
  bedrock: [
    'https://bedrock-mantle.us-east-1.api.aws/anthropic',
    'anthropic.claude-opus-5-5',
    'Amazon Bedrock',
  ],
  foundry: ['https://r.services.ai.azure.com/anthropic', 'claude-opus-5-5', 'Microsoft Foundry'],
} as const
type Cloud = keyof typeof clouds

const thought = { type: 'thinking', thinking: 'Hm.', signature: 's' }
const reply = {
  id: 'm',
  type: 'message',
  role: 'assistant',
  content: [thought, { type: 'text', text: 'Yes.' }],
}
const usage = { input_tokens: 3, output_tokens: 1 }

/** A configuration of a cloud, and what it sends. */
function at(cloud: Cloud, more: Partial<AnthropicConfig> = {}) {
  const requests: { url: string; headers: Headers; body: Record<string, unknown> }[] = []
  const [baseUrl, model] = clouds[cloud]
  const fetch: AnthropicConfig['fetch'] = (url, init) => {
    requests.push({
      url: url as string,
      headers: new Headers(init?.headers),
      body: JSON.parse(init?.body as string) as never,
    })
    return Promise.resolve(
      Response.json({ ...reply, model, stop_reason: 'end_turn', usage, input_tokens: 7 }),
    )
  }
  return {
    requests,
    config: { apiKey, baseUrl, model, cloud, fetch, ...more } satisfies AnthropicConfig,
  }
}

const ask = (
  config: AnthropicConfig,
  messages: ChatMessage[],
  options: CallOptions = {},
  tools: object[] = [],
) => createAnthropic(config).generate(messages, { tools: tools as never, ...options })

const hi: ChatMessage = { role: 'user', content: 'Hi' }
const picture = (source: object): ChatMessage =>
  ({ role: 'user', content: [{ type: 'image', source }] }) as never
const tool = { name: 'add', description: 'Adds', parameters: { type: 'object', properties: {} } }

describe.each(Object.keys(clouds) as Cloud[])('Claude by the Messages API of %s', (cloud) => {
  const [baseUrl, model, title] = clouds[cloud]

  test('the address, the headers and the body are those of the documentation', async () => {
    const { config, requests } = at(cloud)
    const { message } = await ask(config, [hi])
    const conversation: ChatMessage[] = [hi, message, hi, { role: 'system', content: 'Be brief.' }]
    expect(await ask(config, conversation, { reasoning: 'low' })).toMatchObject({ text: 'Yes.' })
    const [, { url, headers, body } = requests[1] as never] = requests
    expect(url).toBe(`${baseUrl}/v1/messages`)
    expect(headers.get('x-api-key')).toBe(apiKey)
    expect(headers.get('anthropic-version')).toBe('2023-06-01')
    expect(headers.has('authorization')).toBe(false)
    // The system message is not left within the conversation, and the field for bound thinking is
    // not sent.
    expect(body).toMatchObject({ model, system: [{ type: 'text', text: 'Be brief.' }] })
    expect(headers.has('anthropic-beta')).toBe(false)
    expect(JSON.stringify(body)).not.toContain('block_binding')
    expect(body).not.toHaveProperty('temperature')
  })

  test('tokens are counted', async () => {
    const { config, requests } = at(cloud)
    expect(await countTokens(config, [hi])).toMatchObject({ tokens: 7, source: 'provider' })
    expect(requests[0]?.url).toBe(`${baseUrl}/v1/messages/count_tokens`)
  })

  test('a token is sent as a bearer', async () => {
    const { config, requests } = at(cloud, { apiKey: undefined, authToken: 'token-of-clouds-0123' })
    await ask(config, [hi])
    expect(requests[0]?.headers.get('authorization')).toBe('Bearer token-of-clouds-0123')
  })

  test('a list of models, and batches, are refused before anything is sent', async () => {
    const { config, requests } = at(cloud)
    const refused = { code: 'unsupported', message: expect.stringContaining(title) as string }
    await expect(listModels(config)).rejects.toMatchObject(refused)
    const one = [{ messages: [hi] }]
    await expect(
      (async () => createAnthropicBatches(config).createBatch(one))(),
    ).rejects.toMatchObject(refused)
    expect(requests).toEqual([])
  })

  test('without a key, or without an address, it is refused', () => {
    const { config } = at(cloud)
    expect(() => createAnthropic({ ...config, apiKey: undefined })).toThrow(
      expect.objectContaining({ code: 'config' }),
    )
    expect(() => createAnthropic({ ...config, baseUrl: undefined })).toThrow(
      /base URL|baseUrl|address/i,
    )
  })
})

const schema = {
  type: 'json-schema',
  name: 'n',
  schema: { type: 'object', properties: {} },
} as const
const search = { type: 'web_search_20250305', name: 'web_search' }
test.each([
  ['bedrock', [hi], { responseFormat: schema }, []],
  ['bedrock', [hi], {}, [{ ...tool, strict: true }]],
  ['bedrock', [hi], { providerTools: [search] }, []],
  ['bedrock', [picture({ type: 'url', url: 'https://a.test/b.png' })], {}, []],
  ['foundry', [hi], { providerTools: [{ type: 'advisor_20260301', name: 'advisor' }] }, []],
] as const)(
  '%s has no such thing, and nothing is sent: %j %j %j',
  async (cloud, messages, options, tools) => {
    const { config, requests } = at(cloud)
    await expect(
      ask(config, [...messages], options as CallOptions, [...tools]),
    ).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining(clouds[cloud][2]) as string,
    })
    expect(requests).toEqual([])
  },
)

test.each([
  [
    'foundry',
    [hi],
    { responseFormat: schema, providerTools: [search] },
    [{ ...tool, strict: true }],
  ],
  ['foundry', [picture({ type: 'url', url: 'https://a.test/b.png' })], {}, []],
  [
    'bedrock',
    [picture({ type: 'base64', mediaType: 'image/png', data: 'iVBORw0KGgo=' })],
    {},
    [tool],
  ],
  ['bedrock', [hi], { providerTools: [{ type: 'bash_20250124', name: 'bash' }] }, []],
] as const)(
  '%s takes what it is known to have: %j %j %j',
  async (cloud, messages, options, tools) => {
    const { config, requests } = at(cloud)
    await ask(config, [...messages], options, [...tools])
    expect(requests).toHaveLength(1)
  },
)

test('a cloud with another name is refused, as a program in JavaScript may give it', () => {
  const config = { ...at('foundry').config, cloud: 'vertex' as 'foundry' }
  expect(() => createAnthropic(config)).toThrow(
    'anthropic: cloud is "vertex"; give bedrock or foundry',
  )
})

test('capabilities say what Bedrock has not', () => {
  const of = (cloud?: Cloud) => capabilities({ model: 'claude-sonnet-4-5', apiKey, cloud } as never)
  expect(of('bedrock').schema.supported).toBe(false)
  expect(of('bedrock')).not.toHaveProperty('providerTools')
  expect(of('foundry')).toEqual({ ...of(), files: { ...of().files, supported: false } })
})
