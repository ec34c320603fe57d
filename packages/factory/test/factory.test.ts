import { isProvider, type Provider } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { createOllama } from '@modelport/provider-ollama'
import { describe, expect, test } from 'vitest'
import {
  apiHost,
  createFactory,
  createProviderTable,
  environmentNames,
  findRow,
  keyVariables,
  type ModelConfig,
  newEmbedder,
  newProvider,
  parseModel,
  processEnvironment,
  providerRows,
  proxyVariables,
  resolveApiKey,
  resolveEnvironment,
  resolveModel,
  toFileNames,
} from '../src/index.js'
import { emptyEnvironment, environmentOf, failureOf, recordingFetch } from './support.js'

const none = { environment: emptyEnvironment }

describe('newProvider', () => {
  test.each<[ModelConfig | string, Record<string, string>, Partial<Provider>]>([
    [
      { provider: 'anthropic', model: 'claude-sonnet-4-6', apiKeyEnv: 'ANTHROPIC_API_KEY' },
      { ANTHROPIC_API_KEY: 'test-key' },
      { name: 'anthropic', model: 'claude-sonnet-4-6', cheapestModel: 'claude-haiku-4-5-20251001' },
    ],
    [
      { provider: 'openai', model: 'gpt-5.4', apiKeyEnv: 'OPENAI_API_KEY' },
      { OPENAI_API_KEY: 'test-key' },
      { name: 'openai', model: 'gpt-5.4', cheapestModel: 'gpt-5.4-mini' },
    ],
    [
      {
        provider: 'openai',
        model: 'custom-model',
        baseUrl: 'http://localhost:8080/v1',
        apiKeyEnv: 'OPENAI_API_KEY',
      },
      { OPENAI_API_KEY: 'test-key' },
      { name: 'openai', model: 'custom-model' },
    ],
    [
      { provider: 'google', model: 'gemini-3.1-pro', apiKeyEnv: 'GOOGLE_API_KEY' },
      { GOOGLE_API_KEY: 'test-key' },
      { name: 'google', cheapestModel: 'gemini-3.1-flash-lite' },
    ],
    [
      { provider: 'ollama', model: 'llama3.2' },
      {},
      { name: 'ollama', model: 'llama3.2', cheapestModel: 'llama3.2' },
    ],
    [{ provider: 'ollama', model: 'llama3.2', apiKeyEnv: 'NOT_SET' }, {}, { name: 'ollama' }],
    ['ollama:llama3:8b', {}, { name: 'ollama', model: 'llama3:8b' }],
    [{ provider: 'Ollama:llama3:8b' }, {}, { name: 'ollama', model: 'llama3:8b' }],
    ['openai', { OPENAI_API_KEY: 'test-key' }, { name: 'openai', model: 'gpt-5.4' }],
    ['grok', { GROK_API_KEY: 'test-key' }, { name: 'grok', model: 'grok-latest' }],
    [
      {
        provider: 'azure',
        model: 'deployed',
        baseUrl: 'https://r.openai.azure.com',
        apiKeyEnv: 'AZURE_OPENAI_API_KEY',
      },
      { AZURE_OPENAI_API_KEY: 'test-key' },
      { name: 'azure-openai', model: 'deployed' },
    ],
    [
      { provider: 'vertex', vertex: { project: 'p', accessToken: () => 't' } },
      {},
      { name: 'google' },
    ],
    [{ provider: 'mock', settings: { responses: ['Hello'] } }, {}, { name: 'mock' }],
    [{ provider: 'lmstudio' }, {}, { name: 'lmstudio', model: 'local-model' }],
    [
      { provider: 'openai', apiKey: 'k-0123456789', cheapestModel: 'tiny' },
      {},
      { cheapestModel: 'tiny' },
    ],
  ])('newProvider makes a provider of %j', async (config, variables, expected) => {
    const provider = await newProvider(config, { environment: environmentOf(variables) })
    expect(isProvider(provider)).toBe(true)
    expect(provider).toMatchObject(expected)
  })

  test.each<[string, ModelConfig | string, string]>([
    ['unknown provider', 'unknown', 'unsupported'],
    ['no key', { provider: 'openai', apiKeyEnv: 'DEFINITELY_NOT_SET_KEY_12345' }, 'not set'],
    ['no model after the colon', 'x:', 'no model'],
    ['no provider before it', ':x', 'no provider'],
    ['the model twice', { provider: 'openai:a', model: 'b' }, 'given twice'],
    ['no provider', { provider: ' ' }, 'provider is missing'],
    ['no model', { provider: 'vllm' }, 'the model is missing'],
    [
      'two addresses',
      { provider: 'azure', baseUrl: 'https://a.test', azure: { endpoint: 'https://b.test' } },
      'not both',
    ],
  ])('%s is a config error', async (_what, config, text) => {
    const error = await failureOf(() => newProvider(config, none))
    expect(error.code).toBe('config')
    expect(error.message).toContain(text)
  })

  test('what is configured reaches the wire', async () => {
    const { fetch, requests } = recordingFetch()
    const provider = await newProvider(
      {
        provider: 'openai',
        baseUrl: 'https://proxy.test/v1',
        apiKey: 'k-0123456789',
        model: 'm',
        fetch,
        headers: { 'x-team': 'a' },
        defaults: { temperature: 0, vendor: { a: 1 } },
        vendor: { b: 2 },
        settings: { organization: 'org' },
      },
      none,
    )
    await provider.complete('Hi', { retry: { attempts: 1 } }).catch(() => undefined)
    expect(requests[0]!.url).toBe('https://proxy.test/v1/chat/completions')
    expect(Object.fromEntries(requests[0]!.headers)).toMatchObject({
      authorization: 'Bearer k-0123456789',
      'x-team': 'a',
      'openai-organization': 'org',
    })
    expect(JSON.parse(requests[0]!.body)).toMatchObject({ temperature: 0, a: 1, b: 2 })
  })

  test('a preset brings the quirks of its vendor', async () => {
    const { fetch, urls } = recordingFetch()
    await (await newProvider({ provider: 'perplexity', apiKey: 'k-0123456789', fetch }, none))
      .complete('Hi', { retry: { attempts: 1 } })
      .catch(() => undefined)
    expect(urls).toEqual(['https://api.perplexity.ai/chat/completions'])
  })

  test('newProvider makes the fallbacks as well', async () => {
    const { fetch } = recordingFetch()
    const config = {
      provider: 'openai',
      apiKey: 'k-0123456789',
      fetch,
      fallback: [{ provider: 'mock', settings: { responses: ['from the mock'] } }],
    }
    expect(await (await newProvider(config, none)).complete('Hi')).toBe('from the mock')
  })
})

