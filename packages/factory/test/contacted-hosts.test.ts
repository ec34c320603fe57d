import { isLlmError } from '@modelport/core'
import { describe, expect, test, vi } from 'vitest'
import { fc } from '../../../test/support/fast-check.js'
import { reportFault } from '../../../test/support/faults.js'
import { allUrls, hasWebPlatformTests, urlCases } from '../../../test/support/web-platform-urls.js'
import { apiHost, apiHosts, type FactoryContext, type ModelConfig } from '../src/index.js'
import { emptyEnvironment, environmentOf, failureOf, wireHost } from './support.js'

const context: FactoryContext = { environment: emptyEnvironment }

describe('only the declared hosts are contacted', () => {
  const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?$/)
  const name = fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => labels.join('.'))
  const address = fc.oneof(
    name,
    fc.ipV4(),
    fc.ipV6().map((ip) => `[${ip}]`),
    fc.constantFrom('BÜCHER.example', 'host.', 'localhost', '0x7f.1', '２.example'),
  )
  const path = fc.constantFrom('', '/', '/v1', '/v1/', '/openai/v1', '/api', '/a/b//', '?x=1', '#f')
  const baseUrl = fc
    .tuple(
      fc.constantFrom('http', 'https', 'HTTPS'),
      address,
      fc.oneof(
        fc.constant(''),
        fc.integer({ min: 1, max: 65_535 }).map((port) => `:${port}`),
      ),
      path,
    )
    .map((parts) => `${parts[0]}://${parts[1]}${parts[2]}${parts[3]}`)
  const provider = fc.constantFrom(
    'anthropic',
    'openai',
    'google',
    'ollama',
    'openai-compatible',
    'deepseek',
    'mistral',
    'lmstudio',
    'azure-openai',
  )

  test('only the declared hosts are contacted for 300 generated configurations', async () => {
    let equal = 0
    await fc.assert(
      fc.asyncProperty(provider, baseUrl, async (chosen, url) => {
        let said: string
        try {
          said = apiHost({ provider: chosen, baseUrl: url }, context)
        } catch (error) {
          expect(isLlmError(error, 'invalid-base-url')).toBe(true)
          expect((await failureOf(() => wireHost({ provider: chosen, baseUrl: url }))).code).toBe(
            'invalid-base-url',
          )
          return
        }
        expect(said).toMatch(/^(\[[0-9a-f:]+\]|[a-z0-9.-]+):[1-9][0-9]{0,4}$/)
        expect(await wireHost({ provider: chosen, baseUrl: url })).toBe(said)
        equal++
      }),
      { numRuns: 300 },
    )
    reportFault('E1', { 'generated configurations equal to the wire': equal })
    expect(equal).toBeGreaterThan(200)
  })

  // The standard's own answers, not ours, say what is right.
  test('every absolute http(s) URL has the host that the URL standard states, and every other input is a typed error', () => {
    const tally = { right: 0, userinfo: 0, control: 0, unusable: 0, nowhere: [] as string[] }
    for (const {
      input,
      failure,
      protocol = '',
      hostname = '',
      port = '',
      username,
      password,
    } of urlCases()) {
      const said = (): string => apiHost({ provider: 'openai', baseUrl: input }, context)
      const refused = (): void => {
        expect(said, input).toThrow(expect.objectContaining({ code: 'invalid-base-url' }))
      }
      if (failure || !/^https?:$/.test(protocol)) {
        // Without an address it is the vendor's own.
        if (input.trim()) refused()
        else expect(said()).toBe('api.openai.com:443')
        tally.unusable++
        // oxlint-disable-next-line no-control-regex -- it is about those
      } else if (/[\u0000-\u001f\u007f]/.test(input.replace(/^ +| +$/g, ''))) {
        refused()
        tally.control++
      } else if (username || password) {
        refused()
        tally.userinfo++
      } else if (!/^(\[[0-9a-f:]+\]|[a-z0-9.-]*[a-z0-9-])\.?$/.test(hostname)) {
        refused()
        tally.nowhere.push(hostname)
      } else {
        expect(said(), input).toBe(
          `${hostname.replace(/\.$/, '')}:${port === '' ? (protocol === 'https:' ? '443' : '80') : port}`,
        )
        tally.right++
      }
    }
    const { right, userinfo, control, unusable, nowhere } = tally
    const all = right + userinfo + control + nowhere.length
    console.log(
      `of ${all} absolute http(s) URLs ${right} right, refused ${userinfo} with user information, ${control} with control characters, ${nowhere.length} that no name server knows; ${unusable} other inputs refused`,
    )
    expect(all).toBeGreaterThanOrEqual(hasWebPlatformTests ? 126 : 55)
    expect(right).toBeGreaterThan(hasWebPlatformTests ? 90 : 40)
    // They are hosts to the standard alone.
    expect(nowhere).toEqual(
      hasWebPlatformTests
        ? ['.', '..', '!"$&\'()*+,-.;=_`{}~', 'foo.09..']
        : ['.', '..', 'foo.09..', 'exa_mple.test', '*.test', "a'b!c.test", '{a}.test'],
    )
    expect(unusable).toBeGreaterThan(hasWebPlatformTests ? 400 : 40)
  })

  test('only the declared host is contacted for every URL of the cases of the standard, with and without an SDK', async () => {
    const inputs = allUrls()
    let equal = 0
    for (const url of inputs) {
      // An empty one is unset.
      if (!url.trim()) continue
      let said: string
      try {
        said = apiHost({ provider: 'openai-compatible', baseUrl: url }, context)
      } catch (error) {
        expect(isLlmError(error, 'invalid-base-url'), url).toBe(true)
        continue
      }
      expect(await wireHost({ provider: 'openai-compatible', baseUrl: url }), url).toBe(said)
      if (equal++ % 10 === 0) {
        for (const provider of ['anthropic', 'openai', 'google', 'ollama'])
          expect(await wireHost({ provider, baseUrl: url }), `${provider} ${url}`).toBe(said)
      }
    }
    expect(equal).toBeGreaterThan(hasWebPlatformTests ? 100 : 40)
  })
})

