// Some APIs have the model in the URL and others in the body. A model in vendor fields would make
// them disagree, so that it is refused everywhere.
import type { CallOptions, Provider } from '@modelport/core'
import { createLlamaCpp } from '@modelport/provider-llamacpp'
import { createMock } from '@modelport/provider-mock'
import { describe, expect, test } from 'vitest'
import { testedApis } from './providers.js'

let requests = 0
const fetch = (): Promise<Response> => {
  requests++
  return Promise.resolve(Response.json({}))
}
const creators: readonly (readonly [string, (defaults: CallOptions) => Provider])[] = [
  ...testedApis.map(
    ({ name, create }) => [name, (defaults: CallOptions) => create({ fetch, defaults })] as const,
  ),
  ['llamacpp', (defaults) => createLlamaCpp({ modelPath: '/nowhere/model.gguf', defaults })],
  ['mock', (defaults) => createMock({ responses: ['Hi'], defaults })],
]
const refused = expect.objectContaining({
  code: 'config',
  message: expect.stringContaining('vendor.model cannot change the model') as string,
}) as Error
const options: CallOptions = { vendor: { model: 'other' } }

describe.each(creators)('a provider of %s', (_name, create) => {
  test('a provider refuses a model in vendor fields before it sends anything', async () => {
    requests = 0
    const provider = create({})
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
