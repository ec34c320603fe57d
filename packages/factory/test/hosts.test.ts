import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { reportFault } from '../../../test/support/faults.js'
import {
  apiHost,
  apiHosts,
  type FactoryContext,
  hostPort,
  type ModelConfig,
  resolveModel,
} from '../src/index.js'
import { emptyEnvironment, environmentOf, failureOf } from './support.js'

const context: FactoryContext = { environment: emptyEnvironment }
const host = (provider: string, baseUrl?: string) => apiHost({ provider, baseUrl }, context)

describe('apiHost, case by case', () => {
  test.each([
    ['anthropic', undefined, 'api.anthropic.com:443'],
    ['openai', '', 'api.openai.com:443'],
    ['google', undefined, 'generativelanguage.googleapis.com:443'],
    ['ollama', '', 'localhost:11434'],
    [
      'openai',
      'https://my-azure-endpoint.openai.azure.com',
      'my-azure-endpoint.openai.azure.com:443',
    ],
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
    'https://user:pass@host/v1',
    'https://user@host/v1',
    'localhost:11434',
    'localhost',
    'host.example/v1',
    'https-proxy.local/v1',
    'https://',
    'http://',
    'ws://host/x',
    'unix://tmp:s.sock',
    'file:///x',
    'https://ho\tst',
    'http://host:0',
    'http://host:65536',
  ])('%s is refused, typed, and not repeated', async (baseUrl) => {
    const error = await failureOf(() => host('openai', baseUrl))
    expect(error.code).toBe('invalid-base-url')
    expect(error.message).not.toContain('pass@')
  })

  test('an unknown provider is an error, and near names are suggested', async () => {
    expect(await failureOf(() => host('antropic'))).toMatchObject({
      code: 'config',
      message: expect.stringContaining(
        'unsupported provider: "antropic"; did you mean "anthropic"?',
      ) as string,
    })
    expect((await failureOf(() => host('nothing-like-it'))).message).toContain(
      'unsupported provider',
    )
    expect(host('openai-compatible')).toBe('localhost:1234')
    expect((await failureOf(() => host('azure'))).message).toContain('RESOURCE.openai.azure.com')
    expect((await failureOf(() => host('mock', 'https://h'))).code).toBe('config')
  })
})

