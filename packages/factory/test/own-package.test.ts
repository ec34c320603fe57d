import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import {
  apiHosts,
  createRegistry,
  hostPort,
  type ModelConfig,
  newEmbedder,
  newProvider,
  parseConfig,
} from '../src/index.js'
import { importModule, readConfigFile } from '../src/node.js'
import { emptyEnvironment, environmentOf, failureOf } from './support.js'

const mock = pathToFileURL(join(import.meta.dirname, '../../provider-mock/src/index.ts')).href
const source = `
import { createMock } from ${JSON.stringify(mock)}
export const createProvider = (settings) => createMock({ model: settings.model, responses: [JSON.stringify(settings)] })
`
const config: ModelConfig = {
  provider: 'acme',
  model: 'acme-1',
  baseUrl: 'https://llm.acme.test/v1',
  package: 'acme-llm',
}
const none = { environment: emptyEnvironment }

function configFile(text: string, module = source): string {
  const file = join(temporaryFolder('own-package'), 'config.yaml')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  writeFileSync(join(dirname(file), 'acme.mjs'), module)
  return file
}

const yaml = `
models:
  - {name: main, provider: acme, model: acme-1, package: ./acme.mjs, base_url: https://llm.acme.test/v1, api_key_env: ACME_KEY}
roles: {chat: main}
`

describe('a configuration with a package', () => {
  test('a configuration with a package runs a module of the file from the folder of the file, with the address and the key it names', async () => {
    const pool = await readConfigFile(configFile(yaml))
    const environment = environmentOf({
      ACME_KEY: 'acme-key-0123456789',
      OPENAI_API_KEY: 'another-key-0123456789',
    })
    const provider = await createRegistry(pool, { environment, importModule }).chat()
    expect(JSON.parse(await provider.complete('Hi'))).toEqual({
      model: 'acme-1',
      apiKey: 'acme-key-0123456789',
      baseUrl: 'https://llm.acme.test/v1',
    })
  })

  test('a configuration with a package is listed with its host before any of its code runs', () => {
    expect(apiHosts(config, none).map(hostPort)).toEqual(['llm.acme.test:443'])
  })

  test('a configuration with a package is refused unless the application passes importModule', async () => {
    expect(await failureOf(() => newProvider(config, none))).toMatchObject({
      code: 'config',
      message: expect.stringContaining(
        'acme: a configuration cannot load the package acme-llm by itself; to allow it',
      ) as string,
    })
  })

  test('a configuration with a package takes creators from the default export too, embeddings included', async () => {
    const createEmbedder = () => ({
      name: 'acme',
      model: 'e',
      embed: () => Promise.reject(new Error('not asked')),
    })
    const context = {
      ...none,
      importModule: () =>
        Promise.resolve({ default: { createProvider: () => undefined, createEmbedder } }),
    }
    expect((await newEmbedder(config, context)).model).toBe('e')
  })

  test('a configuration with a package says what a module must export, and why one does not load', async () => {
    const without = await readConfigFile(configFile(yaml, 'export const other = 1'))
    expect(
      (await failureOf(() => createRegistry(without, { ...none, importModule }).chat())).message,
    ).toMatch(/acme: .*acme\.mjs must export a function createProvider$/)
    expect(
      await failureOf(() =>
        newProvider({ ...config, package: 'not-installed-anywhere' }, { ...none, importModule }),
      ),
    ).toMatchObject({
      code: 'config',
      message: expect.stringContaining('not-installed-anywhere does not load') as string,
    })
  })

  test('a configuration with a package cannot take the name of a provider of modelport, and needs an address', async () => {
    expect(
      (
        await failureOf(() =>
          newProvider({ ...config, provider: 'openai' }, { ...none, importModule }),
        )
      ).message,
    ).toContain('"openai" is a provider of modelport')
    const { baseUrl: _, ...noAddress } = config
    expect((await failureOf(() => newProvider(noAddress, none))).message).toContain(
      'acme: baseUrl is missing',
    )
    const text =
      'models: [{name: main, provider: acme, model: m, package: acme-llm}]\nroles: {chat: main}'
    expect(() => parseConfig(text)).toThrow(
      'models[0].base_url: is missing; a provider with package needs it',
    )
    expect(() => parseConfig(text.replace('acme,', 'openai,'))).toThrow(
      'is a provider of modelport',
    )
  })

  test('a configuration with a package sends no key that the configuration does not name', async () => {
    const importing = {
      importModule: () =>
        import(mock).then(({ createMock }: { createMock: (s: object) => unknown }) => ({
          createProvider: (settings: object) =>
            createMock({ responses: [JSON.stringify(settings)] }),
        })),
    }
    const environment = environmentOf({
      ACME_API_KEY: 'acme-key-0123456789',
      OPENAI_API_KEY: 'another-key-0123456789',
    })
    const provider = await newProvider(config, { environment, ...importing })
    expect(JSON.parse(await provider.complete('Hi'))).not.toHaveProperty('apiKey')
  })
})

describe('options of the registry', () => {
  const pool = {
    models: [
      { name: 'big', provider: 'openai', model: 'gpt-5.4', apiKeyEnv: 'TEAM_KEY' },
      { name: 'small', provider: 'ollama', model: 'llama3.2' },
    ],
    roles: { chat: 'big', judge: 'small' },
  }

  test('the registry looks a variable up with environmentPrefix too, and without one only by its name', async () => {
    const environment = environmentOf({
      OP_TEAM_KEY: 'key-0123456789',
      APP_TEAM_KEY: 'key-9876543210',
    })
    for (const environmentPrefix of ['OP_', 'APP_'])
      expect((await createRegistry(pool, { environment, environmentPrefix }).chat()).model).toBe(
        'gpt-5.4',
      )
    const message = async (environmentPrefix?: string): Promise<string> =>
      (await failureOf(() => createRegistry(pool, { environment, environmentPrefix }).chat()))
        .message
    for (const none of [undefined, ''])
      expect(await message(none)).toContain('environment variable TEAM_KEY is not set')
    expect(await message('MY_')).toContain(
      'environment variable TEAM_KEY (or MY_TEAM_KEY) is not set',
    )
  })

  test('fallbackRoles replaces the roles that need no model', async () => {
    const environment = environmentOf({ TEAM_KEY: 'key-0123456789' })
    const registry = createRegistry(pool, {
      environment,
      fallbackRoles: { critic: { role: 'judge' }, cheap: { role: 'chat', cheapest: true } },
    })
    expect((await registry.forRole('critic')).model).toBe('llama3.2')
    expect((await registry.forRole('cheap')).model).toBe('gpt-5.4-mini')
    for (const role of ['shield', 'sub_agent', 'constructor'])
      expect((await failureOf(() => registry.forRole(role))).message).toContain(
        `no model assigned to role "${role}"`,
      )
  })

  test('config gives the configuration of a model with those of its fallbacks', () => {
    const registry = createRegistry(
      {
        models: [{ ...pool.models[0]!, fallback: ['small'] }, pool.models[1]!],
        roles: { chat: 'big' },
      },
      none,
    )
    expect(registry.config('big')).toEqual({
      provider: 'openai',
      model: 'gpt-5.4',
      apiKeyEnv: 'TEAM_KEY',
      fallback: [{ provider: 'ollama', model: 'llama3.2' }],
    })
    expect(() => registry.config('bgi')).toThrow('did you mean "big"?')
  })
})
