import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fc } from '../../../test/support/fast-check.js'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import type { ParseConfigOptions } from '../src/file/parse-options.js'
import { apiHost, ConfigFileError, createProviderTable, parseConfig } from '../src/index.js'
import { readConfigFile } from '../src/node.js'
import { emptyEnvironment, failureOf } from './support.js'

const reference = `models:
  # Anthropic Claude
  - name: chat
    provider: anthropic
    model: claude-sonnet-4-6
    api_key_env: ANTHROPIC_API_KEY

  # OpenAI (or any OpenAI-compatible endpoint)
  - name: shield
    provider: openai
    model: gpt-5.4-mini
    api_key_env: OPENAI_API_KEY
    base_url: ""    # Leave empty for OpenAI, set for Azure/DeepSeek/etc.

  # Google Gemini
  - name: embedding
    provider: google
    model: text-embedding-004
    api_key_env: GOOGLE_AI_API_KEY

  # Local Ollama
  - name: local
    provider: ollama
    model: llama3.1:70b
    base_url: http://localhost:11434  # Optional, this is the default

roles:
  chat: chat
  shield: shield
  embedding: embedding
`

const pool = (model: string, roles = 'roles:\n  chat: a\n') =>
  `models:\n  - name: a\n${model
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')}\n${roles}`

async function issuesOf(text: string, options?: ParseConfigOptions): Promise<string[]> {
  const error = await failureOf(() => parseConfig(text, { file: 'c.yaml', ...options }))
  expect(error).toBeInstanceOf(ConfigFileError)
  expect(error.code).toBe('config')
  return (error as ConfigFileError).issues.map(
    ({ file, line, column, path, message }) => `${file}:${line}:${column} ${path}: ${message}`,
  )
}

