import { vendors } from '@modelport/catalog'
import { expect, test } from 'vitest'
import { createFactory, newFileStore, providerRows } from '../src/index.js'

const none = { environment: () => undefined }
const apiKey = 'k-0123456789'

test.each(['openai', 'anthropic', 'google'])(
  'a configuration of %s makes a file store, without a model',
  async (provider) => {
    expect(await newFileStore({ provider, apiKey }, none)).toMatchObject({ name: provider })
    const { OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY } = {
      OPENAI_API_KEY: apiKey,
      ANTHROPIC_API_KEY: apiKey,
      GEMINI_API_KEY: apiKey,
    }
    const variables: Record<string, string> = { OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY }
    expect((await newFileStore(provider, { environment: (name) => variables[name] })).name).toBe(
      provider,
    )
  },
)

const settings: Readonly<Record<string, object>> = {
  'anthropic-vertex': { vertex: { project: 'p', accessToken: () => 'token' }, apiKey: undefined },
  vertex: { vertex: { project: 'p', accessToken: () => 'token' }, apiKey: undefined },
  llamacpp: { apiKey: undefined, model: 'model.gguf' },
  mock: { apiKey: undefined },
}
const others = providerRows
  .map(({ name }) => name)
  .filter((name) => !['openai', 'anthropic', 'google'].includes(name))

test.each(others)(
  'files of %s, of which nothing is documented that was tried, are unsupported',
  async (provider) => {
    const config = {
      provider,
      apiKey,
      model: 'm',
      baseUrl:
        provider === 'azure-openai' || provider === 'llamacpp' || provider === 'mock'
          ? undefined
          : 'http://127.0.0.1:9',
      ...vendors.find(({ name }) => name === provider)?.minimal,
      ...settings[provider],
    }
    await expect(newFileStore(config as never, none)).rejects.toMatchObject({ code: 'unsupported' })
  },
)

test('the refusal of a vendor without files names those that have them', async () => {
  await expect(newFileStore({ provider: 'groq', apiKey }, none)).rejects.toMatchObject({
    message: 'groq: modelport has no files for it; choose anthropic, openai or google',
  })
})

test('a factory of imported rows makes the file stores that its rows have', async () => {
  const row = {
    ...providerRows.find(({ name }) => name === 'openai-compatible'),
    keyEnv: [],
    needsKey: false,
  }
  const unused = () => {
    throw new Error('not made here')
  }
  const createFiles = () => ({
    name: 'house',
    upload: unused,
    get: unused,
    list: unused,
    delete: unused,
  })
  const factory = createFactory({
    rows: [
      { ...row, name: 'house', creators: { createProvider: unused, createFiles } },
      { ...row, name: 'plain', creators: { createProvider: unused } },
    ],
  })
  expect((await factory.newFileStore('house')).name).toBe('house')
  await expect(factory.newFileStore('plain')).rejects.toMatchObject({ code: 'unsupported' })
})
