import { createServer, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { holdRefusedPort, type RefusedPort } from '../../../test/support/refused-port.js'
import { refuseUnknownNames } from '../../../test/support/unknown-names.js'
import { toAllowLines } from '../src/doctor/allow-lines.js'
import type { DoctorReport, DoctorStep } from '../src/doctor/doctor-step.js'
import { useModel } from './set-up.js'
import { command } from './test-io.js'
import { configure, key } from './wire.js'

const { home, server } = useModel()
let refused: RefusedPort

afterAll(refuseUnknownNames())
beforeAll(async () => {
  refused = await holdRefusedPort()
})
afterAll(() => {
  refused.release()
})

async function diagnosed(
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ report: DoctorReport; code: number; last: DoctorStep }> {
  const { out, code } = await command(['doctor', '--json', ...args], {
    home: home.path,
    stdin: '',
    environment: { MY_KEY: key, ...environment },
  })
  const { ok, models } = JSON.parse(out) as { ok: boolean; models: DoctorReport[] }
  const [report] = models
  expect(ok).toBe(code === 0)
  return { report: report!, code, last: report!.steps.findLast(({ notReached }) => !notReached)! }
}

/** Answers CONNECT like a proxy that refuses. */
async function startProxy(
  status: number,
  headers: Readonly<Record<string, string>>,
): Promise<{ url: string; server: Server; asked: string[] }> {
  const asked: string[] = []
  const proxy = createServer()
  proxy.on('connect', (request, socket) => {
    asked.push(request.url ?? '')
    socket.end(
      `HTTP/1.1 ${status} Refused\r\n${Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('')}\r\n`,
    )
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, server: proxy, asked }
}

describe('doctor', () => {
  test('the command doctor takes every step, and says how long each took', async () => {
    configure(home.path, server.url)
    const { report, code } = await diagnosed()
    expect(code).toBe(0)
    expect(report).toMatchObject({
      name: 'main',
      provider: 'openai-compatible',
      model: 'my-model',
      host: new URL(server.url).host,
    })
    expect(report.steps.map(({ id, status }) => `${id} ${status}`)).toEqual([
      'config ok',
      'dns ok',
      'tcp ok',
      'tls skipped',
      'auth ok',
      'model ok',
      'stream ok',
      'tools ok',
      'schema ok',
    ])
    expect(report.steps.find(({ id }) => id === 'tcp')?.latencyMs).toBeTypeOf('number')
  })

  test('--until leaves out what costs', async () => {
    configure(home.path, server.url)
    const { report } = await diagnosed(['--until', 'tls'])
    expect(report.steps.map(({ id }) => id)).toEqual(['config', 'dns', 'tcp', 'tls'])
    expect(server.requests).toHaveLength(0)
  })

  const broken: [what: string, url: string, step: string, problem: string][] = [
    ['a name that does not resolve', 'http://model.invalid:8080', 'dns', 'dns'],
    ['a port where nothing listens', 'http://127.0.0.1:REFUSED', 'tcp', 'refused'],
  ]
  test.each(broken)('doctor reports %s', async (_what, url, step, problem) => {
    configure(home.path, url.replace('REFUSED', String(refused.port)))
    const { code, last, report } = await diagnosed(['-m', 'main'])
    expect(code).toBe(20)
    expect(last).toMatchObject({ id: step, status: 'failed', problem })
    const left = report.steps.filter(({ notReached }) => notReached)
    expect(left.map(({ status }) => status)).toEqual(
      report.steps.slice(-left.length).map(() => 'skipped'),
    )
    expect(left.at(-1)?.id).toBe('schema')
  })

  test('a configuration that cannot be read is a failure of the command', async () => {
    configure(home.path, 'ftp://x')
    expect(await command(['doctor', '--json'], { home: home.path, stdin: '' })).toMatchObject({
      code: 3,
      out: '',
      err: expect.stringContaining('base_url') as string,
    })
  })

  test('the command doctor says that no key was sent where the server asks for one, instead of that it was refused', async () => {
    const { report, code } = await diagnosed([
      '-m',
      'openai-compatible:m',
      '--base-url',
      `${server.url}/v1`,
    ])
    expect(code).toBe(20)
    expect(report.steps.find(({ status }) => status === 'failed')).toMatchObject({
      id: 'auth',
      problem: 'auth',
      fix: expect.stringContaining('No key was sent') as string,
    })
  })

  test('doctor says that the server speaks http if the address has https', async () => {
    configure(home.path, server.url.replace('http:', 'https:'))
    const { last } = await diagnosed()
    expect(last).toMatchObject({
      id: 'tls',
      status: 'failed',
      problem: 'tls',
      fix: `The server speaks http: write http:// in the base URL.`,
    })
  })

  test('doctor reports a refused key, and a variable that is not set', async () => {
    configure(home.path, server.url)
    expect((await diagnosed([], { MY_KEY: 'sk-wrong-0123456789' })).last).toMatchObject({
      id: 'auth',
      problem: 'auth',
    })
    const { report } = await diagnosed([], { MY_KEY: '' })
    expect(report.steps[0]).toMatchObject({
      id: 'config',
      status: 'warning',
      fix: expect.stringContaining('MY_KEY is not set') as string,
    })
  })

  test('doctor says that the key is good if the model does not exist', async () => {
    await server.restart({
      reply: () => ({
        status: 404,
        headers: { 'content-type': 'application/json' },
        pieces: [
          '{"error":{"message":"The model my-model does not exist","code":"model_not_found"}}',
        ],
      }),
    })
    configure(home.path, server.url)
    const { report, last } = await diagnosed()
    expect(report.steps.find(({ id }) => id === 'auth')?.status).toBe('ok')
    expect(last).toMatchObject({ id: 'model', status: 'failed', problem: 'model' })
  })

  test('doctor reports a web page in place of an API', async () => {
    const headers = { 'content-type': 'text/html' }
    await server.restart({
      reply: () => ({ status: 200, headers, pieces: ['<!doctype html><title>Sign in</title>'] }),
    })
    configure(home.path, server.url)
    expect((await diagnosed()).last).toMatchObject({ id: 'auth', problem: 'not-an-llm-server' })
  })

  test('doctor reports a server that takes the connection and says nothing', async () => {
    const silent = createTcpServer()
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    configure(home.path, `http://127.0.0.1:${(silent.address() as AddressInfo).port}`)
    expect((await diagnosed(['--timeout', '0.3'])).last).toMatchObject({
      id: 'auth',
      status: 'failed',
      problem: 'timeout',
    })
    silent.close()
  })

  const refusals: [sandbox: string, headers: Record<string, string>][] = [
    ['srt', { 'X-Proxy-Error': 'blocked-by-sandbox-runtime' }],
    ['codex', { 'x-proxy-error': 'blocked-by-allowlist' }],
  ]
  test.each(refusals)(
    'the proxy of %s refuses: the missing line is printed',
    async (sandbox, headers) => {
      const proxy = await startProxy(403, headers)
      configure(home.path, 'https://api.example.com', `proxy_env: HTTPS_PROXY`)
      const { last } = await diagnosed([], { HTTPS_PROXY: proxy.url })
      expect(last).toMatchObject({
        id: 'tcp',
        status: 'failed',
        problem: 'sandbox',
        refusedHost: 'api.example.com:443',
      })
      expect(last.allow).toHaveLength(1)
      expect(last.allow?.[0]).toMatchObject({
        sandbox,
        line: sandbox === 'srt' ? '"api.example.com:443"' : '"api.example.com" = "allow"',
      })
      expect(proxy.asked).toEqual(['api.example.com:443'])
      const { out } = await command(['doctor'], {
        home: home.path,
        stdin: '',
        environment: { MY_KEY: key, HTTPS_PROXY: proxy.url },
      })
      expect(out).toContain('allow api.example.com:443\n')
      proxy.server.close()
    },
  )

  test('a proxy with a password gets it, and it is printed nowhere', async () => {
    const proxy = await startProxy(407, {})
    const told: (string | undefined)[] = []
    proxy.server.prependListener('connect', ({ headers }) =>
      told.push(headers['proxy-authorization']),
    )
    configure(home.path, 'https://api.example.com', `proxy_env: HTTPS_PROXY`)
    const environment = {
      MY_KEY: key,
      HTTPS_PROXY: proxy.url.replace('//', '//srt.box:p%40ss-of-tests@'),
    }
    const { out, err } = await command(['doctor', '--json'], {
      home: home.path,
      stdin: '',
      environment,
    })
    expect(told).toEqual([`Basic ${btoa('srt.box:p@ss-of-tests')}`])
    expect(out).toContain('answered 407 to CONNECT api.example.com:443')
    expect(out + err).not.toMatch(/p(@|%40)ss-of|c3J0LmJveDpwQHNz/)
    proxy.server.close()
  })

  test('a proxy that is there but not used is named', async () => {
    configure(home.path, 'https://model.invalid')
    const { last } = await diagnosed([], { HTTPS_PROXY: 'http://127.0.0.1:3128' })
    expect(last.fix).toContain('add "proxy_env: HTTPS_PROXY"')
  })

  test('a model in this process needs no connection', async () => {
    const { out, code } = await command(['doctor', '--json', '-m', 'mock', '--until', 'tls'], {
      home: home.path,
      stdin: '',
    })
    const [report] = (JSON.parse(out) as { models: DoctorReport[] }).models
    // The mock wants to be told what to say.
    expect(report?.steps[0]).toMatchObject({ id: 'config', status: 'failed', problem: 'config' })
    expect(code).toBe(20)
  })

  test('a profile decides what is not asked', async () => {
    configure(
      home.path,
      server.url,
      'profile: {supports_tools: false, supports_json_schema: false}',
    )
    const { report } = await diagnosed()
    expect(report.steps.slice(-2).map(({ status }) => status)).toEqual(['skipped', 'skipped'])
  })
})

test('doctor knows the line that each sandbox needs', () => {
  const lines = toAllowLines({
    host: 'api.example.com',
    port: 443,
    scheme: 'https',
    purpose: 'api',
    phase: 'runtime',
    required: true,
    source: 'default',
  })
  expect(Object.fromEntries(lines.map(({ sandbox, line }) => [sandbox, line]))).toEqual({
    srt: '"api.example.com:443"',
    'claude-code': '"api.example.com:443"',
    codex: '"api.example.com" = "allow"',
    deno: '--allow-net=api.example.com:443',
    docker: 'sbx policy allow network "api.example.com:443"',
    node: '--allow-net',
  })
})