describe('a configuration file', () => {
  test('a configuration file is read in the form of the reference', () => {
    const { models, roles } = parseConfig(reference)
    expect(models).toEqual([
      {
        name: 'chat',
        provider: 'anthropic',
        model: 'claude-sonnet-4-6',
        apiKeyEnv: 'ANTHROPIC_API_KEY',
      },
      { name: 'shield', provider: 'openai', model: 'gpt-5.4-mini', apiKeyEnv: 'OPENAI_API_KEY' },
      {
        name: 'embedding',
        provider: 'google',
        model: 'text-embedding-004',
        apiKeyEnv: 'GOOGLE_AI_API_KEY',
      },
      {
        name: 'local',
        provider: 'ollama',
        model: 'llama3.1:70b',
        baseUrl: 'http://localhost:11434',
      },
    ])
    expect(roles).toEqual({ chat: 'chat', shield: 'shield', embedding: 'embedding' })
    expect(
      models.map(({ fallback: _, ...config }) =>
        apiHost(config, { environment: emptyEnvironment }),
      ),
    ).toEqual([
      'api.anthropic.com:443',
      'api.openai.com:443',
      'generativelanguage.googleapis.com:443',
      'localhost:11434',
    ])
  })

  test('a configuration file is read with every other field', () => {
    const { models } = parseConfig(`
agents: {max_tool_rounds: 25}
models:
  - name: big
    provider: OpenAI
    model: gpt-5.4
    purpose: hard questions
    fallback: [small]
    cheapest_model: gpt-5.4-mini
    base_url_env: MY_BASE
    use_environment_base_urls: true
    proxy: http://proxy.local:3128
    proxy_env: HTTPS_PROXY
    enforce_hosts: true
    headers: {X-Team: a}
    vendor: {service_tier: flex, nested_key: {deep_key: 1}}
    settings: {traits: {reasoning: true}}
    defaults: {max_tokens: 100, temperature: 0, stop: [END], retry: {attempts: 1}}
    profile: {context_window: 128000, prices: {input: 3, output: 15.5}, supports_tools: true, supports_streaming: true, supports_json_schema: false}
    azure: {endpoint: "https://r.openai.azure.com", deployment: d, api_version: "2025-04-01-preview"}
  - {name: small, provider: "ollama:llama3:8b", base_url: }
roles: {chat: big, sub_agent: small, judge: small, image: }
`)
    expect(models).toEqual([
      {
        name: 'big',
        provider: 'OpenAI',
        model: 'gpt-5.4',
        purpose: 'hard questions',
        fallback: ['small'],
        cheapestModel: 'gpt-5.4-mini',
        baseUrlEnv: 'MY_BASE',
        useEnvironmentBaseUrls: true,
        proxy: 'http://proxy.local:3128',
        proxyEnv: 'HTTPS_PROXY',
        enforceHosts: true,
        headers: { 'X-Team': 'a' },
        vendor: { service_tier: 'flex', nested_key: { deep_key: 1 } },
        settings: { traits: { reasoning: true } },
        defaults: { maxTokens: 100, temperature: 0, stop: ['END'], retry: { attempts: 1 } },
        profile: {
          contextWindow: 128_000,
          prices: { input: 3, output: 15.5 },
          supportsTools: true,
          supportsStreaming: true,
          supportsJsonSchema: false,
        },
        azure: {
          endpoint: 'https://r.openai.azure.com',
          deployment: 'd',
          apiVersion: '2025-04-01-preview',
        },
      },
      { name: 'small', provider: 'ollama:llama3:8b' },
    ])
  })

  test.each<
    [what: string, text: string, issues: (string | RegExp)[], options?: ParseConfigOptions]
  >([
    [
      'a misspelt provider',
      pool('provider: antropic\nmodel: m'),
      [
        'c.yaml:3:15 models[0].provider: unsupported provider: "antropic"; did you mean "anthropic"?',
      ],
    ],
    [
      'a misspelt field',
      pool('provider: openai\nmodle: m'),
      ['c.yaml:4:5 models[0].modle: unknown field; did you mean "model"?'],
    ],
    [
      'no model',
      pool('provider: openai'),
      ['models[0].model: is missing; give the name of the model'],
    ],
    [
      'a number for a text',
      pool('provider: openai\nmodel: 4'),
      ['c.yaml:4:12 models[0].model: found 4 (put it in quotes if it is a text), expected text'],
    ],
    [
      'a text for a number',
      pool('provider: openai\nmodel: m\nprofile: {context_window: many}'),
      ['c.yaml:5:31 models[0].profile.context_window: found the text "many", expected a number'],
    ],
    [
      'a negative price',
      pool('provider: openai\nmodel: m\nprofile: {prices: {input: -1, output: 1}}'),
      ['found -1', 'expected at least 0'],
    ],
    [
      'a temperature of 3',
      pool('provider: openai\nmodel: m\ndefaults: {temperature: 3}'),
      ['defaults.temperature: found 3', 'expected at most 2'],
    ],
    [
      'an unknown word',
      pool('provider: openai\nmodel: m\ndefaults: {reasoning: hard}'),
      ['found the text "hard", expected one of none, minimal, low, medium, high, xhigh, max'],
    ],
    [
      'a nested field',
      pool('provider: openai\nmodel: m\nprofile: {context: 1}'),
      ['models[0].profile.context: unknown field'],
    ],
    [
      'a URL without a scheme',
      pool('provider: openai\nmodel: m\nbase_url: localhost:1'),
      ['c.yaml:5:15 models[0].base_url: invalid base URL'],
    ],
    [
      'a URL with a password',
      pool('provider: openai\nmodel: m\nbase_url: https://u:secret@h'),
      ['models[0].base_url: invalid base URL: it has user information'],
    ],
    [
      'a proxy with a password',
      pool('provider: openai\nmodel: m\nproxy: http://u:secret@h'),
      [
        'c.yaml:5:12 models[0].proxy: do not put a password in the file; set proxy_env to the name of the variable that holds the address',
      ],
    ],
    [
      'a proxy that is not an address',
      pool('provider: openai\nmodel: m\nproxy: ftp://u:secret@h'),
      ['models[0].proxy: proxy: invalid base URL: the scheme is ftp:'],
    ],
    [
      'a key in the file',
      pool('provider: openai\nmodel: m\napi_key: sk-secret'),
      [
        'models[0].api_key: do not put a key in the file; set api_key_env to the name of the variable that holds it',
      ],
    ],
    [
      'headers that carry a credential, in their own field and in vendor',
      pool(
        'provider: openai\nmodel: m\nheaders: {X-Team: a, Authorization: Bearer x, X-Gate: {env: GATE}}\nvendor: {headers: {X-Api-Key: y}}',
      ),
      [
        'models[0].headers.Authorization: do not put a credential in the file; write headers: {Authorization: {env: NAME}}',
        'models[0].vendor.headers.X-Api-Key: do not put a credential in the file',
      ],
    ],
    [
      'a key for its name',
      pool('provider: openai\nmodel: m\napi_key_env: sk-secret-0123'),
      ['models[0].api_key_env: this is not the name of an environment variable'],
    ],
    [
      'an empty name',
      'models:\n  - {name: "", provider: openai, model: m}\nroles: {chat: a}\n',
      ['c.yaml:2:12 models[0].name: found the text "", expected text that is not empty'],
    ],
    [
      'a name twice',
      'models:\n  - {name: a, provider: openai, model: m}\n  - {name: a, provider: openai, model: m}\nroles: {chat: a}\n',
      ['c.yaml:3:12 models[1].name: the name "a" is taken by models[0]'],
    ],
    ['no models', 'roles: {chat: a}\n', ['models: is missing; expected a list']],
    [
      'an empty pool',
      'models: []\nroles: {chat: a}\n',
      ['models: found an empty list, expected at least one'],
    ],
    [
      'no roles',
      'models:\n  - {name: a, provider: openai, model: m}\n',
      ['roles: chat is missing; add roles: {chat: a}'],
    ],
    [
      'a misspelt part',
      'model:\n  - {name: a, provider: openai, model: m}\nroles: {chat: a}\n',
      ['c.yaml:1:1 model: unknown part; did you mean "models"?'],
    ],
    [
      'no chat',
      'models:\n  - {name: a, provider: openai, model: m}\nroles: {caht: a}\n',
      [
        'roles: chat is missing; did you mean it by "caht"?; name the model for it, for example "chat: a"',
      ],
    ],
    [
      'a role of nothing',
      pool('provider: openai\nmodel: m', 'roles:\n  chat: b\n'),
      ['c.yaml:6:9 roles.chat: there is no model "b"', 'there are a'],
    ],
    [
      'a fallback to nothing',
      pool('provider: openai\nmodel: m\nfallback: [b]'),
      ['models[0].fallback[0]: there is no model "b"'],
    ],
    [
      'fallbacks in a circle',
      'models:\n  - {name: a, provider: openai, model: m, fallback: [b]}\n  - {name: b, provider: openai, model: m, fallback: [a]}\nroles: {chat: a}\n',
      ['the fallbacks form a cycle: a → b → a'],
    ],
    ['the model twice', pool('provider: openai:x\nmodel: m'), ['the model is given twice']],
    [
      'a remote Ollama',
      pool('provider: ollama\nmodel: m\nbase_url: http://10.0.0.5'),
      ['models[0].base_url', 'loopback'],
      { ollamaHosts: 'loopback' },
    ],
    ['no YAML', 'models: [\n', ['c.yaml:2:1 : this is not YAML']],
    ['a field twice', 'models: []\nmodels: []\n', ['c.yaml:2:1 : this is not YAML']],
    ['nothing', '', ['models: is missing', 'roles: chat is missing; add roles: {chat: NAME}']],
    ['a list', '- a\n', ['c.yaml:1:1']],
    ['two mistakes', pool('provider: opneai\nmodle: m'), ['models[0].modle: unknown field']],
    [
      'two that the form does not show',
      pool('provider: opneai\nmodel: m\nbase_url: x', 'roles:\n  chat: b\n'),
      ['did you mean "openai"', 'models[0].base_url', 'roles.chat'],
    ],
  ])('%s: where it is, what was found, what was meant', async (_what, text, expected, options) => {
    const issues = (await issuesOf(text, options)).join('\n')
    for (const part of expected)
      expect(issues).toMatch(
        typeof part === 'string' ? new RegExp(part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')) : part,
      )
    expect(issues).not.toContain('secret')
  })

  test('a configuration file reports every issue, in the order of the lines', async () => {
    const { message } = await failureOf(() =>
      parseConfig(pool('provider: opneai\nmodel: m\nbase_url: x', 'roles:\n  chat: b\n'), {
        file: 'c.yaml',
      }),
    )
    expect(message.split('\n').map((line) => line.split(' ')[0])).toEqual([
      'c.yaml:3:15',
      'c.yaml:5:15',
      'c.yaml:7:9',
    ])
  })

  test('a configuration file refuses every hostile text without any other effect', async () => {
    for (const text of [
      'models: &a [*a]',
      '__proto__: {x: 1}',
      pool('__proto__: {polluted: true}'),
      pool('provider: openai\nmodel: m\nvendor: {__proto__: {polluted: true}}'),
      `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [${'*a,'.repeat(9)}]\nc: &c [${'*b,'.repeat(9)}]\nd: &d [${'*c,'.repeat(9)}]\nmodels: [*d]`,
    ]) {
      try {
        parseConfig(text)
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigFileError)
      }
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    }
    await fc.assert(
      fc.asyncProperty(fc.string(), async (text) => {
        expect(await failureOf(() => parseConfig(text))).toBeInstanceOf(ConfigFileError)
      }),
      { numRuns: 300 },
    )
    const values = fc.record({ models: fc.anything(), roles: fc.anything() })
    fc.assert(
      fc.property(values, (value) => {
        try {
          parseConfig(JSON.stringify(value))
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigFileError)
        }
      }),
      { numRuns: 300 },
    )
  })

  test('the cost of following fallbacks grows with their number, not with the paths through them', () => {
    const names = Array.from({ length: 60 }, (_, at) => `m${at}`)
    const file = (ofLast: readonly string[]): string => {
      const models = names.map((name, at) => ({
        name,
        provider: 'ollama',
        model: 'm',
        fallback: at === 59 ? ofLast : names.slice(at + 1),
      }))
      return JSON.stringify({ models, roles: { chat: 'm0' } })
    }
    expect(parseConfig(file([])).models).toHaveLength(60)
    expect(() => parseConfig(file(['m58']))).toThrow('the fallbacks form a cycle: m58 → m59 → m58')
  })

  test("providers of one's own may be named, roles be required or not", () => {
    const table = createProviderTable([
      { name: 'house', offline: true, keyEnv: [], needsKey: false },
    ])
    expect(parseConfig(pool('provider: house\nmodel: m'), { table }).models[0]!.provider).toBe(
      'house',
    )
    expect(() =>
      parseConfig(pool('provider: openai\nmodel: m'), { requiredRoles: ['chat', 'shield'] }),
    ).toThrow('shield is missing')
    expect(
      parseConfig(pool('provider: openai\nmodel: m', 'roles: {}\n'), { requiredRoles: [] }).roles,
    ).toEqual({})
  })

  test('a configuration file keeps a default that is null, which clears it, and takes the two words', () => {
    const defaultsOf = (text: string): unknown =>
      parseConfig(pool(`provider: openai\nmodel: m\ndefaults: ${text}`)).models[0]?.defaults
    expect(defaultsOf('{temperature: null, max_tokens: 10}')).toEqual({
      temperature: null,
      maxTokens: 10,
    })
    expect(defaultsOf('vendor')).toBe('vendor')
    expect(defaultsOf('reference')).toBe('reference')
    expect(() => defaultsOf('vendors')).toThrow('models[0].defaults')
  })

  test('a configuration file takes the options of a fallback: codes, cool-down and attempts', () => {
    const text = pool(
      'provider: openai\nmodel: m\nfallback_options: {on_switch: [rate-limit], cool_down_ms: 10, attempts: 1, missing_key: next}',
    )
    expect(parseConfig(text).models[0]?.fallbackOptions).toEqual({
      codes: ['rate-limit'],
      coolDownMs: 10,
      attempts: 1,
      missingKey: 'next',
    })
    expect(() => parseConfig(text.replace('rate-limit', 'config'))).toThrow(
      'fallback_options.on_switch[0]',
    )
  })

  test('a configuration file reports mistakes in the form and mistakes in the content in one pass', () => {
    const text = [
      'models:',
      '  - {name: a, provider: antropic, modle: m, base_url: ftp://x}',
      '  - {name: a, provider: openai, model: 5, fallback: [b], proxy_env: "sk-x y"}',
      '  - {provider: ollama, model: m, settings: {baseUrl: x, authToken: y}, vendor: {model: z}}',
      'roles: {chat: nobody, shield: [x]}',
    ].join('\n')
    let issues: readonly { path: string }[] = []
    try {
      parseConfig(text)
    } catch (error) {
      issues = (error as ConfigFileError).issues
    }
    expect(issues.map(({ path }) => path).sort()).toEqual([
      'models[0].base_url',
      'models[0].modle',
      'models[0].provider',
      'models[1].fallback[0]',
      'models[1].model',
      'models[1].name',
      'models[1].proxy_env',
      'models[2].name',
      'models[2].settings',
      'models[2].settings.authToken',
      'models[2].vendor',
      'roles.chat',
      'roles.shield',
    ])
    expect(() => parseConfig(text)).toThrow(
      'settings.base_url: set base_url of the configuration itself',
    )
  })

  test('a configuration file refuses a text that would take minutes to read', () => {
    const anchors = Array.from({ length: 101 }, (_, index) => `- &a${index} 1`).join('\n')
    expect(() => parseConfig(anchors)).toThrow(
      'more than 100 anchors and aliases; write the values out',
    )
    const fields = Array.from({ length: 10_001 }, (_, index) => `a${index}: 1`)
    for (const text of [
      fields.join('\n'),
      `{${fields.join(',')}}`,
      fields.map((one) => `? ${one.slice(0, -3)}`).join('\n'),
    ])
      expect(() => parseConfig(text)).toThrow(
        'more than 10000 fields; check that it is the right file',
      )
    expect(() => parseConfig('#'.repeat(262_145))).toThrow(
      'the file has 262145 characters, expected at most 262144',
    )
  })

  test.each([
    ['brackets', `# "é"\nmodels: ${'['.repeat(100_000)}`, 'config.yaml:2:109 '],
    ['maps in brackets', `models: "é"\nroles:\n  ${'{a: '.repeat(3_000)}`, 'config.yaml:3:403 '],
    ['dashes', `models:\n${'- '.repeat(3_000)}x`, 'config.yaml:2:201 '],
    [
      'indentation',
      Array.from({ length: 110 }, (_, depth) => `${' '.repeat(8 * depth)}a:`).join('\n'),
      'config.yaml:102:1 ',
    ],
  ])(
    'a configuration file that is nested too deeply with %s is refused at its place',
    (_, text, place) => {
      expect(() => parseConfig(text)).toThrow(
        expect.objectContaining({
          code: 'config',
          message: `${place}the file has values nested deeper than 100; write them flatter`,
        }) as Error,
      )
    },
  )

  test('a configuration file is read from disk by the subpath for Node', async () => {
    const file = join(temporaryFolder('config'), 'models.yaml')
    writeFileSync(file, reference)
    expect((await readConfigFile(file)).models).toHaveLength(4)
    writeFileSync(file, 'models: []')
    expect((await failureOf(() => readConfigFile(file))).message).toContain(`${file}:1:`)
    rmSync(file)
    expect(await failureOf(() => readConfigFile(file))).toMatchObject({
      code: 'config',
      message: `${file}: there is no such file; check the path`,
    })
  })
})
