import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { presets } from '@modelport/provider-openai-compatible'
import { cheapestModel as anthropicCheapest, anthropicHosts } from '@modelport/provider-anthropic'
import { cheapestModel as googleCheapest, googleHosts } from '@modelport/provider-google'
import { describe, expect, test, vi } from 'vitest'
import { isLlmError } from '@modelport/core'
import { apiHost, apiHosts, type FactoryContext, hostPort, type ModelConfig, newProvider, providerRows, resolveModel } from '../src/index.js'
import { reportFault } from '../../../test/support/faults.js'
import { fc } from '../../../test/support/fast-check.js'
import { contacted, emptyEnvironment, environmentOf, failureOf, recordingFetch } from './support.js'

const context: FactoryContext = { environment: emptyEnvironment }
const host = (provider: string, baseUrl?: string) => apiHost({ provider, baseUrl }, context)

/** Where a provider of the configuration really sends its first request. */
async function wireHost(config: ModelConfig, given: FactoryContext = context): Promise<string> {
  const recorder = recordingFetch()
  const provider = await newProvider({ apiKey: 'key-of-tests-0123', model: 'm', ...config, fetch: recorder.fetch }, given)
  await provider.complete('Hi', { retry: { attempts: 1 } }).catch(() => undefined)
  expect(recorder.urls).toHaveLength(1)
  return contacted(recorder.urls[0]!)
}

describe('apiHost, case by case', () => {
  test.each([
    ['anthropic', undefined, 'api.anthropic.com:443'],
    ['openai', '', 'api.openai.com:443'],
    ['google', undefined, 'generativelanguage.googleapis.com:443'],
    ['ollama', '', 'localhost:11434'],
    ['openai', 'https://my-azure-endpoint.openai.azure.com', 'my-azure-endpoint.openai.azure.com:443'],
    ['anthropic', 'https://proxy.local/v1', 'proxy.local:443'],
    ['google', 'http://localhost:9/v1', 'localhost:9'],
    ['openai', 'https://api.deepseek.com', 'api.deepseek.com:443'],
    ['openai', 'https://openrouter.ai/api/v1', 'openrouter.ai:443'],
    ['openai', 'http://localhost:8080/v1', 'localhost:8080'],
    ['openai', 'http://localhost:1234/v1', 'localhost:1234'],
    ['ollama', 'http://127.0.0.1:11434', '127.0.0.1:11434'],
    ['ollama', 'http://localhost', 'localhost:80'],
    ['openai', 'https://host:8443/v1/', 'host:8443'],
    ['openai', 'http://host/', 'host:80'],
    ['openai', 'https://[::1]:8443/v1', '[::1]:8443'],
    ['openai', 'http://[::1]/v1', '[::1]:80'],
    ['openai', 'http://[2001:db8::1]', '[2001:db8::1]:80'],
    ['openai', 'https://host?x=1', 'host:443'],
    ['openai', 'https://host#frag', 'host:443'],
    ['openai', 'HTTPS://Host/v1', 'host:443'],
    ['openai', '  https://host', 'host:443'],
    ['openai', 'http://host:', 'host:80'],
    ['openai', 'https://bücher.example/v1', 'xn--bcher-kva.example:443'],
    ['openai', 'https://host:0443/v1', 'host:443'],
    ['openai', 'https://HOST.example:443/v1', 'host.example:443'],
    ['GEMINI', undefined, 'generativelanguage.googleapis.com:443'],
    ['ollama:llama3:8b', undefined, 'localhost:11434'],
    ['mock', undefined, ''],
    ['llamacpp:C:\\models\\m.gguf', undefined, ''],
    ['vertex', undefined, 'aiplatform.googleapis.com:443'],
  ])('%s %s is %s', (provider, baseUrl, expected) => {
    reportFault('E2', { 'confusing addresses': 1 })
    expect(host(provider, baseUrl)).toBe(expected)
  })

  test.each([
    'https://user:pass@host/v1', 'https://user@host/v1', 'localhost:11434', 'localhost', 'host.example/v1', 'https-proxy.local/v1', 'https://', 'http://',
    'ws://host/x', 'unix://tmp:s.sock', 'file:///x', 'https://ho\tst', 'http://host:0', 'http://host:65536',
  ])('%s is refused, typed, and not repeated', async (baseUrl) => {
    const error = await failureOf(() => host('openai', baseUrl))
    expect(error.code).toBe('invalid-base-url')
    expect(error.message).not.toContain('pass@')
  })

  test('an unknown provider is an error, and near names are suggested', async () => {
    expect(await failureOf(() => host('antropic'))).toMatchObject({ code: 'config', message: expect.stringContaining('unsupported provider: "antropic"; did you mean "anthropic"?') as string })
    expect((await failureOf(() => host('nothing-like-it'))).message).toContain('unsupported provider')
    expect((await failureOf(() => host('openai-compatible'))).code).toBe('config')
    expect((await failureOf(() => host('azure'))).message).toContain('RESOURCE.openai.azure.com')
    expect((await failureOf(() => host('mock', 'https://h'))).code).toBe('config')
  })
})