describe('embedders', () => {
  test.each([
    ['openai', 'text-embedding-3-small'],
    ['google', 'gemini-embedding-001'],
    ['ollama', 'nomic-embed-text'],
    ['ollama:other', 'other'],
    ['mistral', 'mistral-embed'],
  ])('%s embeds with %s', async (provider, model) => {
    const embedder = await newEmbedder({ provider, apiKey: 'k-0123456789' }, none)
    expect(embedder.model).toBe(model)
  })
  test('a file in this process embeds, through the name of its provider', async () => {
    const embedder = await newEmbedder(
      { provider: 'llamacpp', model: '/models/some-model.gguf' },
      none,
    )
    expect(embedder).toMatchObject({ name: 'llamacpp', model: 'some-model' })
    const settings = { modelPath: '/models/other.gguf' }
    expect(
      (await newEmbedder({ provider: 'llamacpp', model: 'my-name', settings }, none)).model,
    ).toBe('my-name')
    // Its own package loads it: there is no such file.
    expect((await failureOf(() => embedder.embed(['x']))).message).toContain('some-model.gguf')
  })
  test('a vendor without embeddings is unsupported', async () => {
    expect(
      (await failureOf(() => newEmbedder({ provider: 'anthropic', apiKey: 'k-0123456789' }, none)))
        .code,
    ).toBe('unsupported')
  })
})

