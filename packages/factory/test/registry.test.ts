import { describeProvider } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { describe, expect, test } from 'vitest'
import {
  createFactory,
  createRegistry,
  hostPort,
  type ModelConfig,
  type ModelPool,
  type ProviderRow,
  parseConfig,
  providerRows,
} from '../src/index.js'
import { emptyEnvironment, environmentOf, failureOf, recordingFetch } from './support.js'

const none = { environment: emptyEnvironment }
const chatAndShield: ModelPool = {
  models: [
    { name: 'big', provider: 'openai', model: 'gpt-5.4', apiKey: 'k-0123456789' },
    { name: 'broken', provider: 'anthropic', model: 'claude-sonnet-4-6' },
    { name: 'local', provider: 'ollama', model: 'llama3.2' },
  ],
  roles: { chat: 'big', image: 'broken' },
}

describe('a registry', () => {
  test('a registry has models, roles and accessors', () => {
    const registry = createRegistry(chatAndShield, none)
    expect(registry.modelNames()).toEqual(['big', 'broken', 'local'])
    expect(registry.entry('local')).toEqual({
      name: 'local',
      provider: 'ollama',
      model: 'llama3.2',
    })
    expect(registry.entry('x')).toBeUndefined()
    expect([registry.roleName('chat'), registry.roleName('shield')]).toEqual(['big', ''])
    const mapping = registry.roleMapping()
    expect(mapping).toEqual({ chat: 'big', image: 'broken' })
    mapping['chat'] = 'local'
    expect(registry.roleName('chat')).toBe('big')
  })

  test("roles: shield is chat, sub_agent is the cheapest of chat's provider, the others fail", async () => {
    const registry = createRegistry(chatAndShield, none)
    expect((await registry.chat()).model).toBe('gpt-5.4')
    expect((await registry.shield()).model).toBe('gpt-5.4')
    expect((await registry.subAgent()).model).toBe('gpt-5.4-mini')
    registry.setRole('sub_agent', 'local')
    registry.setRole('shield', 'local')
    expect((await registry.subAgent()).model).toBe('llama3.2')
    expect((await registry.shield()).name).toBe('ollama')
    for (const role of ['embedding', 'video', 'anything'])
      expect((await failureOf(() => registry.forRole(role))).message).toContain(
        `no model assigned to role "${role}"; give it one with setRole, or in the roles of the file. Roles that have one: chat, `,
      )
    expect((await failureOf(() => registry.embedder())).message).toContain(
      'no model assigned to role "embedding"; ',
    )
    expect(
      (await failureOf(() => createRegistry({ models: [], roles: {} }, none).chat())).message,
    ).toMatch(/^no model assigned to role "chat"; .*: none$/)
  })

  test('a model that cannot be made fails for itself alone, and may work later', async () => {
    let key = ''
    const registry = createRegistry(chatAndShield, {
      environment: (name) => (name === 'ANTHROPIC_API_KEY' ? key : undefined),
    })
    expect((await registry.chat()).name).toBe('openai')
    expect((await failureOf(() => registry.forRole('image'))).message).toMatch(
      /^model "broken": anthropic: environment variable ANTHROPIC_API_KEY/,
    )
    key = 'k-0123456789'
    expect((await registry.forRole('image')).name).toBe('anthropic')
  })

  test('a registry makes each provider once', async () => {
    const registry = createRegistry(chatAndShield, none)
    const [one, other] = await Promise.all([registry.chat(), registry.provider('big')])
    expect(one).toBe(other)
    expect(await registry.subAgent()).toBe(await registry.subAgent())
  })

  test('a registry can be changed while the program runs', async () => {
    const registry = createRegistry(chatAndShield, none)
    const before = await registry.chat()
    registry.register({ name: 'big', provider: 'ollama', model: 'other' })
    expect((await registry.chat()).model).toBe('other')
    expect(before.model).toBe('gpt-5.4')
    registry.register({ name: 'new', provider: 'ollama', model: 'newest' })
    registry.setRole('chat', 'new')
    expect((await registry.chat()).model).toBe('newest')
    expect(registry.modelNames()).toEqual(['big', 'broken', 'local', 'new'])
    expect(() => registry.setRole('chat', 'nobody')).toThrow(
      'model "nobody" not found in registry; there are big, broken, local, new',
    )
    expect(() => registry.register({ name: ' ', provider: 'ollama' })).toThrow('give it a name')
    expect((await failureOf(() => registry.provider('locl'))).message).toContain(
      'not found in registry; did you mean "local"?',
    )
    expect(() => createRegistry({ models: [], roles: { chat: 'x' } }, none)).toThrow('not found')
  })

  test('a registry has fallbacks by name, and the hosts of all in order', async () => {
    const { fetch } = recordingFetch()
    const mock: ProviderRow = {
      ...providerRows.find(({ name }) => name === 'mock')!,
      creators: { createProvider: () => createMock({ responses: ['spare'] }) },
    }
    const table = new Map(providerRows.map((row) => [row.name, row]))
    table.set('mock', mock)
    const registry = createRegistry(
      {
        models: [
          {
            name: 'a',
            provider: 'openai',
            model: 'm',
            apiKey: 'k-0123456789',
            fetch,
            fallback: ['c'],
          },
          { name: 'b', provider: 'anthropic', model: 'm', apiKey: 'k-0123456789' },
          { name: 'c', provider: 'mock', fallback: ['b'] },
          { name: 'd', provider: 'openai', model: 'other', apiKey: 'k-0123456789' },
        ],
        roles: { chat: 'a' },
      },
      { ...none, table },
    )
    expect(await (await registry.chat()).complete('?')).toBe('spare')
    expect(registry.apiHosts().map(hostPort)).toEqual([
      'api.openai.com:443',
      'api.anthropic.com:443',
    ])
    expect(registry.apiHosts().every(({ required }) => required)).toBe(true)
    registry.register({ name: 'b', provider: 'ollama', fallback: ['c'] })
    expect((await failureOf(() => registry.provider('c'))).message).toContain('cycle')
  })

  test('fallbacks of fallbacks ask each model once, however many ways lead to it', async () => {
    let made = 0
    const row: ProviderRow = {
      name: 'house',
      offline: true,
      keyEnv: [],
      needsKey: false,
      model: 'm',
      creators: {
        createProvider: () => {
          made++
          return createMock({
            responses: [{ error: 'overloaded' }],
            defaults: { retry: { attempts: 1 } },
          })
        },
      },
    }
    const names = Array.from({ length: 40 }, (_, index) => `m${index}`)
    const models = names.map((name, index) => ({
      name,
      provider: 'house',
      fallback: names.slice(index + 1),
    }))
    const factory = createFactory({ rows: [row] })
    const provider = await factory.createRegistry({ models, roles: { chat: 'm0' } }).chat()
    expect(made).toBe(40)
    await failureOf(() => provider.complete('?'))
    const shared: ModelConfig = { provider: 'house', model: 'shared' }
    const middle: ModelConfig = { provider: 'house', fallback: [shared] }
    made = 0
    await factory.newProvider({
      provider: 'house',
      fallback: [middle, shared, { provider: 'house', fallback: [middle] }],
    })
    expect(made).toBe(4)
    const circle: { provider: string; fallback?: ModelConfig[] } = { provider: 'house' }
    circle.fallback = [circle]
    expect(await failureOf(() => factory.newProvider(circle))).toMatchObject({
      code: 'config',
      message: 'fallback: the fallbacks form a cycle; remove one of them',
    })
    expect(await failureOf(() => factory.apiHosts(circle))).toMatchObject({ code: 'config' })
  })

  test('sub_agent is the model that the provider of chat names', async () => {
    const registry = createRegistry(
      {
        models: [{ name: 'a', provider: 'anthropic:claude-opus-5', apiKey: 'k-0123456789' }],
        roles: { chat: 'a' },
      },
      none,
    )
    expect((await registry.subAgent()).model).toBe('claude-haiku-4-5-20251001')
  })

  test('a registry has embedders', async () => {
    const registry = createRegistry(
      {
        models: [
          { name: 'e', provider: 'ollama', model: 'nomic-embed-text' },
          { name: 'f', provider: 'anthropic', apiKey: 'k-0123456789' },
        ],
        roles: { embedding: 'e', other: 'f' },
      },
      none,
    )
    expect((await registry.embedder()).model).toBe('nomic-embed-text')
    expect((await failureOf(() => registry.embedder('other'))).message).toContain(
      'model "f": anthropic: it has no embeddings',
    )
  })

  test('a registry warns of a chat model that judges itself', () => {
    const warnings = (roles: string, shield = 'gpt-5.4') =>
      createRegistry(
        parseConfig(
          `models:\n  - {name: a, provider: openai, model: gpt-5.4}\n  - {name: b, provider: openai, model: ${shield}}\nroles: {chat: a${roles}}`,
        ),
        { environment: environmentOf({ OPENAI_API_KEY: 'sk-test-0123456789' }) },
      ).warnings()
    expect(warnings(', shield: b')).toEqual([
      'Cross-model evaluation is recommended: chat and shield are both openai:gpt-5.4',
    ])
    expect(warnings(', shield: b', 'gpt-5.4-mini')).toEqual([])
    expect(warnings('')).toEqual([])
  })

  test('a registry may be that of a static factory', async () => {
    const row: ProviderRow = {
      name: 'house',
      offline: true,
      keyEnv: [],
      needsKey: false,
      model: 'm',
      creators: { createProvider: () => createMock({ responses: ['here'] }) },
    }
    const registry = createFactory({ rows: [row], environment: environmentOf({}) }).createRegistry({
      models: [{ name: 'a', provider: 'house' }],
      roles: { chat: 'a' },
    })
    expect(await (await registry.chat()).complete('?')).toBe('here')
    expect(registry.apiHosts()).toEqual([])
  })
})