describe('apiHosts', () => {
  test('apiHosts gives each host once, in order', () => {
    const list = apiHosts(
      [{ provider: 'anthropic' }, 'openai', { provider: 'openai', model: 'other' }],
      context,
    )
    expect(list).toEqual([
      {
        host: 'api.anthropic.com',
        port: 443,
        scheme: 'https',
        purpose: 'api',
        phase: 'runtime',
        required: true,
        source: 'default',
      },
      {
        host: 'api.openai.com',
        port: 443,
        scheme: 'https',
        purpose: 'api',
        phase: 'runtime',
        required: true,
        source: 'default',
      },
    ])
    expect(apiHosts('mock', context)).toEqual([])
  })

  test('fallbacks are listed, as needed only after a failure', () => {
    const list = apiHosts(
      {
        provider: 'openai',
        fallback: [{ provider: 'ollama' }, { provider: 'openai', model: 'other' }],
      },
      context,
    )
    expect(list.map((entry) => [hostPort(entry), entry.required, entry.when])).toEqual([
      ['api.openai.com:443', true, undefined],
      ['localhost:11434', false, 'openai fails'],
    ])
  })

  test('a proxy is listed as well, since it is what is dialled', () => {
    const list = apiHosts({ provider: 'openai', proxy: 'http://proxy.local:3128' }, context)
    expect(list.map((entry) => [hostPort(entry), entry.purpose, entry.viaProxy])).toEqual([
      ['api.openai.com:443', 'api', true],
      ['proxy.local:3128', 'proxy', undefined],
    ])
    expect(apiHost({ provider: 'openai', proxy: 'http://proxy.local:3128' }, context)).toBe(
      'api.openai.com:443',
    )
    const mixed = apiHosts(
      [{ provider: 'openai', proxy: 'http://proxy.local:3128' }, { provider: 'openai' }],
      context,
    )
    expect(mixed[0]).not.toHaveProperty('viaProxy')
    const fromVariable = { provider: 'openai', proxyEnv: 'HTTPS_PROXY' }
    expect(
      apiHosts(fromVariable, {
        environment: environmentOf({ HTTPS_PROXY: 'http://localhost:3128' }),
      }).map(hostPort),
    ).toEqual(['api.openai.com:443', 'localhost:3128'])
    expect(apiHosts(fromVariable, context).map(hostPort)).toEqual(['api.openai.com:443'])
  })

  test.each<[string, ModelConfig, readonly string[]]>([
    [
      'Google',
      {
        provider: 'google',
        vertex: { project: 'demo', applicationDefault: true },
      },
      ['metadata.google.internal:80', '169.254.169.254:80'],
    ],
  ])(
    'the metadata servers of %s are dialled past a proxy, and listed so',
    (_, config, expected) => {
      const list = apiHosts({ ...config, model: 'm', proxy: 'http://proxy.local:3128' }, context)
      const direct = list.filter(({ viaProxy, purpose }) => !viaProxy && purpose !== 'proxy')
      expect(direct.map(hostPort)).toEqual(expected)
      expect(direct.every(({ purpose }) => purpose === 'metadata')).toBe(true)
    },
  )

  test.each([
    [{ proxy: 'http://user:hunter2@proxy.local:3128' }, 'proxy.local:3128', 'user:hunter2'],
    [{ proxyEnv: 'HTTPS_PROXY' }, 'localhost:3128', 'srt.x:hunter2/'],
    [{ proxy: 'http://hunter2@proxy.local' }, 'proxy.local:80', 'hunter2:'],
  ])('the password of a proxy is sent to the proxy alone: %j', (config, dialled, userinfo) => {
    const environment = environmentOf({ HTTPS_PROXY: 'http://srt.x:hunter2%2F@localhost:3128' })
    const list = apiHosts({ provider: 'openai', ...config }, { environment })
    expect(list.map(hostPort)).toEqual(['api.openai.com:443', dialled])
    expect(JSON.stringify(list)).not.toContain('hunter2')
    const { proxy, config: resolved } = resolveModel(
      { provider: 'openai', ...config },
      { environment },
    )
    expect(proxy?.authorization()).toBe(`Basic ${btoa(userinfo)}`)
    expect(proxy?.href).toBe(`http://${dialled.replace(':80', '')}`)
    expect(new URL(proxy?.url() ?? '').host).toBe(new URL(`http://${dialled}`).host)
    // The configuration is as it was given.
    expect(inspect({ proxy }, { depth: 9, showHidden: true })).not.toContain('hunter2')
    expect(resolved).toMatchObject(config)
  })

  test.each([
    'http://user:hunter2@',
    'socks5://user:hunter2@h:1',
    'http://us\ter:hunter2@h:1',
    'user:hunter2@h:1',
  ])('apiHosts rejects %j as the address of a proxy without repeating it', async (proxy) => {
    for (const config of [{ proxy }, { proxyEnv: 'P' }]) {
      const error = await failureOf(() =>
        apiHosts({ provider: 'openai', ...config }, { environment: environmentOf({ P: proxy }) }),
      )
      expect(error).toMatchObject({
        code: 'invalid-base-url',
        message: expect.stringMatching(/^openai: (proxy|environment variable P): /) as string,
      })
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('hunter2')
    }
  })

  test.each(['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NODE_USE_ENV_PROXY', 'https_proxy'])(
    '%s alone changes nothing',
    (name) => {
      expect(
        apiHosts('openai', { environment: environmentOf({ [name]: 'http://elsewhere.test:1' }) }),
      ).toEqual(apiHosts('openai', context))
    },
  )

  test('Azure: the host of Entra is listed if a token callback is given', () => {
    const azureADTokenProvider = () => Promise.resolve('t')
    const of = (endpoint: string, more: object = {}) =>
      apiHosts(
        { provider: 'azure', azure: { endpoint, azureADTokenProvider }, ...more },
        { environment: environmentOf({ AZURE_AUTHORITY_HOST: 'https://login.private.test' }) },
      ).map(hostPort)
    expect(of('https://r.openai.azure.com')).toEqual([
      'r.openai.azure.com:443',
      'login.microsoftonline.com:443',
      '169.254.169.254:80',
    ])
    expect(of('https://r.openai.azure.us')[1]).toBe('login.microsoftonline.us:443')
    expect(of('https://r.openai.azure.cn')[1]).toBe('login.chinacloudapi.cn:443')
    expect(of('https://r.openai.azure.com', { useEnvironmentBaseUrls: true })[1]).toBe(
      'login.private.test:443',
    )
    expect(
      apiHosts({ provider: 'azure', baseUrl: 'https://r.services.ai.azure.com' }, context).map(
        hostPort,
      ),
    ).toEqual(['r.services.ai.azure.com:443'])
    expect(
      apiHost({ provider: 'openai', azure: { endpoint: 'https://r.openai.azure.com' } }, context),
    ).toBe('r.openai.azure.com:443')
  })

  test('the hosts of Vertex AI are that of the location and those of the tokens', () => {
    const of = (vertex: object, given = context) =>
      apiHosts({ provider: 'google', vertex }, given).map(hostPort)
    expect(of({ location: 'europe-west1', accessToken: () => 't' })).toEqual([
      'europe-west1-aiplatform.googleapis.com:443',
    ])
    expect(of({ location: 'eu', accessToken: () => 't' })).toEqual([
      'aiplatform.eu.rep.googleapis.com:443',
    ])
    expect(of({ credentials: { client_email: 'a', private_key: 'b' } })).toEqual([
      'aiplatform.googleapis.com:443',
      'oauth2.googleapis.com:443',
    ])
    expect(of({ applicationDefault: true })).toEqual([
      'aiplatform.googleapis.com:443',
      'oauth2.googleapis.com:443',
      'sts.googleapis.com:443',
      'iamcredentials.googleapis.com:443',
      'metadata.google.internal:80',
      '169.254.169.254:80',
    ])
    expect(
      of(
        { applicationDefault: true },
        { environment: environmentOf({ GCE_METADATA_HOST: 'metadata.test:8080' }) },
      ).at(-1),
    ).toBe('metadata.test:8080')
    expect(
      of(
        { accessToken: () => 't' },
        { environment: environmentOf({ GCE_METADATA_HOST: 'metadata.test:8080' }) },
      ),
    ).toEqual(['aiplatform.googleapis.com:443'])
  })
})
