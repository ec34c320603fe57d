// Some APIs have the model in the URL and others in the body. A model in vendor fields would make
// them disagree, so that it is refused everywhere.
import type { CallOptions, Provider } from '@modelport/core'
import { createAnthropic } from '@modelport/provider-anthropic'
import { createBedrock } from '@modelport/provider-bedrock'
import { createGoogle } from '@modelport/provider-google'
import { createLlamaCpp } from '@modelport/provider-llamacpp'
import { createMock } from '@modelport/provider-mock'
import { createOllama } from '@modelport/provider-ollama'
import { createOpenAI } from '@modelport/provider-openai'
import { createOpenAICompatible } from '@modelport/provider-openai-compatible'
import { describe, expect, test } from 'vitest'

let requests = 0
const common = {
  model: 'm',
  apiKey: 'k-vendor-model-1234567890',
  fetch: () => {
    requests++
    return Promise.resolve(Response.json({}))
  },
}
const creators: Readonly<Record<string, (defaults?: CallOptions) => Provider>> = {
  anthropic: (defaults) => createAnthropic({ ...common, defaults }),
  bedrock: (defaults) => createBedrock({ ...common, region: 'us-east-1', defaults }),
  google: (defaults) => createGoogle({ ...common, defaults }),
  ollama: (defaults) => createOllama({ ...common, defaults }),
  'openai, Responses': (defaults) => createOpenAI({ ...common, api: 'responses', defaults }),
  'openai, Chat Completions': (defaults) => createOpenAI({ ...common, api: 'chat', defaults }),
  'openai-compatible': (defaults) =>
    createOpenAICompatible({ ...common, baseUrl: 'http://x.test/v1', defaults }),
  llamacpp: (defaults) => createLlamaCpp({ modelPath: '/nowhere/model.gguf', defaults }),
  mock: (defaults) => createMock({ responses: ['Hi'], defaults }),
}
const refused = expect.objectContaining({
  code: 'config',
  message: expect.stringContaining('vendor.model cannot change the model') as string,
}) as Error
const options: CallOptions = { vendor: { model: 'other' } }

describe.each(Object.entries(creators))('a provider of %s', (_name, create) => {
  test('a provider refuses a model in vendor fields before it sends anything', async () => {
    requests = 0
    const provider = create()
    await expect(provider.generate([{ role: 'user', content: 'Hi' }], options)).rejects.toThrow(
      refused,
    )
    await expect(provider.stream('Hi', options)).rejects.toThrow(refused)
    expect(requests).toBe(0)
  })

  test('a provider refuses a model in the defaults when it is made', () => {
    expect(() => create(options)).toThrow(refused)
  })
})
