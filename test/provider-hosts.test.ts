// Each provider package contacts the hosts that the factory lists for its configuration, and no
// other.
import type { Provider } from '@modelport/core'
import type { Fetch } from '@modelport/driver'
import { apiHosts, hostPort, type ModelConfig, newFileStore } from '@modelport/factory'
import { createAnthropic } from '@modelport/provider-anthropic'
import { createBedrock } from '@modelport/provider-bedrock'
import { createGoogle } from '@modelport/provider-google'
import { createOllama } from '@modelport/provider-ollama'
import { createOpenAI } from '@modelport/provider-openai'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'
import { expect, test } from 'vitest'

const apiKey = 'key-of-these-tests'
const model = 'm'
const baseUrl = 'http://[::1]:8080/v1'

const vertex = { project: 'p', accessToken: () => 'token-of-these-tests' }
const azure = { endpoint: 'https://r.openai.azure.com' }

test.each<[string, ModelConfig, (fetch: Fetch) => Provider]>([
  [
    'api.anthropic.com:443',
    { provider: 'anthropic' },
    (fetch) => createAnthropic({ apiKey, model, fetch }),
  ],
  ['api.openai.com:443', { provider: 'openai' }, (fetch) => createOpenAI({ apiKey, model, fetch })],
  [
    'r.openai.azure.com:443',
    { provider: 'azure-openai', azure },
    (fetch) => createOpenAI({ apiKey, model, fetch, azure }),
  ],
  [
    'bedrock-runtime.us-east-1.amazonaws.com:443',
    { provider: 'bedrock', bedrock: { region: 'us-east-1' } },
    (fetch) => createBedrock({ apiKey, model, fetch, region: 'us-east-1' }),
  ],
  [
    'europe-west1-aiplatform.googleapis.com:443',
    { provider: 'anthropic-vertex', vertex: { ...vertex, location: 'europe-west1' } },
    (fetch) => createAnthropic({ model, fetch, vertex: { ...vertex, location: 'europe-west1' } }),
  ],
  [
    'generativelanguage.googleapis.com:443',
    { provider: 'google' },
    (fetch) => createGoogle({ apiKey, model, fetch }),
  ],
  ['localhost:11434', { provider: 'ollama' }, (fetch) => createOllama({ model, fetch })],
  [
    '[::1]:8080',
    { provider: 'anthropic', baseUrl },
    (fetch) => createAnthropic({ apiKey, model, fetch, baseUrl }),
  ],
  [
    '[::1]:8080',
    { provider: 'openai', baseUrl },
    (fetch) => createOpenAI({ model, fetch, baseUrl }),
  ],
  [
    '[::1]:8080',
    { provider: 'bedrock', baseUrl },
    (fetch) => createBedrock({ apiKey, model, fetch, baseUrl }),
  ],
  [
    '[::1]:8080',
    { provider: 'google', baseUrl },
    (fetch) => createGoogle({ apiKey, model, fetch, baseUrl }),
  ],
  [
    '[::1]:8080',
    { provider: 'ollama', baseUrl },
    (fetch) => createOllama({ model, fetch, baseUrl }),
  ],
  [
    '[::1]:8080',
    { provider: 'openai-compatible', baseUrl },
    (fetch) => createOpenAICompatible({ model, fetch, baseUrl }),
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