describe('the environment moves a host only if the configuration asks for it', () => {
  const elsewhere = 'https://elsewhere.test:8443/base'
  const rows: [variable: string, value: string, config: ModelConfig, moved: string][] = [
    ['ANTHROPIC_BASE_URL', elsewhere, { provider: 'anthropic' }, 'elsewhere.test:8443'],
    ['OPENAI_BASE_URL', elsewhere, { provider: 'openai' }, 'elsewhere.test:8443'],
    ['GOOGLE_GEMINI_BASE_URL', elsewhere, { provider: 'google' }, 'elsewhere.test:8443'],
    [
      'GOOGLE_VERTEX_BASE_URL',
      elsewhere,
      { provider: 'vertex', vertex: { project: 'p', accessToken: () => 'token' } },
      'elsewhere.test:8443',
    ],
    [
      'GOOGLE_CLOUD_LOCATION',
      'europe-west4',
      { provider: 'vertex', vertex: { project: 'p', accessToken: () => 'token' } },
      'europe-west4-aiplatform.googleapis.com:443',
    ],
    ['OLLAMA_HOST', '0.0.0.0:11435', { provider: 'ollama' }, '127.0.0.1:11435'],
    [
      'AZURE_OPENAI_ENDPOINT',
      'https://other.openai.azure.com',
      { provider: 'azure', azure: { endpoint: 'https://mine.openai.azure.com' } },
      'mine.openai.azure.com:443',
    ],
    ['LMSTUDIO_URL', 'http://box.test:1234/v1', { provider: 'lmstudio' }, 'box.test:1234'],
    [
      'OPENAI_COMPATIBLE_BASE_URL',
      elsewhere,
      { provider: 'openai-compatible', baseUrl: 'http://localhost:7/v1' },
      'localhost:7',
    ],
    ['ANTHROPIC_VERTEX_BASE_URL', elsewhere, { provider: 'anthropic' }, 'api.anthropic.com:443'],
    ['CLOUD_ML_REGION', 'europe-west1', { provider: 'anthropic' }, 'api.anthropic.com:443'],
    [
      'ANTHROPIC_VERTEX_BASE_URL',
      elsewhere,
      { provider: 'anthropic-vertex', vertex: { project: 'p', location: 'eu' } },
      'elsewhere.test:8443',
    ],
    [
      'GOOGLE_APPLICATION_CREDENTIALS',
      '/nowhere.json',
      { provider: 'google' },
      'generativelanguage.googleapis.com:443',
    ],
    ['HF_ENDPOINT', elsewhere, { provider: 'huggingface' }, 'router.huggingface.co:443'],
    [
      'AZURE_AUTHORITY_HOST',
      elsewhere,
      { provider: 'azure', azure: { endpoint: 'https://mine.openai.azure.com' } },
      'mine.openai.azure.com:443',
    ],
    [
      'GCE_METADATA_HOST',
      'elsewhere.test',
      { provider: 'vertex', vertex: { project: 'p', accessToken: () => 'token' } },
      'aiplatform.googleapis.com:443',
    ],
  ]
  test.each(rows)(
    'the environment moves a host only if the configuration asks for it: %s',
    async (variable, value, config, moved) => {
      reportFault('K5', { variables: 1 })
      const variables = { [variable]: value }
      const environment = environmentOf(variables)
      const keyed = {
        ...config,
        ...(config.provider !== 'vertex' && { apiKey: 'key-of-tests-0123' }),
      }
      const was = process.env[variable]
      process.env[variable] = value
      const wire = (given: ModelConfig) =>
        wireHost(
          { ...given, ...(given.provider === 'vertex' && { apiKey: undefined }) },
          { environment },
        )
      try {
        expect(apiHost(keyed, { environment })).toBe(apiHost(keyed, context))
        expect(await wire(keyed)).toBe(apiHost(keyed, context))
        const asked = { ...keyed, useEnvironmentBaseUrls: true }
        expect(apiHost(asked, { environment })).toBe(moved)
        expect(await wire(asked)).toBe(moved)
        // An address in the configuration wins over both.
        if (config.azure) return
        const explicit = { ...asked, baseUrl: 'https://explicit.test/v1' }
        expect(apiHost(explicit, { environment })).toBe('explicit.test:443')
        expect(await wire(explicit)).toBe('explicit.test:443')
      } finally {
        if (was === undefined) Reflect.deleteProperty(process.env, variable)
        else process.env[variable] = was
      }
    },
  )

  test('AZURE_OPENAI_ENDPOINT is the resource if the configuration names none', async () => {
    const environment = environmentOf({ AZURE_OPENAI_ENDPOINT: 'https://other.openai.azure.com' })
    const config = { provider: 'azure', apiKey: 'key-of-tests-0123', model: 'm' }
    expect((await failureOf(() => apiHost(config, { environment }))).code).toBe('config')
    const asked = { ...config, useEnvironmentBaseUrls: true }
    expect(apiHost(asked, { environment })).toBe('other.openai.azure.com:443')
    expect(await wireHost(asked, { environment })).toBe('other.openai.azure.com:443')
  })

  test('GOOGLE_GENAI_USE_VERTEXAI moves google to Vertex AI', async () => {
    const environment = environmentOf({
      GOOGLE_GENAI_USE_VERTEXAI: 'true',
      GOOGLE_CLOUD_LOCATION: 'europe-west1',
      GOOGLE_CLOUD_PROJECT: 'p',
    })
    expect(apiHost('google', { environment })).toBe('generativelanguage.googleapis.com:443')
    const moved = {
      provider: 'google',
      useEnvironmentBaseUrls: true,
      vertex: { accessToken: () => 'token-of-tests' },
    }
    expect(apiHost({ provider: 'google', useEnvironmentBaseUrls: true }, { environment })).toBe(
      'europe-west1-aiplatform.googleapis.com:443',
    )
    expect(await wireHost({ ...moved, apiKey: undefined }, { environment })).toBe(
      'europe-west1-aiplatform.googleapis.com:443',
    )
    vi.stubEnv('GOOGLE_GENAI_USE_VERTEXAI', 'true')
    expect(await wireHost({ provider: 'google' }, { environment: emptyEnvironment })).toBe(
      'generativelanguage.googleapis.com:443',
    )
    vi.unstubAllEnvs()
    expect(
      apiHost(
        { provider: 'google', useEnvironmentBaseUrls: true },
        { environment: environmentOf({ GOOGLE_GENAI_USE_VERTEXAI: 'false' }) },
      ),
    ).toBe('generativelanguage.googleapis.com:443')
  })

  test('a variable that the configuration names must be set', async () => {
    const config = { provider: 'openai', baseUrlEnv: 'MY_BASE' }
    expect(
      apiHosts(config, { environment: environmentOf({ MY_BASE: elsewhere }) })[0],
    ).toMatchObject({
      host: 'elsewhere.test',
      port: 8443,
      source: 'env',
    })
    const prefixed = {
      environment: environmentOf({ OP_MY_BASE: elsewhere }),
      environmentPrefix: 'OP_',
    }
    expect(apiHost(config, prefixed)).toBe('elsewhere.test:8443')
    expect((await failureOf(() => apiHost(config, context))).message).toContain(
      'MY_BASE is not set',
    )
  })
})
