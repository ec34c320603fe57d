import { execFile } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request as forward } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openaiChat } from '@modelport/conformance'
import { startWireServer } from '@modelport/conformance/wire-server'
import { anthropicMessages, gemini, ollamaChat, openaiResponses } from '@modelport/test-formats'
import { type BuildOptions, build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refuseUnknownNames } from '../../../test/support/unknown-names.js'
import {
  apiHost,
  apiHosts,
  hostPort,
  installAdvice,
  type ModelConfig,
  newProvider,
} from '../src/index.js'
import { emptyEnvironment, environmentOf } from './support.js'

const run = promisify(execFile)
const context = { environment: emptyEnvironment }
const packages = fileURLToPath(new URL('../../', import.meta.url))
const apiKey = 'key-of-tests-0123'

describe('behind a proxy that records the requested hosts', () => {
  const asked: string[] = []
  const told = new Set<string>()
  let allowed: ((target: string) => number | undefined) | undefined
  const sockets = new Set<Socket>()
  const proxy = createServer((request, response) => {
    // Plain http is asked for by its whole address.
    const { host, pathname, search } = new URL(request.url ?? '')
    asked.push(host)
    const port = allowed?.(host)
    if (port === undefined) return response.writeHead(403).end()
    if (request.headers['proxy-authorization'] !== undefined)
      told.add(request.headers['proxy-authorization'])
    delete request.headers['proxy-authorization']
    const upstream = forward(
      {
        host: '127.0.0.1',
        port,
        path: pathname + search,
        method: request.method,
        headers: request.headers,
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(response)
      },
    )
    upstream.on('error', () => response.destroy())
    request.pipe(upstream)
    return undefined
  })
  proxy.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
  })
  proxy.on('connect', (request, client: Socket) => {
    const target = request.url ?? ''
    asked.push(target)
    const port = allowed?.(target)
    if (port === undefined) return client.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    const upstream = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      upstream.pipe(client).pipe(upstream)
    })
    upstream.on('error', () => client.destroy())
    return undefined
  })
  let address = ''
  beforeAll(async () => {
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  })
  afterAll(() => {
    for (const socket of sockets) socket.destroy()
    proxy.close()
  })

  const configs: [string, ModelConfig][] = [
    ['anthropic', { provider: 'anthropic', apiKey }],
    ['openai', { provider: 'openai', apiKey }],
    ['azure', { provider: 'azure', apiKey, model: 'm', baseUrl: 'https://r.openai.azure.com' }],
    ['google', { provider: 'google', apiKey }],
    [
      'vertex',
      {
        provider: 'vertex',
        vertex: { project: 'p', location: 'europe-west1', accessToken: () => 'token-of-tests' },
      },
    ],
    ['deepseek', { provider: 'deepseek', apiKey }],
    ['ollama cloud', { provider: 'ollama', apiKey, baseUrl: 'https://ollama.com' }],
    ['huggingface', { provider: 'huggingface', apiKey, model: 'm' }],
  ]
  test.each(configs)('%s contacts all hosts of its list and no other', async (_name, config) => {
    asked.length = 0
    allowed = undefined
    const proxied = { ...config, proxy: address }
    const provider = await newProvider(proxied, context)
    await expect(provider.complete('Hi', { retry: { attempts: 1 } })).rejects.toMatchObject({
      code: 'network',
    })
    const stream = provider.streamWithTools([{ role: 'user', content: 'Hi' }], [], {
      retry: { attempts: 1 },
    })
    await expect(stream).rejects.toMatchObject({ code: 'network' })
    const declared = apiHosts(proxied, context)
    expect(asked.length).toBeGreaterThan(0)
    expect([...new Set(asked)].sort()).toEqual(
      declared
        .filter(({ viaProxy }) => viaProxy)
        .map(hostPort)
        .sort(),
    )
    expect(declared.filter(({ purpose }) => purpose === 'proxy').map(hostPort)).toEqual([
      new URL(address).host,
    ])
  })

  test.each<[string, ModelConfig]>([
    ['anthropic', { provider: 'anthropic', apiKey }],
    ['openai', { provider: 'openai', apiKey }],
    ['google', { provider: 'google', apiKey }],
    ['ollama', { provider: 'ollama' }],
    ['groq', { provider: 'groq', apiKey }],
  ])('%s holds a conversation with a tool through it', async (_name, config) => {
    asked.length = 0
    const formats = [anthropicMessages, openaiResponses, gemini, ollamaChat, openaiChat]
    const server = await startWireServer({
      formats,
      reply: [
        {
          toolCalls: [{ id: 'call_1', name: 'get_weather', arguments: { city: 'Oslo' } }],
          finish: 'tool-calls',
          usage: {},
        },
        { text: ['Sunny.'], finish: 'stop', usage: {} },
      ],
    })
    try {
      // A plain host of the test's own: the proxy leads it to the server.
      const baseUrl = `http://model.test:8080${config.provider === 'groq' || config.provider === 'openai' ? '/v1' : ''}`
      allowed = (target) =>
        target === 'model.test:8080' ? Number(new URL(server.url).port) : undefined
      // As sandboxes give it: with a password, in a variable.
      const proxied = {
        ...config,
        baseUrl,
        proxyEnv: 'HTTPS_PROXY',
        enforceHosts: true,
        ...(config.provider === 'openai' && { settings: { api: 'responses' } }),
      }
      const context = {
        environment: environmentOf({
          HTTPS_PROXY: address.replace('//', '//srt.box:p%40ss-0123@'),
        }),
      }
      const provider = await newProvider(proxied, context)
      const reader = await provider.streamWithTools(
        [{ role: 'user', content: 'Weather?' }],
        [
          {
            name: 'get_weather',
            description: 'Weather',
            parameters: { type: 'object', properties: { city: { type: 'string' } } },
          },
        ],
      )
      for await (const event of reader) {
        if (event.type === 'tool-call-complete')
          await reader.sendToolResults([{ callId: event.toolCall.id, content: 'sun' }])
      }
      expect(reader.fullText()).toBe('Sunny.')
      expect(new Set(asked)).toEqual(new Set(['model.test:8080']))
      expect([...told]).toEqual([`Basic ${btoa('srt.box:p@ss-0123')}`])
      expect(
        apiHosts(proxied, context)
          .filter(({ viaProxy }) => viaProxy)
          .map(hostPort),
      ).toEqual(['model.test:8080'])
    } finally {
      await server.close()
    }
  })
})