describe('apiHosts', () => {
  test('each host once, in order', () => {
    const list = apiHosts([{ provider: 'anthropic' }, 'openai', { provider: 'openai', model: 'other' }], context)
    expect(list).toEqual([
      { host: 'api.anthropic.com', port: 443, scheme: 'https', purpose: 'api', phase: 'runtime', required: true, source: 'default' },
      { host: 'api.openai.com', port: 443, scheme: 'https', purpose: 'api', phase: 'runtime', required: true, source: 'default' },
    ])
    expect(apiHosts('mock', context)).toEqual([])
  })

  test('fallbacks are listed, and needed only then', () => {
    const list = apiHosts({ provider: 'openai', fallback: [{ provider: 'ollama' }, { provider: 'openai', model: 'other' }] }, context)
    expect(list.map((entry) => [hostPort(entry), entry.required, entry.when])).toEqual([['api.openai.com:443', true, undefined], ['localhost:11434', false, 'openai fails']])
  })

  test('a proxy is dialled instead', () => {
    const list = apiHosts({ provider: 'openai', proxy: 'http://proxy.local:3128' }, context)
    expect(list.map((entry) => [hostPort(entry), entry.purpose, entry.viaProxy])).toEqual([['api.openai.com:443', 'api', true], ['proxy.local:3128', 'proxy', undefined]])
    expect(apiHost({ provider: 'openai', proxy: 'http://proxy.local:3128' }, context)).toBe('api.openai.com:443')
    const mixed = apiHosts([{ provider: 'openai', proxy: 'http://proxy.local:3128' }, { provider: 'openai' }], context)
    expect(mixed[0]).not.toHaveProperty('viaProxy')
    const fromVariable = { provider: 'openai', proxyEnv: 'HTTPS_PROXY' }
    expect(apiHosts(fromVariable, { environment: environmentOf({ HTTPS_PROXY: 'http://localhost:3128' }) }).map(hostPort)).toEqual(['api.openai.com:443', 'localhost:3128'])
    expect(apiHosts(fromVariable, context).map(hostPort)).toEqual(['api.openai.com:443'])
  })

  test.each([
    [{ proxy: 'http://user:hunter2@proxy.local:3128' }, 'proxy.local:3128', 'user:hunter2'],
    [{ proxyEnv: 'HTTPS_PROXY' }, 'localhost:3128', 'srt.x:hunter2/'],
    [{ proxy: 'http://hunter2@proxy.local' }, 'proxy.local:80', 'hunter2:'],
  ])('the password of a proxy is for the proxy alone: %j', (config, dialled, userinfo) => {
    const environment = environmentOf({ HTTPS_PROXY: 'http://srt.x:hunter2%2F@localhost:3128' })
    const list = apiHosts({ provider: 'openai', ...config }, { environment })
    expect(list.map(hostPort)).toEqual(['api.openai.com:443', dialled])
    expect(JSON.stringify(list)).not.toContain('hunter2')
    const { proxy, config: resolved } = resolveModel({ provider: 'openai', ...config }, { environment })
    expect(proxy?.authorization()).toBe(`Basic ${btoa(userinfo)}`)
    expect(proxy?.href).toBe(`http://${dialled.replace(':80', '')}`)
    expect(new URL(proxy?.url() ?? '').host).toBe(new URL(`http://${dialled}`).host)
    // The configuration is as it was given.
    expect(inspect({ proxy }, { depth: 9, showHidden: true })).not.toContain('hunter2')
    expect(resolved).toMatchObject(config)
  })

  test.each(['http://user:hunter2@', 'socks5://user:hunter2@h:1', 'http://us\ter:hunter2@h:1', 'user:hunter2@h:1'])('%j is no address of a proxy, and is not repeated', async (proxy) => {
    for (const config of [{ proxy }, { proxyEnv: 'P' }]) {
      const error = await failureOf(() => apiHosts({ provider: 'openai', ...config }, { environment: environmentOf({ P: proxy }) }))
      expect(error).toMatchObject({ code: 'invalid-base-url', message: expect.stringMatching(/^openai: (proxy|environment variable P): /) as string })
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('hunter2')
    }
  })

  test.each(['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NODE_USE_ENV_PROXY', 'https_proxy'])('%s alone changes nothing', (name) => {
    expect(apiHosts('openai', { environment: environmentOf({ [name]: 'http://elsewhere.test:1' }) })).toEqual(apiHosts('openai', context))
  })

  test('Azure: Entra where a token callback is given', () => {
    const azureADTokenProvider = () => Promise.resolve('t')
    const of = (endpoint: string, more: object = {}) => apiHosts({ provider: 'azure', azure: { endpoint, azureADTokenProvider }, ...more }, { environment: environmentOf({ AZURE_AUTHORITY_HOST: 'https://login.private.test' }) }).map(hostPort)
    expect(of('https://r.openai.azure.com')).toEqual(['r.openai.azure.com:443', 'login.microsoftonline.com:443', '169.254.169.254:80'])
    expect(of('https://r.openai.azure.us')[1]).toBe('login.microsoftonline.us:443')
    expect(of('https://r.openai.azure.cn')[1]).toBe('login.chinacloudapi.cn:443')
    expect(of('https://r.openai.azure.com', { useEnvironmentBaseUrls: true })[1]).toBe('login.private.test:443')
    expect(apiHosts({ provider: 'azure', baseUrl: 'https://r.services.ai.azure.com' }, context).map(hostPort)).toEqual(['r.services.ai.azure.com:443'])
    expect(apiHost({ provider: 'openai', azure: { endpoint: 'https://r.openai.azure.com' } }, context)).toBe('r.openai.azure.com:443')
  })

  test('Vertex AI: the location, and where tokens come from', () => {
    const of = (vertex: object, given = context) => apiHosts({ provider: 'google', vertex }, given).map(hostPort)
    expect(of({ location: 'europe-west1', accessToken: () => 't' })).toEqual(['europe-west1-aiplatform.googleapis.com:443'])
    expect(of({ location: 'eu', accessToken: () => 't' })).toEqual(['aiplatform.eu.rep.googleapis.com:443'])
    expect(of({ credentials: { client_email: 'a', private_key: 'b' } })).toEqual(['aiplatform.googleapis.com:443', 'oauth2.googleapis.com:443'])
    expect(of({ applicationDefault: true })).toEqual([
      'aiplatform.googleapis.com:443', 'oauth2.googleapis.com:443', 'sts.googleapis.com:443', 'iamcredentials.googleapis.com:443', 'metadata.google.internal:80', '169.254.169.254:80',
    ])
    expect(of({ applicationDefault: true }, { environment: environmentOf({ GCE_METADATA_HOST: 'metadata.test:8080' }) }).at(-1)).toBe('metadata.test:8080')
    expect(of({ accessToken: () => 't' }, { environment: environmentOf({ GCE_METADATA_HOST: 'metadata.test:8080' }) })).toEqual(['aiplatform.googleapis.com:443'])
  })
})