describe('keys', () => {
  const key = (
    config: ModelConfig,
    variables: Record<string, string>,
    environmentPrefix?: string,
  ) =>
    resolveApiKey(resolveModel(config, none), {
      environment: environmentOf(variables),
      environmentPrefix,
    })

  test("newProvider takes the given key, else the named variable and its prefixed form, else the vendor's variables in order", async () => {
    const all = {
      MINE: 'mine',
      OP_MINE: 'op',
      GEMINI_API_KEY: 'gemini',
      GOOGLE_API_KEY: 'google',
      GOOGLE_AI_API_KEY: 'ai',
    }
    const { MINE: _, ...noMine } = all
    const config = { provider: 'google', apiKeyEnv: 'MINE' }
    expect(key({ ...config, apiKey: 'given' }, all)).toBe('given')
    expect(key(config, all)).toBe('mine')
    expect(key(config, noMine, 'OP_')).toBe('op')
    const usual = { provider: 'google' }
    expect(key(usual, all)).toBe('gemini')
    const prefixed = { OP_GEMINI_API_KEY: 'op', GOOGLE_API_KEY: 'google' }
    expect(key(usual, prefixed, 'OP_')).toBe('op')
    expect(key(usual, prefixed)).toBe('google')
    expect(key(usual, { GOOGLE_API_KEY: 'google', GOOGLE_AI_API_KEY: 'ai' })).toBe('google')
    expect(key(usual, { GOOGLE_API_KEY: '', GOOGLE_AI_API_KEY: 'ai' })).toBe('ai')
    expect((await failureOf(() => key(usual, {}))).message).toContain(
      'GEMINI_API_KEY, GOOGLE_API_KEY, GOOGLE_AI_API_KEY are not set',
    )
    expect((await failureOf(() => key(usual, {}, 'OP_'))).message).toContain(
      'GEMINI_API_KEY, GOOGLE_API_KEY, GOOGLE_AI_API_KEY (or these with OP_ before) are not set',
    )
  })

  test('newProvider sends no other key when the named variable is unset: an error where the provider needs a key', async () => {
    const others = { MINE: '', OP_MINE: ' ', GEMINI_API_KEY: 'gemini', OLLAMA_API_KEY: 'cloud' }
    expect(
      (await failureOf(() => key({ provider: 'google', apiKeyEnv: 'MINE' }, others, 'OP_')))
        .message,
    ).toBe(
      'google: environment variable MINE (or OP_MINE) is not set; get a key at https://aistudio.google.com/apikey',
    )
    expect(key({ provider: 'ollama', apiKeyEnv: 'MINE' }, others)).toBeUndefined()
  })

  test('newProvider asks an Azure configuration to say which key its address has', async () => {
    const config = { provider: 'azure', model: 'm', baseUrl: 'https://r.openai.azure.com' }
    const variables = { AZURE_OPENAI_API_KEY: 'azure' }
    expect((await failureOf(() => key(config, variables))).message).toBe(
      'azure-openai: no key for this address; name its variable as apiKeyEnv (in a file: api_key_env), or set AZURE_OPENAI_ENDPOINT to this address so that AZURE_OPENAI_API_KEY counts',
    )
    expect(key({ ...config, apiKeyEnv: 'AZURE_OPENAI_API_KEY' }, variables)).toBe('azure')
    expect(
      key(config, { ...variables, AZURE_OPENAI_ENDPOINT: 'https://r.openai.azure.com/' }),
    ).toBe('azure')
  })

  test('newProvider asks for a key where the package sends nothing without one, and says how to name it', async () => {
    const config = { provider: 'google', model: 'm', baseUrl: 'http://127.0.0.1:9' }
    const { message } = await failureOf(() => key(config, { GEMINI_API_KEY: 'gemini' }))
    expect(message).toBe(
      'google: no key for this address; name its variable as apiKeyEnv (in a file: api_key_env), or set GOOGLE_GEMINI_BASE_URL to this address so that GEMINI_API_KEY or GOOGLE_API_KEY or GOOGLE_AI_API_KEY counts',
    )
    expect(toFileNames(message)).toContain('; name its variable as api_key_env, or set')
  })

  test('newProvider refuses settings that would replace the address, the transport or the key', async () => {
    for (const name of [
      'baseUrl',
      'fetch',
      'proxy',
      'apiKey',
      'headers',
      'azure',
      'vertex',
      'enforceHosts',
    ])
      expect(
        (
          await failureOf(() =>
            newProvider({ provider: 'openai', apiKey: 'k-0123', settings: { [name]: 'x' } }),
          )
        ).message,
      ).toBe(`settings.${name}: set ${name} of the configuration itself, not in settings`)
  })

  test('newProvider refuses to send default credentials of Google Cloud to another host', async () => {
    const config = {
      provider: 'vertex',
      baseUrl: 'https://elsewhere.test',
      vertex: { project: 'p', applicationDefault: true },
    }
    expect((await failureOf(() => newProvider(config, none))).message).toContain(
      'only to *.googleapis.com',
    )
  })

  test('newProvider refuses a model in vendor fields', async () => {
    const failure = await failureOf(() =>
      newProvider({ provider: 'google', apiKey: 'k-0123', vendor: { model: 'other' } }),
    )
    expect(failure.code).toBe('config')
    expect(failure.message).toContain('vendor.model: set model')
  })

  test('newProvider sends neither temperature nor a token limit with the defaults of the vendor', async () => {
    for (const vendor of [undefined, { user: 'u' }]) {
      const recorder = recordingFetch()
      const provider = await newProvider({
        provider: 'groq',
        apiKey: 'k-0123',
        defaults: 'vendor',
        vendor,
        fetch: recorder.fetch,
      })
      await provider.complete('Hi', { retry: { attempts: 1 } }).catch(() => undefined)
      const body = JSON.parse(recorder.requests[0]?.body ?? '{}') as object
      expect(Object.keys(body)).toEqual(expect.arrayContaining(['model', 'messages']))
      expect(Object.keys(body).filter((name) => /temperature|max_/.test(name))).toEqual([])
    }
  })

  test('newProvider sends 4096 tokens and temperature 0.7 with the defaults of the reference, and refuses fields of the vendor with them', async () => {
    const config = { provider: 'groq', apiKey: 'k-0123', defaults: 'reference' } as const
    const recorder = recordingFetch()
    const provider = await newProvider({ ...config, fetch: recorder.fetch })
    await provider.complete('Hi', { retry: { attempts: 1 } }).catch(() => undefined)
    expect(JSON.parse(recorder.requests[0]?.body ?? '{}')).toMatchObject({
      max_completion_tokens: 4096,
      temperature: 0.7,
    })
    expect(await failureOf(() => newProvider({ ...config, vendor: { user: 'u' } }))).toMatchObject({
      code: 'config',
      message: expect.stringContaining('set defaults to { maxTokens: 4096') as string,
    })
  })

  test("newProvider sends a limit of the reply to servers of one's own only", async () => {
    for (const [provider, limit] of [
      ['vllm', 4096],
      ['ollama', 4096],
      ['openai-compatible', 4096],
      ['openrouter', undefined],
      ['mistral', undefined],
    ] as const) {
      const recorder = recordingFetch()
      const made = await newProvider({
        provider,
        model: 'm',
        apiKey: 'k-0123',
        fetch: recorder.fetch,
      })
      await made.complete('Hi', { retry: { attempts: 1 } }).catch(() => undefined)
      const { max_tokens, options } = JSON.parse(recorder.requests[0]?.body ?? '{}') as {
        readonly max_tokens?: number
        readonly options?: { readonly num_predict?: number }
      }
      expect([provider, max_tokens ?? options?.num_predict]).toEqual([provider, limit])
    }
  })

  test('newProvider takes a header from a variable', async () => {
    const recorder = recordingFetch()
    const config = {
      provider: 'anthropic',
      apiKey: 'k-0123',
      headers: { 'x-gate': { env: 'GATE' } },
      fetch: recorder.fetch,
    }
    const environment = environmentOf({ GATE: 'open' })
    const provider = await newProvider(config, { environment })
    await provider.complete('Hi', { retry: { attempts: 1 } }).catch(() => undefined)
    expect(recorder.requests[0]?.headers.get('x-gate')).toBe('open')
    expect((await failureOf(() => newProvider(config, none))).message).toBe(
      'headers: x-gate: environment variable GATE is not set; set it to the value of the header',
    )
    expect(environmentNames([config], none)).toContain('GATE')
    const prefixed = await newProvider(config, {
      environment: environmentOf({ OP_GATE: 'open' }),
      environmentPrefix: 'OP_',
    })
    await prefixed.complete('Hi', { retry: { attempts: 1 } }).catch(() => undefined)
    expect(recorder.requests[1]?.headers.get('x-gate')).toBe('open')
  })

  test.each([
    ['google', ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_AI_API_KEY']],
    ['grok', ['XAI_API_KEY', 'GROK_API_KEY']],
    ['huggingface', ['HF_API_TOKEN', 'HF_TOKEN']],
    ['openai', ['OPENAI_API_KEY']],
    ['anthropic', ['ANTHROPIC_API_KEY']],
    ['deepseek', ['DEEPSEEK_API_KEY']],
  ])('%s looks for its key in %j', (provider, names) => {
    expect(keyVariables(resolveModel(provider, none))).toEqual(names)
  })

  test('an error names an unset or empty variable, and never shows a value', async () => {
    const error = await failureOf(() =>
      key({ provider: 'openai', apiKeyEnv: 'KEY' }, { KEY: '', OTHER: 'sk-secret-of-tests' }),
    )
    expect(error.code).toBe('config')
    expect(error.message).toContain('KEY')
    expect((await failureOf(() => key({ provider: 'openai' }, {}))).message).toContain(
      'OPENAI_API_KEY is not set',
    )
    expect(error.message).not.toContain('secret')
  })

  test("a vendor's key goes to the vendor's own host, and to no other by itself", () => {
    const variables = {
      OPENAI_API_KEY: 'vendors',
      DEEPSEEK_API_KEY: 'other',
      OLLAMA_API_KEY: 'local',
    }
    expect(key({ provider: 'openai', baseUrl: 'https://us.api.openai.com/v1' }, variables)).toBe(
      'vendors',
    )
    for (const baseUrl of [
      'https://proxy.test/v1',
      'https://api.openai.com.evil.test',
      'https://notapi.openai.com.test',
      'http://api.openai.com/v1',
      'https://evilapi.openai.com',
    ]) {
      expect(key({ provider: 'openai', baseUrl }, variables), baseUrl).toBeUndefined()
    }
    expect(
      key(
        { provider: 'openai', baseUrl: 'https://proxy.test/v1', apiKeyEnv: 'OPENAI_API_KEY' },
        variables,
      ),
    ).toBe('vendors')
    expect(key({ provider: 'ollama', baseUrl: 'https://ollama.com' }, variables)).toBe('local')
    const asked = resolveModel(
      { provider: 'openai', useEnvironmentBaseUrls: true },
      { environment: environmentOf({ OPENAI_BASE_URL: 'https://proxy.test/v1' }) },
    )
    expect(resolveApiKey(asked, { environment: environmentOf(variables) })).toBe('vendors')
  })

  test('an unset named variable is an error at another address too', async () => {
    expect(
      (
        await failureOf(() =>
          key({ provider: 'openai', baseUrl: 'https://proxy.test/v1', apiKeyEnv: 'MINE' }, {}),
        )
      ).message,
    ).toContain('environment variable MINE is not set')
  })

  test('newProvider accepts a missing named key for a server that may need none, so that one configuration serves both', () => {
    for (const provider of ['ollama', 'lmstudio', 'llamacpp-server'])
      expect(key({ provider, apiKeyEnv: 'MINE' }, {}), provider).toBeUndefined()
    expect(key({ provider: 'ollama', apiKeyEnv: 'MINE' }, { OP_MINE: 'k-0123' }, 'OP_')).toBe(
      'k-0123',
    )
  })

  test('environmentNames lists the variables that a sandbox must pass on', () => {
    expect(
      environmentNames(
        [
          { provider: 'openai', apiKeyEnv: 'MINE' },
          'ollama',
          { provider: 'anthropic', proxyEnv: 'HTTPS_PROXY', useEnvironmentBaseUrls: true },
        ],
        { ...none, environmentPrefix: 'OP_' },
      ),
    ).toEqual([
      'MINE',
      'OP_MINE',
      'OLLAMA_API_KEY',
      'OP_OLLAMA_API_KEY',
      'ANTHROPIC_API_KEY',
      'OP_ANTHROPIC_API_KEY',
      'HTTPS_PROXY',
      'OP_HTTPS_PROXY',
      'ANTHROPIC_BASE_URL',
    ])
  })

  test("resolveEnvironment reads the process's own environment", () => {
    process.env['OP_MODELPORT_TEST'] = ' x '
    expect(resolveEnvironment('MODELPORT_TEST', undefined, 'OP_')).toBe('x')
    expect(resolveEnvironment('MODELPORT_TEST')).toBeUndefined()
    expect(processEnvironment('MODELPORT_TEST')).toBeUndefined()
    Reflect.deleteProperty(process.env, 'OP_MODELPORT_TEST')
    expect(proxyVariables(environmentOf({ https_proxy: 'x', NODE_USE_ENV_PROXY: '1' }))).toEqual([
      'https_proxy',
      'NODE_USE_ENV_PROXY',
    ])
  })
})

describe("a table of one's own", () => {
  const row = {
    name: 'house',
    aliases: ['haus', 'openai'],
    baseUrl: 'https://house.test/v1',
    keyEnv: ['HOUSE_KEY'],
    needsKey: false,
    model: 'm',
    creators: { createProvider: () => createMock({ responses: ['made here'] }) },
  }

  test("a table of one's own has the rows that were given, and changes no other table", async () => {
    const table = createProviderTable([...providerRows, row])
    const context = { ...none, table }
    expect(apiHost('house', context)).toBe('house.test:443')
    expect(findRow('haus', table).name).toBe('house')
    expect(findRow('openai', table).name).toBe('openai')
    expect(await (await newProvider('house', context)).complete('?')).toBe('made here')
    expect(() => apiHost('house', none)).toThrow('unsupported')
    expect(() => createProviderTable([{ ...row, name: 'Has Space' }])).toThrow('lower-case')
    expect(
      (
        await failureOf(async () =>
          newProvider('bare', {
            ...none,
            table: createProviderTable([
              { name: 'bare', offline: true, keyEnv: [], needsKey: false, model: 'm' },
            ]),
          }),
        )
      ).message,
    ).toContain('creators of its own')
  })

  test('createFactory uses the rows it is given', async () => {
    const ollama = providerRows.find(({ name }) => name === 'ollama')!
    const factory = createFactory({
      rows: [
        { ...ollama, creators: { createProvider: createOllama } },
        { ...row, creators: () => Promise.resolve(row.creators) },
        providerRows[0]!,
      ],
      environment: emptyEnvironment,
    })
    expect((await factory.newProvider('ollama')).name).toBe('ollama')
    expect(await (await factory.newProvider('house')).complete('?')).toBe('made here')
    expect(factory.apiHost('ollama')).toBe('localhost:11434')
    expect(factory.apiHosts(['ollama', 'house'])).toHaveLength(2)
    expect(
      (
        await failureOf(() =>
          factory.newProvider({ provider: 'anthropic', apiKey: 'k-0123456789' }),
        )
      ).message,
    ).toContain('creators')
    expect((await failureOf(() => factory.newProvider('mistral'))).message).toContain(
      'unsupported provider',
    )
    expect(await factory.testConnection('house')).toMatchObject({ model: 'mock' })
    expect(
      factory
        .createRegistry({ models: [{ name: 'a', provider: 'ollama' }], roles: {} })
        .modelNames(),
    ).toEqual(['a'])
    expect((await failureOf(() => factory.newEmbedder('house'))).code).toBe('unsupported')
  })

  test('parseModel splits at the first colon only', () => {
    expect(parseModel('ollama:llama3:8b')).toEqual({ provider: 'ollama', model: 'llama3:8b' })
  })
})

describe('a configuration that the compiler has not checked', () => {
  const read = (text: string) =>
    failureOf(() => newProvider(JSON.parse(text) as ModelConfig, { environment: emptyEnvironment }))
  test.each([
    ['null', 'provider is missing'],
    ['{}', 'provider is missing'],
    ['7', 'provider is missing'],
    [
      '{"provider":"openai","baseURL":"https://mine.example/v1","apiKey":"k"}',
      'unknown field "baseURL"; did you mean "baseUrl"?',
    ],
    ['{"provider":"openai","key":"s3cr3t"}', 'unknown field "key"'],
    [
      '{"provider":"ollama","fallbackOptions":{"attemps":1}}',
      'unknown field "attemps"; did you mean "attempts"?',
    ],
    [
      '{"provider":"ollama","model":"m","settings":{"timeout":{}}}',
      'createOllama: unknown setting "timeout"; did you mean "timeouts"?',
    ],
    [
      '{"provider":"ollama","model":"m","defaults":{"maxOutputTokens":5}}',
      'createOllama: defaults: unknown setting "maxOutputTokens"; did you mean "maxTokens"?',
    ],
    ['{"provider":"openai","__proto__":{"a":1}}', 'unknown field "__proto__"'],
    ['{"provider":"openai","baseUrl":42}', 'baseUrl must be a string, not a number'],
    ['{"provider":"openai","apiKey":["s3cr3t"]}', 'apiKey must be a string, not a list'],
    ['{"provider":"openai","model":null}', 'model must be a string, not null; leave it out'],
    ['{"provider":"openai","headers":"s3cr3t"}', 'headers must be an object, not a string'],
    ['{"provider":"ollama","headers":{"x-a":5}}', 'headers: "x-a" must be text of one line'],
    ['{"provider":"ollama","headers":{"x a":"s3cr3t"}}', 'headers: "x a" must be text of one line'],
    [
      '{"provider":"ollama","headers":{"x-a":"s3cr3t\\r\\nb: c"}}',
      'headers: "x-a" must be text of one line',
    ],
    ['{"provider":"ollama","enforceHosts":"yes"}', 'enforceHosts must be a boolean or a list'],
    ['{"provider":"ollama","enforceHosts":[5]}', 'enforceHosts must be a boolean or a list'],
    [
      '{"provider":"openai","useEnvironmentBaseUrls":"no"}',
      'useEnvironmentBaseUrls must be a boolean, not a string',
    ],
    [
      '{"provider":"openai","fallback":{"provider":"ollama"}}',
      'fallback must be a list of configurations',
    ],
    ['{"provider":"mock","fallback":[null]}', 'provider is missing'],
  ])('a configuration that the compiler has not checked is refused: %s', async (text, message) => {
    const error = await read(text)
    expect(error).toMatchObject({
      code: 'config',
      message: expect.stringContaining(message) as string,
    })
    expect(error.message).not.toContain('s3cr3t')
  })
})