describe('connections that the connector opens', () => {
  const opened: string[] = []
  const note = (message: unknown): void => {
    const { hostname, port, protocol } = (
      message as { connectParams: { hostname: string; port: string; protocol: string } }
    ).connectParams
    opened.push(
      `${hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname}:${port || (protocol === 'https:' ? '443' : '80')}`,
    )
  }
  afterAll(refuseUnknownNames())
  beforeAll(() => {
    subscribe('undici:client:beforeConnect', note)
  })
  afterAll(() => {
    unsubscribe('undici:client:beforeConnect', note)
  })

  let pools = 0

  // Names that never resolve, and addresses of this computer: nothing leaves it.
  const urls = [
    'https://model.invalid',
    'HTTPS://Model.INVALID/v1',
    'https://model.invalid:0443/v1',
    'http://model.invalid/',
    'http://model.invalid:',
    'http://[::1]:9/v1',
    'https://[::1]:9443/v1',
    'https://model.invalid?x=1',
    'https://model.invalid#f',
    'https://bücher.invalid/v1',
    'https://model.invalid./v1',
    'http://0x7f.1:9/',
    'http://2130706433:9',
    'http://[::ffff:127.0.0.1]:9',
    'https:\\\\model.invalid\\v1',
    'https://mod%65l.invalid',
    'http://127.0.0.1:9/a/b/',
  ]
  test.each(
    urls.flatMap((url) =>
      ['openai-compatible', 'anthropic', 'ollama'].map((provider) => [provider, url] as const),
    ),
  )('%s %s', async (provider, baseUrl) => {
    opened.length = 0
    // A pool of its own: one that another test has opened would be taken again.
    const config = {
      provider,
      model: 'm',
      baseUrl,
      enforceHosts: true,
      settings: { timeouts: { connectMs: 5000 + pools++ } },
    }
    const made = await newProvider(config, context)
    await expect(
      made.complete('Hi', { retry: { attempts: 1 }, deadlineMs: 2000 }),
    ).rejects.toHaveProperty('code')
    expect(new Set(opened)).toEqual(new Set([apiHost(config, context)]))
  })
})

