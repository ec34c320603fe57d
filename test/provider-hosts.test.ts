// Each provider package says which hosts it contacts, all in the same form, and contacts these.
import type { Provider } from '@modelport/core'
import type { Fetch } from '@modelport/driver'
import { anthropicHosts, createAnthropic } from '@modelport/provider-anthropic'
import { createGoogle, googleHosts } from '@modelport/provider-google'
import { createOllama, ollamaHosts } from '@modelport/provider-ollama'
import { createOpenAI, openAIHosts } from '@modelport/provider-openai'
import { createOpenAICompatible, openAICompatibleHosts } from '@modelport/provider-openai-compatible'
import { expect, test } from 'vitest'

const apiKey = 'key-of-these-tests'
const model = 'm'
const baseUrl = 'http://[::1]:8080/v1'

test.each<[string, string[], (fetch: Fetch) => Provider]>([
  ['api.anthropic.com:443', anthropicHosts(), (fetch) => createAnthropic({ apiKey, model, fetch })],
  ['api.openai.com:443', openAIHosts(), (fetch) => createOpenAI({ apiKey, model, fetch })],
  [
    'r.openai.azure.com:443',
    openAIHosts({ azure: { endpoint: 'https://r.openai.azure.com' } }),
    (fetch) => createOpenAI({ apiKey, model, fetch, azure: { endpoint: 'https://r.openai.azure.com' } }),
  ],
  ['generativelanguage.googleapis.com:443', googleHosts(), (fetch) => createGoogle({ apiKey, model, fetch })],
  ['localhost:11434', ollamaHosts(), (fetch) => createOllama({ model, fetch })],
  ['[::1]:8080', anthropicHosts({ baseUrl }), (fetch) => createAnthropic({ apiKey, model, fetch, baseUrl })],
  ['[::1]:8080', openAIHosts({ baseUrl }), (fetch) => createOpenAI({ model, fetch, baseUrl })],
  ['[::1]:8080', googleHosts({ baseUrl }), (fetch) => createGoogle({ apiKey, model, fetch, baseUrl })],
  ['[::1]:8080', ollamaHosts({ baseUrl }), (fetch) => createOllama({ model, fetch, baseUrl })],
  ['[::1]:8080', openAICompatibleHosts({ baseUrl }), (fetch) => createOpenAICompatible({ model, fetch, baseUrl })],
])('%s', async (host, listed, create) => {
  expect(listed).toEqual([host])
  const contacted: string[] = []
  const provider = create((input) => {
    const { hostname, port } = new URL(typeof input === 'object' && 'url' in input ? input.url : input)
    contacted.push(`${hostname}:${port || 443}`)
    return Promise.resolve(new Response('no', { status: 400 }))
  })
  await expect(provider.complete('Hi')).rejects.toMatchObject({ status: 400 })
  expect(contacted).toEqual([host])
})

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
  expect(() => createOpenAICompatible({ baseUrl, model, apiKey: ' ' })).toThrow(/the API key is empty/)
})