describe('the table against the packages', () => {
  test.each(Object.entries(presets))('preset %s', (name, preset) => {
    const row = providerRows.find((one) => one.name === name)
    expect(row).toMatchObject({ name, keyEnv: preset.keyVariables, needsKey: preset.needsKey })
    expect(row?.model).toBe(preset.model)
    // A server of one's own has no cost tiers, and any compatible server no usual address.
    expect(row?.cheapestModel).toBe(preset.needsKey ? preset.cheapestModel : undefined)
    expect(row?.baseUrl).toBe(name === 'openai-compatible' ? undefined : preset.baseUrl)
    expect(row?.baseUrlEnv).toEqual(preset.baseUrlVariables)
    expect(row?.retired).toBe(preset.retired)
    expect(row?.selfHosted ?? false).toBe(!preset.needsKey)
  })

  const usable = providerRows.filter(({ offline, retired, name }) => !offline && !retired && name !== 'llamacpp')
  const more: Record<string, Partial<ModelConfig>> = {
    'azure-openai': { baseUrl: 'https://r.openai.azure.com' },
    'openai-compatible': { baseUrl: 'http://localhost:7/v1' },
    'vertex': { apiKey: undefined, vertex: { project: 'p', accessToken: () => 'token-of-tests' } },
  }
  test.each(usable.map(({ name }) => name))('%s contacts what the list says', async (name) => {
    const config = { provider: name, ...more[name] }
    expect(await wireHost(config)).toBe(apiHost(config, context))
  })

  test('addresses and models are those of the packages', async () => {
    expect(host('anthropic')).toBe(anthropicHosts()[0])
    expect(host('google')).toBe(googleHosts({})[0]!.host)
    const models = async (provider: string) => (await newProvider({ provider, apiKey: 'key-of-tests-0123' }, context)).cheapestModel
    expect(await models('anthropic')).toBe(anthropicCheapest)
    expect(await models('google')).toBe(googleCheapest)
    expect(await models('openai')).toBe('gpt-5.4-mini')
    expect(await models('ollama')).toBe('llama3.2')
    for (const [name, { needsKey, cheapestModel, retired }] of Object.entries(presets)) {
      if (needsKey && cheapestModel && !retired) expect(await models(name), name).toBe(cheapestModel)
    }
  })

  test('the hosts of Vertex AI are those of the package', () => {
    const locations = [undefined, 'global', 'us', 'eu', 'us-central1', 'europe-west1', 'me-central2']
    const ways = [{ accessToken: () => 't' }, { credentials: { client_email: 'a', private_key: 'b' } }, { applicationDefault: true }, {}]
    for (const location of locations) {
      for (const way of ways) {
        const vertex = { project: 'p', ...(location !== undefined && { location }), ...way }
        expect(apiHosts({ provider: 'vertex', vertex }, context).map(hostPort)).toEqual(googleHosts({ vertex }).map((entry) => entry.host))
      }
    }
  })

  test('a service that its vendor closed is told, not asked', async () => {
    expect((await failureOf(() => newProvider({ provider: 'github-models', apiKey: 'k-0123456789' }, context))).message).toContain('closed this service on 2026-07-30')
  })
})