describe('bundles', () => {
  const source = (name: string) => join(packages, name, 'src/index.ts')
  const sources = {
    '@modelport/core/settings': join(packages, 'core/src/settings.ts'),
    '@modelport/core/text': join(packages, 'core/src/text.ts'),
    '@modelport/core/turns': join(packages, 'core/src/turns.ts'),
    '@modelport/core': source('core'),
    '@modelport/driver': source('driver'),
  }
  const external = ['@modelport/provider-*', 'yaml', 'zod']
  const bundle = async (
    contents: string,
    options: BuildOptions = {},
  ): Promise<{ readonly used: string[]; readonly text: string }> => {
    const { metafile, outputFiles } = await build({
      stdin: { contents, resolveDir: join(packages, 'factory/src'), loader: 'ts' },
      bundle: true,
      format: 'esm',
      platform: 'node',
      write: false,
      metafile: true,
      logLevel: 'silent',
      external,
      alias: sources,
      ...options,
    })
    const inputs = Object.values(metafile!.outputs).flatMap((output) =>
      Object.entries(output.inputs),
    )
    return {
      used: inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path),
      text: outputFiles!.map((file) => file.text).join('\n'),
    }
  }

  test('asking for hosts loads no provider, no YAML and no schema', async () => {
    const { used, text } = await bundle(`export { apiHost, apiHosts } from './index.js'`)
    expect(used.some((path) => path.endsWith('factory/src/resolve/hosts.ts'))).toBe(true)
    expect(
      used.filter((path) =>
        /providers\.ts|provider-[a-z]+\/|driver\/|undici|yaml|zod|node_modules/.test(path),
      ),
    ).toEqual([])
    expect(/import\(|from ["'].*/.exec(text)?.[0]).toBeUndefined()
  })

  test('a static factory holds what was imported and no dynamic import of a provider', async () => {
    const contents = `
      import { createFactory, providerRows } from './static.js'
      import { createOllama } from 'the-imported-one'
      export const factory = createFactory({ rows: providerRows.filter(({ name }) => name === 'ollama').map((row) => ({ ...row, creators: { createProvider: createOllama } })) })`
    const alias = { ...sources, 'the-imported-one': source('provider-ollama') }
    const { used, text } = await bundle(contents, { alias, external: [] })
    expect(
      used.filter((path) => /providers\.ts|provider-(?!ollama)[a-z]+\/|yaml|zod/.test(path)),
    ).toEqual([])
    expect(/import\(["']@modelport.*/.exec(text)?.[0]).toBeUndefined()
    expect(text.includes('/api/chat')).toBe(true)
  })

  test('newProvider names each package in a form that bundlers resolve, and tolerates one that is not installed', async () => {
    const { text } = await bundle(`export { newProvider } from './index.js'`)
    const names = [
      'anthropic',
      'openai',
      'google',
      'ollama',
      'openai-compatible',
      'mock',
      'llamacpp',
    ]
    for (const name of names)
      expect(text.includes(`import("@modelport/provider-${name}")`), name).toBe(true)
    const folder = mkdtempSync(join(tmpdir(), 'modelport-bundle-'))
    try {
      const again = (contents: string) =>
        build({
          stdin: { contents, resolveDir: folder },
          bundle: true,
          format: 'esm',
          write: false,
          logLevel: 'silent',
        })
      await expect(again(text)).resolves.toMatchObject({ errors: [] })
      await expect(again(text.replaceAll('.catch(fail)', ''))).rejects.toThrow('Could not resolve')
    } finally {
      rmSync(folder, { recursive: true, maxRetries: 5, force: true })
    }
  })

  test('an error names the command that installs a missing package', async () => {
    const { text } = await bundle(`export { newProvider, apiHost } from './index.js'`)
    const folder = mkdtempSync(join(tmpdir(), 'modelport-missing-'))
    const installed = join(folder, 'node_modules/@modelport/provider-ollama')
    try {
      mkdirSync(installed, { recursive: true })
      writeFileSync(
        join(installed, 'package.json'),
        JSON.stringify({
          name: '@modelport/provider-ollama',
          type: 'module',
          exports: './index.js',
        }),
      )
      writeFileSync(join(installed, 'index.js'), `import 'an-sdk-that-is-missing'\n`)
      writeFileSync(join(folder, 'factory.mjs'), text)
      writeFileSync(
        join(folder, 'program.mjs'),
        `
        import { apiHost, newProvider } from './factory.mjs'
        console.log(apiHost('anthropic'))
        for (const config of [{ provider: 'anthropic', apiKey: 'k-0123456789' }, 'ollama']) {
          await newProvider(config).catch(({ code, message }) => console.log(code, message))
        }`,
      )
      const { stdout } = await run(process.execPath, ['program.mjs'], { cwd: folder })
      expect(stdout.trim().split('\n')).toEqual([
        'api.anthropic.com:443',
        `config anthropic: the package @modelport/provider-anthropic is not installed; ${installAdvice('@modelport/provider-anthropic')}`,
        expect.stringMatching(/^config ollama: .*an-sdk-that-is-missing/),
      ])
    } finally {
      rmSync(folder, { recursive: true, maxRetries: 5, force: true })
    }
  })
})