test('an entry that cannot be read does not hide the hosts of the others, and a missing key is a warning', () => {
  const registry = createRegistry(
    {
      models: [
        { name: 'a', provider: 'anthropic' },
        { name: 'b', provider: 'azure', model: 'm' },
        { name: 'c', provider: 'openai' },
      ],
      roles: { chat: 'a', shield: 'b' },
    },
    none,
  )
  expect(registry.apiHosts().map(({ host }) => host)).toEqual([
    'api.anthropic.com',
    'api.openai.com',
  ])
  expect(registry.warnings()).toEqual([
    expect.stringMatching(
      /^model "a": anthropic: environment variable ANTHROPIC_API_KEY is not set/,
    ),
    expect.stringMatching(/^model "b": azure-openai: the address of the resource/),
    expect.stringMatching(/^model "c": openai: environment variable OPENAI_API_KEY is not set/),
  ])
})

test.each([
  null,
  undefined,
  5,
  {},
  { models: [] },
  { models: {}, roles: {} },
  { models: [], roles: null },
])('createRegistry rejects %j with a typed error', async (pool) => {
  expect(await failureOf(() => createRegistry(pool as never, none))).toMatchObject({
    code: 'config',
  })
})

test('register rejects an unknown provider and an unknown field at once', () => {
  const registry = createRegistry(chatAndShield, none)
  expect(() => {
    registry.register({ name: 'x', provider: 'nope' })
  }).toThrow('unsupported provider: "nope"')
  expect(() => {
    registry.register({ name: 'x', provider: 'openai', modle: 'm' } as never)
  }).toThrow('unknown field "modle"')
})

test("a model's profile reaches the provider, also behind a fallback", async () => {
  const profile = { contextWindow: 8000, supportsTools: false }
  const registry = createRegistry(
    {
      models: [
        { name: 'a', provider: 'ollama', profile, fallback: ['b'] },
        { name: 'b', provider: 'ollama', model: 'other' },
      ],
      roles: { chat: 'a' },
    },
    none,
  )
  expect(describeProvider(await registry.chat()).profile).toEqual(profile)
  expect(describeProvider(await registry.provider('b')).profile).toBeUndefined()
})
