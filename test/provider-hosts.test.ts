// Each provider package contacts the hosts that the factory lists for its configuration, and no
// other.
import type { Provider } from '@modelport/core'
import type { Fetch } from '@modelport/driver'
import { apiHosts, hostPort, type ModelConfig, newFileStore } from '@modelport/factory'
import { createAnthropic } from '@modelport/provider-anthropic'
import { createOpenAI } from '@modelport/provider-openai'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'
import { expect, test } from 'vitest'
import { testedApis } from './providers.js'

const apiKey = 'key-of-these-tests'
const model = 'm'
const origin = 'http://[::1]:8080'
const baseUrl = `${origin}/v1`

const vertex = { project: 'p', location: 'europe-west1', accessToken: () => 'token-of-these-tests' }
const azure = { endpoint: 'https://r.openai.azure.com' }
const hostOf = (address: string): string => {
  const { hostname, port, protocol } = new URL(address)
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`
}

type Case = [host: string, config: ModelConfig, create: (fetch: Fetch) => Provider]

test.each<Case>([
  ...testedApis.flatMap(({ vendor, config, create, cloudHost }): Case[] => [
    ...(config.baseUrl === undefined
      ? [
          [
            cloudHost ?? hostOf(vendor.baseUrl ?? ''),
            config,
            (fetch) => create({ fetch }),
          ] satisfies Case,
        ]
      : []),
    ['[::1]:8080', { ...config, baseUrl: origin }, (fetch) => create({ fetch }, origin)],
  ]),
  [
    'r.openai.azure.com:443',
    { provider: 'azure-openai', azure },
    (fetch) => createOpenAI({ apiKey, model, fetch, azure }),
  ],
  [
    'europe-west1-aiplatform.googleapis.com:443',
    { provider: 'anthropic-vertex', vertex },
    (fetch) => createAnthropic({ model, fetch, vertex }),
  ],
])('the host %s is listed and contacted', async (host, config, create) => {
  expect(apiHosts({ ...config, model }, { environment: () => undefined }).map(hostPort)).toEqual([
    host,
  ])
  const contacted: string[] = []
  const provider = create((input) => {
    const { hostname, port } = new URL(
      typeof input === 'object' && 'url' in input ? input.url : input,
    )
    contacted.push(`${hostname}:${port || 443}`)
    return Promise.resolve(new Response('no', { status: 400 }))
  })
  await expect(provider.complete('Hi')).rejects.toMatchObject({ status: 400 })
  expect(contacted).toEqual([host])
})

test.each(['anthropic', 'openai', 'google'])(
  'files of %s contact the hosts that are listed, and no other',
  async (provider) => {
    const listed = apiHosts({ provider, model, apiKey }, { environment: () => undefined }).map(
      hostPort,
    )
    const contacted = new Set<string>()
    const fetch: Fetch = (input) => {
      const { hostname, port } = new URL(
        typeof input === 'object' && 'url' in input ? input.url : input,
      )
      contacted.add(`${hostname}:${port || 443}`)
      const headers = { 'x-goog-upload-url': `https://${hostname}/upload/v1beta/files?upload_id=1` }
      return Promise.resolve(Response.json({ id: 'a', uri: 'files/a', data: [] }, { headers }))
    }
    const store = await newFileStore(
      { provider, apiKey, fetch, enforceHosts: true },
      { environment: () => undefined },
    )
    const file = { content: new Uint8Array(3), name: 'a.txt', mediaType: 'text/plain' }
    await (await store.upload(file))[Symbol.asyncDispose]()
    await store.get('a')
    for await (const _ of store.list()) expect.fail('there are none')
    expect([...contacted]).toEqual(listed)
  },
)

test('a key with white space around it is one, where it is sent and where it is redacted', async () => {
  let sent: string | null = ''
  const provider = createOpenAICompatible({
    baseUrl,
    model,
    apiKey: ` ${apiKey}\n`,
    fetch: (_, init) => {
      sent = new Headers(init?.headers).get('authorization')
      return Promise.resolve(new Response(`bad key ${apiKey}`, { status: 401 }))
    },
  })
  await expect(provider.complete('Hi')).rejects.toMatchObject({ body: 'bad key [redacted]' })
  expect(sent).toBe(`Bearer ${apiKey}`)
  expect(() => createOpenAICompatible({ baseUrl, model, apiKey: ' ' })).toThrow(
    /the API key is empty/,
  )
})