describe('what is said is what is contacted', () => {
  const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?$/)
  const name = fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => labels.join('.'))
  const address = fc.oneof(name, fc.ipV4(), fc.ipV6().map((ip) => `[${ip}]`), fc.constantFrom('BÜCHER.example', 'host.', 'localhost', '0x7f.1', '２.example'))
  const path = fc.constantFrom('', '/', '/v1', '/v1/', '/openai/v1', '/api', '/a/b//', '?x=1', '#f')
  const baseUrl = fc.tuple(fc.constantFrom('http', 'https', 'HTTPS'), address, fc.oneof(fc.constant(''), fc.integer({ min: 1, max: 65_535 }).map((port) => `:${port}`)), path).map((parts) => `${parts[0]}://${parts[1]}${parts[2]}${parts[3]}`)
  const provider = fc.constantFrom('anthropic', 'openai', 'google', 'ollama', 'openai-compatible', 'deepseek', 'mistral', 'lmstudio', 'azure-openai')

  test('for 300 generated configurations', async () => {
    let equal = 0
    await fc.assert(
      fc.asyncProperty(provider, baseUrl, async (chosen, url) => {
        let said: string
        try {
          said = apiHost({ provider: chosen, baseUrl: url }, context)
        } catch (error) {
          expect(isLlmError(error, 'invalid-base-url')).toBe(true)
          expect((await failureOf(() => wireHost({ provider: chosen, baseUrl: url }))).code).toBe('invalid-base-url')
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

  const folder = fileURLToPath(new URL('../../../../shared/corpora/wpt-url/', import.meta.url))
  if (!existsSync(folder)) console.log('skipped: ../shared/corpora/wpt-url is not there')

  // The standard's own answers, not ours, say what is right.
  test.skipIf(!existsSync(folder))('every absolute http(s) URL of the web platform tests has the host that they say, every other input a typed error', () => {
    interface Case { readonly input: string; readonly base: string | null; readonly failure?: boolean; readonly protocol?: string; readonly hostname?: string; readonly port?: string; readonly username?: string; readonly password?: string }
    const cases = (JSON.parse(readFileSync(`${folder}tests/wpt/urltestdata.json`, 'utf8')) as (Case | string)[]).filter((one): one is Case => typeof one !== 'string' && !one.base)
    const tally = { right: 0, userinfo: 0, control: 0, unusable: 0, nowhere: [] as string[] }
    for (const { input, failure, protocol = '', hostname = '', port = '', username, password } of cases) {
      const said = (): string => apiHost({ provider: 'openai', baseUrl: input }, context)
      const refused = (): void => {
        expect(said, input).toThrow(expect.objectContaining({ code: 'invalid-base-url' }))
      }
      if (failure || !/^https?:$/.test(protocol)) {
        // Without an address it is the vendor's own.
        if (input.trim()) refused()
        else expect(said()).toBe('api.openai.com:443')
        tally.unusable++
        // eslint-disable-next-line no-control-regex -- it is about those
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
        expect(said(), input).toBe(`${hostname.replace(/\.$/, '')}:${port === '' ? (protocol === 'https:' ? '443' : '80') : port}`)
        tally.right++
      }
    }
    const { right, userinfo, control, unusable, nowhere } = tally
    const all = right + userinfo + control + nowhere.length
    console.log(`web platform tests: of ${all} absolute http(s) URLs ${right} right, refused ${userinfo} with user information, ${control} with control characters, ${nowhere.length} that no name server knows; ${unusable} other inputs refused`)
    expect(all).toBeGreaterThanOrEqual(126)
    expect(right).toBeGreaterThan(90)
    // They are hosts to the standard alone.
    expect(nowhere).toEqual(['.', '..', '!"$&\'()*+,-.;=_`{}~', 'foo.09..'])
    expect(unusable).toBeGreaterThan(400)
  })

  test.skipIf(!existsSync(folder))('for every URL of the web platform tests, through a provider with and one without an SDK', async () => {
    const inputs = new Set<string>()
    const collect = (value: unknown): void => {
      if (Array.isArray(value)) value.forEach(collect)
      else if (typeof value === 'object' && value !== null) {
        const { input, base, href } = value as Record<string, unknown>
        for (const text of [input, base, href]) if (typeof text === 'string') inputs.add(text).add(`https://${text}/`)
        Object.values(value).forEach(collect)
      }
    }
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((one) => one.endsWith('.json'))) {
      collect(JSON.parse(readFileSync(folder + file, 'utf8')))
    }
    let equal = 0
    for (const url of inputs) {
      let said: string
      try {
        said = apiHost({ provider: 'openai-compatible', baseUrl: url }, context)
      } catch (error) {
        // '' is unset, which this provider refuses.
        expect(isLlmError(error, url.trim() ? 'invalid-base-url' : 'config'), url).toBe(true)
        continue
      }
      expect(await wireHost({ provider: 'openai-compatible', baseUrl: url }), url).toBe(said)
      if (equal++ % 10 === 0) {
        for (const provider of ['anthropic', 'openai', 'google', 'ollama']) expect(await wireHost({ provider, baseUrl: url }), `${provider} ${url}`).toBe(said)
      }
    }
    expect(equal).toBeGreaterThan(100)
  }, 60_000)
})

describe('the environment moves a host only where the configuration asks for it', () => {
  const elsewhere = 'https://elsewhere.test:8443/base'
  const rows: [variable: string, value: string, config: ModelConfig, moved: string][] = [
    ['ANTHROPIC_BASE_URL', elsewhere, { provider: 'anthropic' }, 'elsewhere.test:8443'],
    ['OPENAI_BASE_URL', elsewhere, { provider: 'openai' }, 'elsewhere.test:8443'],
    ['GOOGLE_GEMINI_BASE_URL', elsewhere, { provider: 'google' }, 'elsewhere.test:8443'],
    ['GOOGLE_VERTEX_BASE_URL', elsewhere, { provider: 'vertex', vertex: { project: 'p', accessToken: () => 'token' } }, 'elsewhere.test:8443'],
    ['GOOGLE_CLOUD_LOCATION', 'europe-west4', { provider: 'vertex', vertex: { project: 'p', accessToken: () => 'token' } }, 'europe-west4-aiplatform.googleapis.com:443'],
    ['OLLAMA_HOST', '0.0.0.0:11435', { provider: 'ollama' }, '127.0.0.1:11435'],
    ['AZURE_OPENAI_ENDPOINT', 'https://other.openai.azure.com', { provider: 'azure', azure: { endpoint: 'https://mine.openai.azure.com' } }, 'mine.openai.azure.com:443'],
    ['LMSTUDIO_URL', 'http://box.test:1234/v1', { provider: 'lmstudio' }, 'box.test:1234'],
    ['OPENAI_COMPATIBLE_BASE_URL', elsewhere, { provider: 'openai-compatible', baseUrl: 'http://localhost:7/v1' }, 'localhost:7'],
    ['ANTHROPIC_VERTEX_BASE_URL', elsewhere, { provider: 'anthropic' }, 'api.anthropic.com:443'],
    ['CLOUD_ML_REGION', 'europe-west1', { provider: 'anthropic' }, 'api.anthropic.com:443'],
    ['GOOGLE_APPLICATION_CREDENTIALS', '/nowhere.json', { provider: 'google' }, 'generativelanguage.googleapis.com:443'],
    ['HF_ENDPOINT', elsewhere, { provider: 'huggingface' }, 'router.huggingface.co:443'],
    ['AZURE_AUTHORITY_HOST', elsewhere, { provider: 'azure', azure: { endpoint: 'https://mine.openai.azure.com' } }, 'mine.openai.azure.com:443'],
    ['GCE_METADATA_HOST', 'elsewhere.test', { provider: 'vertex', vertex: { project: 'p', accessToken: () => 'token' } }, 'aiplatform.googleapis.com:443'],
  ]
  test.each(rows)('%s', async (variable, value, config, moved) => {
    reportFault('K5', { 'variables': 1 })
    const variables = { [variable]: value }
    const environment = environmentOf(variables)
    const keyed = { ...config, ...(config.provider !== 'vertex' && { apiKey: 'key-of-tests-0123' }) }
    const was = process.env[variable]
    process.env[variable] = value
    const wire = (given: ModelConfig) => wireHost({ ...given, ...(given.provider === 'vertex' && { apiKey: undefined }) }, { environment })
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
  })

  test('AZURE_OPENAI_ENDPOINT is the resource where the configuration names none', async () => {
    const environment = environmentOf({ AZURE_OPENAI_ENDPOINT: 'https://other.openai.azure.com' })
    const config = { provider: 'azure', apiKey: 'key-of-tests-0123', model: 'm' }
    expect((await failureOf(() => apiHost(config, { environment }))).code).toBe('config')
    const asked = { ...config, useEnvironmentBaseUrls: true }
    expect(apiHost(asked, { environment })).toBe('other.openai.azure.com:443')
    expect(await wireHost(asked, { environment })).toBe('other.openai.azure.com:443')
  })

  test('GOOGLE_GENAI_USE_VERTEXAI moves google to Vertex AI', async () => {
    const environment = environmentOf({ GOOGLE_GENAI_USE_VERTEXAI: 'true', GOOGLE_CLOUD_LOCATION: 'europe-west1', GOOGLE_CLOUD_PROJECT: 'p' })
    expect(apiHost('google', { environment })).toBe('generativelanguage.googleapis.com:443')
    const moved = { provider: 'google', useEnvironmentBaseUrls: true, vertex: { accessToken: () => 'token-of-tests' } }
    expect(apiHost({ provider: 'google', useEnvironmentBaseUrls: true }, { environment })).toBe('europe-west1-aiplatform.googleapis.com:443')
    expect(await wireHost({ ...moved, apiKey: undefined }, { environment })).toBe('europe-west1-aiplatform.googleapis.com:443')
    vi.stubEnv('GOOGLE_GENAI_USE_VERTEXAI', 'true')
    expect(await wireHost({ provider: 'google' }, { environment: emptyEnvironment })).toBe('generativelanguage.googleapis.com:443')
    vi.unstubAllEnvs()
    expect(apiHost({ provider: 'google', useEnvironmentBaseUrls: true }, { environment: environmentOf({ GOOGLE_GENAI_USE_VERTEXAI: 'false' }) })).toBe('generativelanguage.googleapis.com:443')
  })

  test('a variable that the configuration names must be there', async () => {
    const config = { provider: 'openai', baseUrlEnv: 'MY_BASE' }
    expect(apiHosts(config, { environment: environmentOf({ MY_BASE: elsewhere }) })[0]).toMatchObject({ host: 'elsewhere.test', port: 8443, source: 'env' })
    expect(apiHost(config, { environment: environmentOf({ OP_MY_BASE: elsewhere }) })).toBe('elsewhere.test:8443')
    expect((await failureOf(() => apiHost(config, context))).message).toContain('MY_BASE (or OP_MY_BASE) is not set')
  })
})
