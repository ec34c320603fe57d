import { createServer, type RequestListener } from 'node:http'
import {
  type AddressInfo,
  createServer as createNetServer,
  type Server,
  type Socket,
} from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { inspect } from 'node:util'
import { isLlmError, LlmError, ProviderError } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { reportFault } from '../../../test/support/faults.js'
import { useOwnTimers } from '../../../test/support/own-timers.js'
import { holdRefusedPort } from '../../../test/support/refused-port.js'
import { refuseUnknownNames } from '../../../test/support/unknown-names.js'
import {
  type Diagnosis,
  diagnose,
  type ModelConfig,
  type ProviderRow,
  testConnection,
} from '../src/index.js'
import { emptyEnvironment, failureOf } from './support.js'

const apiKey = 'sk-connection-0123456789-canary'
const context = { environment: emptyEnvironment }
const chat = (text: string, finish = 'stop') =>
  JSON.stringify({
    id: '1',
    object: 'chat.completion',
    model: 'served-model',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: finish }],
    usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
  })

const open: { readonly server: Server; readonly sockets: Set<Socket> }[] = []
const timers = new Set<ReturnType<typeof setInterval>>()
const releases: (() => void)[] = []

afterAll(refuseUnknownNames())

async function listen(
  server: Server,
): Promise<{ readonly port: number; readonly sockets: Set<Socket> }> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push({ server, sockets })
  return { port: (server.address() as AddressInfo).port, sockets }
}

afterEach(() => {
  vi.useRealTimers()
  for (const timer of timers) clearInterval(timer)
  for (const release of releases.splice(0)) release()
  for (const { server, sockets } of open.splice(0)) {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
})

const drip = (write: () => void): void => {
  timers.add(setInterval(write, 20))
}
/**
 * A turn of the loop reads what has come to this process: what is unread when a reset comes is lost
 * with it.
 */
const twoTurns = (then: () => void): void =>
  void setImmediate(() => setImmediate(() => setImmediate(then)))
const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}): RequestListener =>
  (request, response) => {
    request.resume()
    response.writeHead(status, {
      'content-type': typeof body === 'string' ? 'text/html' : 'application/json',
      ...headers,
    })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
const page = '<!doctype html><html><title>Sign in</title>'
const error = (message: string, more: object = {}) => ({ error: { message, ...more } })

interface Case {
  readonly http?: RequestListener
  readonly net?: (socket: Socket) => void
  readonly tls?: boolean
  readonly scheme?: string
  readonly config?: Partial<ModelConfig>
  readonly problem: Diagnosis['problem']
  readonly code: LlmError['code']
  /** Requests that reach the server; unset: one. */
  readonly requests?: number
}

const cases: Record<string, Case> = {
  'a server that says nothing': {
    net: () => undefined,
    problem: 'timeout',
    code: 'timeout',
    requests: 0,
  },
  'headers that drip': {
    net: (socket) => drip(() => socket.write('x')),
    problem: 'not-an-llm-server',
    code: 'protocol',
    requests: 0,
  },
  'good headers that drip': {
    net: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      drip(() => socket.write('x-a: b\r\n'))
    },
    problem: 'timeout',
    code: 'timeout',
    requests: 0,
  },
  'a body that drips': {
    http: (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{"choices": [')
      drip(() => response.write(' '))
    },
    problem: 'timeout',
    code: 'timeout',
  },
  'a body that stops': {
    http: (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{"choices": [')
    },
    problem: 'timeout',
    code: 'timeout',
  },
  'TLS to a plain port': {
    http: answer(200, {}),
    scheme: 'https',
    problem: 'tls',
    code: 'network',
    requests: 0,
  },
  'a TLS server without a certificate': {
    tls: true,
    scheme: 'https',
    problem: 'tls',
    code: 'network',
    requests: 0,
  },
  'another protocol': {
    net: (socket) => socket.write('SSH-2.0-OpenSSH_9.9\r\n'),
    problem: 'not-an-llm-server',
    code: 'protocol',
    requests: 0,
  },
  'a port nobody listens on': { problem: 'refused', code: 'network', requests: 0 },
  'a name that does not resolve': {
    config: { baseUrl: 'http://no-such-host.invalid/v1' },
    problem: 'dns',
    code: 'network',
    requests: 0,
  },
  'a connection dropped at once': {
    net: (socket) => socket.destroy(),
    problem: 'interrupted',
    code: 'network',
    requests: 0,
  },
  'a reset in the body': {
    http: (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '999' })
      response.write('{"choices": [')
      twoTurns(() => response.socket?.resetAndDestroy())
    },
    problem: 'interrupted',
    code: 'truncated',
  },
  '200 with a web page': {
    http: answer(200, page),
    problem: 'not-an-llm-server',
    code: 'protocol',
  },
  '200 with plain text': {
    http: answer(200, 'It works!', { 'content-type': 'text/plain' }),
    problem: 'not-an-llm-server',
    code: 'protocol',
  },
  '401': {
    http: answer(401, error(`Incorrect API key provided: ${apiKey}`)),
    problem: 'auth',
    code: 'auth',
  },
  '401 with a web page': { http: answer(401, page), problem: 'auth', code: 'auth' },
  '403': {
    http: answer(403, error('Country not supported')),
    problem: 'permission',
    code: 'permission',
  },
  '404 of a model': {
    http: answer(404, error('The model `m` does not exist', { code: 'model_not_found' })),
    problem: 'model',
    code: 'not-found',
  },
  '404 with a web page': {
    http: answer(404, page),
    problem: 'not-an-llm-server',
    code: 'not-found',
  },
  '404 of a path': {
    http: answer(404, { detail: 'Not Found' }),
    problem: 'not-an-llm-server',
    code: 'not-found',
  },
  '429': {
    http: answer(429, error('Too many requests'), { 'retry-after': '1' }),
    problem: 'rate-limit',
    code: 'rate-limit',
  },
  '429 without money': {
    http: answer(429, error('You exceeded your current quota', { code: 'insufficient_quota' })),
    problem: 'quota',
    code: 'quota-exhausted',
  },
  '402': {
    http: answer(402, error('Insufficient Balance')),
    problem: 'quota',
    code: 'quota-exhausted',
  },
  '529': { http: answer(529, error('Overloaded')), problem: 'overloaded', code: 'overloaded' },
  '503 with a web page': { http: answer(503, page), problem: 'overloaded', code: 'overloaded' },
  '500': { http: answer(500, error('boom')), problem: 'server', code: 'server' },
  '400': {
    http: answer(400, error('max_tokens must be at least 16')),
    problem: 'request',
    code: 'invalid-request',
  },
  'a redirect': {
    http: answer(307, '', { location: 'http://elsewhere.test/' }),
    problem: 'redirect',
    code: 'redirect-refused',
  },
  'an error with a huge body': {
    http: (_, response) => {
      response.writeHead(500)
      const fill = (): void => {
        while (response.write('x'.repeat(65_536)));
        response.once('drain', fill)
      }
      fill()
    },
    problem: 'server',
    code: 'server',
  },
  'a huge body': {
    http: (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const fill = (): void => {
        while (response.write(' '.repeat(65_536)));
        response.once('drain', fill)
      }
      fill()
    },
    config: { settings: { limits: { maxBodyBytes: 1_000_000 } } },
    problem: 'not-an-llm-server',
    code: 'limit-exceeded',
  },
  'a proxy that refuses': {
    net: (socket) => {
      socket.once('data', () =>
        socket.end('HTTP/1.1 403 Forbidden\r\nX-Proxy-Error: blocked-by-allowlist\r\n\r\n'),
      )
    },
    config: { baseUrl: 'https://api.openai.test/v1', proxy: 'here' },
    problem: 'proxy',
    code: 'network',
    requests: 0,
  },
  'a proxy that is not there': {
    config: { baseUrl: 'https://api.openai.test/v1', proxy: 'here' },
    problem: 'proxy',
    code: 'network',
    requests: 0,
  },
  'a proxy that wants a password': {
    net: (socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'))
    },
    config: { baseUrl: 'https://api.openai.test/v1', proxy: 'here' },
    problem: 'proxy',
    code: 'auth',
    requests: 0,
  },
}

/** A server that counts its requests, or none. */
async function serve(
  { http, net, tls }: Case,
  counter: { requests: number },
): Promise<{ readonly port: number; readonly sockets: Set<Socket> }> {
  if (net)
    return listen(
      createNetServer((socket) => {
        net(socket)
        socket.resume()
      }),
    )
  if (tls) return listen(createTlsServer({}))
  if (http)
    return listen(
      createServer((request, response) => {
        counter.requests++
        request.resume()
        http(request, response)
      }),
    )
  const { port, release } = await holdRefusedPort()
  releases.push(release)
  return { port, sockets: new Set() }
}

describe.each(['openai', 'openai-compatible'])('testConnection with %s', (provider) => {
  test.each(Object.entries(cases))(
    'testConnection tells this problem from others: %s',
    async (_name, one) => {
      const counter = { requests: 0 }
      const { port, sockets } = await serve(one, counter)
      const proxy = one.config?.proxy === undefined ? {} : { proxy: `http://127.0.0.1:${port}` }
      const config = {
        provider,
        model: 'm',
        baseUrl: `${one.scheme ?? 'http'}://127.0.0.1:${port}/v1`,
        ...one.config,
        ...proxy,
      }
      const test = (timeoutMs: number) => {
        counter.requests = 0
        return failureOf(() => testConnection(config, apiKey, { timeoutMs, context }))
      }
      const startedAt = performance.now()
      let failure = await test(one.problem === 'timeout' ? 400 : 30_000)
      reportFault('testConnection', {
        'cases told apart': 1,
        'ms at most': performance.now() - startedAt,
      })
      // A machine that did something else for so long has not sent the request: once more, with
      // time for that.
      if (one.problem === 'timeout' && counter.requests !== (one.requests ?? 1))
        failure = await test(10_000)
      expect({
        code: failure.code,
        problem: diagnose(failure).problem,
        message: failure.message,
      }).toMatchObject({
        code: one.code,
        problem: one.problem,
      })
      expect(isLlmError(failure)).toBe(true)
      expect(diagnose(failure).fix).toBeTruthy()
      expect(counter.requests).toBe(one.requests ?? 1)
      expect(
        `${failure.stack ?? ''}${inspect(failure, { depth: 20, showHidden: true })}${JSON.stringify(failure)}`,
      ).not.toContain('canary')
      await expect
        .poll(() => sockets.size)
        .toBeLessThanOrEqual(one.code === 'timeout' || one.code === 'limit-exceeded' ? 0 : 1)
    },
  )

  test.each([
    ['OK', 'stop'],
    ['', 'length'],
  ])('testConnection passes on the reply %j that ends by %s', async (text, finish) => {
    const bodies: { max_tokens?: number; max_completion_tokens?: number; messages: unknown }[] = []
    const { port } = await listen(
      createServer((request, response) => {
        let body = ''
        request.on('data', (chunk: Buffer) => (body += chunk.toString()))
        request.on('end', () => {
          bodies.push(JSON.parse(body))
          response.setHeader('content-type', 'application/json')
          response.end(chat(text, finish))
        })
      }),
    )
    const report = await testConnection(
      { provider, model: 'm', baseUrl: `http://127.0.0.1:${port}/v1` },
      apiKey,
      {
        context,
      },
    )
    expect(report.model).toBe('served-model')
    expect(report.latencyMs).toBeGreaterThan(0)
    expect(bodies).toHaveLength(1)
    expect(Object.keys(bodies[0]!)).not.toContain('temperature')
    expect(bodies[0]!.messages).toEqual([{ role: 'user', content: 'Respond with OK' }])
    expect(bodies[0]!.max_tokens ?? bodies[0]!.max_completion_tokens).toBe(
      provider === 'openai' ? 16 : 5,
    )
  })

  test.each([
    ['', 'stop', 'protocol'],
    ['', 'content_filter', 'content-filter'],
  ])('testConnection fails on the reply %j that ends by %s', async (text, finish, code) => {
    const { port } = await listen(createServer(answer(200, JSON.parse(chat(text, finish)))))
    const config = { provider, model: 'm', baseUrl: `http://127.0.0.1:${port}/v1` }
    expect(await failureOf(() => testConnection(config, apiKey, { context }))).toMatchObject({
      code,
    })
  })
})

describe('testConnection', () => {
  const row = (
    createProvider: ProviderRow['creators'] extends infer _
      ? () => ReturnType<typeof createMock>
      : never,
    more: Partial<ProviderRow> = {},
  ): { environment: typeof emptyEnvironment; table: Map<string, ProviderRow> } => ({
    ...context,
    table: new Map([
      [
        'x',
        {
          name: 'x',
          offline: true,
          keyEnv: [],
          needsKey: false,
          model: 'm',
          creators: { createProvider },
          ...more,
        },
      ],
    ]),
  })

  test('testConnection gives up after 15 s, even if nothing honours the signal', async () => {
    const runningTimers = useOwnTimers()
    const deaf = () => new Promise<Response>(() => undefined)
    const failure = failureOf(() =>
      testConnection({ provider: 'openai', apiKey, fetch: deaf }, undefined, { context }),
    )
    await vi.advanceTimersByTimeAsync(14_999)
    let settled = false
    void failure.then(() => {
      settled = true
    })
    await vi.advanceTimersByTimeAsync(0)
    expect(settled).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(await failure).toMatchObject({
      code: 'timeout',
      reason: 'deadline',
      host: 'api.openai.com:443',
      message: 'openai: timeout (deadline) at api.openai.com:443: no reply within 15000 ms',
    })
    expect(runningTimers()).toEqual([])
  })

  test.each([0, -1, Number.NaN, Infinity, 2 ** 31])(
    'a time of %d ms is refused: a timer would fire at once',
    async (timeoutMs) => {
      expect(await failureOf(() => testConnection('mock', undefined, { timeoutMs }))).toMatchObject(
        {
          code: 'config',
          message: expect.stringContaining('timeoutMs') as string,
        },
      )
    },
  )

  test('testConnection gives up on a provider that ignores its options', async () => {
    const never = {
      ...createMock({ responses: ['x'] }),
      generate: () => new Promise<never>(() => undefined),
    }
    expect(
      await failureOf(() =>
        testConnection('x', undefined, { timeoutMs: 30, context: row(() => never) }),
      ),
    ).toMatchObject({ code: 'timeout' })
    const loads: ProviderRow['creators'] = () => new Promise(() => undefined)
    expect(
      await failureOf(() =>
        testConnection('x', undefined, {
          timeoutMs: 30,
          context: row(() => never, { creators: loads }),
        }),
      ),
    ).toMatchObject({ code: 'timeout' })
  })

  test("the key that is given is used, not the environment's; a missing one is reported", async () => {
    const sent: string[] = []
    const fetch = (_: unknown, init?: RequestInit) => {
      sent.push(new Headers(init?.headers).get('authorization') ?? '')
      return Promise.resolve(
        new Response(chat('OK'), { headers: { 'content-type': 'application/json' } }),
      )
    }
    await testConnection({ provider: 'groq', fetch }, apiKey, { context })
    expect(sent).toEqual([`Bearer ${apiKey}`])
    const failure = await failureOf(() =>
      testConnection({ provider: 'groq', fetch }, undefined, { context }),
    )
    expect(failure.message).toContain('GROQ_API_KEY')
    expect(diagnose(failure).problem).toBe('config')
    expect(
      diagnose(
        await failureOf(() =>
          testConnection({ provider: 'groq', fetch }, 'sk-bad\u0000key-0123456789', { context }),
        ),
      ).problem,
    ).toBe('config')
    expect(sent).toHaveLength(1)
  })

  test('an overload is not retried, and no fallback is asked', async () => {
    const mock = createMock({ responses: [{ error: 'overloaded' }, 'OK'] })
    const spare = createMock({ responses: ['OK'] })
    const made = [mock, spare]
    const failure = await failureOf(() =>
      testConnection({ provider: 'x', fallback: [{ provider: 'x' }] }, undefined, {
        context: row(() => made.shift()!),
      }),
    )
    expect(failure.code).toBe('overloaded')
    expect([mock.requests.length, spare.requests.length]).toEqual([1, 0])
    expect(mock.requests[0]).toMatchObject({
      stream: false,
      options: { maxTokens: 5, retry: { attempts: 1 } },
    })
  })

  test('embeddings are tested by an embedding', async () => {
    const urls: string[] = []
    const fetch = (input: unknown) => {
      urls.push(String(input))
      return Promise.resolve(Response.json({ embeddings: [[1, 2]] }))
    }
    expect(
      await testConnection({ provider: 'ollama', fetch }, undefined, { embedding: true, context }),
    ).toMatchObject({
      model: 'nomic-embed-text',
    })
    expect(urls).toEqual(['http://localhost:11434/api/embed'])
  })

  test('an abort stops testConnection with its own reason', async () => {
    const controller = new AbortController()
    const call = testConnection(
      { provider: 'openai', apiKey, fetch: () => new Promise(() => undefined) },
      undefined,
      {
        signal: controller.signal,
        context,
      },
    )
    setTimeout(() => controller.abort(), 5)
    const failure = await failureOf(() => call)
    expect(failure.name).toBe('AbortError')
    expect(diagnose(failure).problem).toBe('aborted')
  })

  test('a timeout of a model in this process is not blamed on the network', () => {
    const fixOf = (provider: string) =>
      diagnose(
        new ProviderError('timeout', `${provider}: 30000 ms have passed`, {
          provider,
          reason: 'deadline',
        }),
      ).fix
    expect(fixOf('llamacpp')).toBe(
      'No reply in time: the model computes in this process, so give it more time, a smaller model or fewer tokens, and see what else uses the processor.',
    )
    expect(fixOf('openai')).toContain('check the network')
  })

  test('diagnose names the host that the allow-list of a sandbox or a proxy lacks', () => {
    const of = (message: string, more: object = {}) =>
      diagnose(
        new ProviderError('network', message, { provider: 'x', host: 'api.x.test:443', ...more }),
      )
    expect(of('x: network at api.x.test:443: Requires net access to "api.x.test:443"')).toEqual({
      problem: 'sandbox',
      fix: 'A sandbox refused the connection: add api.x.test:443 to its allow-list.',
      missingHost: 'api.x.test:443',
    })
    for (const body of [
      'Connection blocked by network allowlist',
      '{"status":"blocked","message":"Domain not in allowlist."}',
      '{"message":"Sandbox policy blocks local/private network addresses."}',
    ]) {
      expect(of('x: 403 permission: no', { status: 403, body }).missingHost).toBe('api.x.test:443')
    }
    for (const message of [
      'Proxy response (403) !== 200 when HTTP Tunneling',
      'Request was cancelled.',
    ]) {
      expect(of(`x: network at api.x.test:443: ${message}`)).toEqual({
        problem: 'proxy',
        fix: 'The proxy refused: check its address and password, and that it allows api.x.test:443.',
        missingHost: 'api.x.test:443',
      })
    }
    expect(
      of('x: network (refused): the proxy 127.0.0.1:9 cannot be reached: connect ECONNREFUSED'),
    ).toEqual({
      problem: 'proxy',
      fix: 'The proxy cannot be reached: start it, or correct its address.',
    })
  })

  test('diagnose recognises a sandbox, and claims nothing about what it does not recognise', () => {
    const of = (cause: string) =>
      diagnose(
        new ProviderError(
          'network',
          'x: network: no',
          { provider: 'x' },
          { cause: Object.assign(new Error('x'), { code: cause }) },
        ),
      ).problem
    expect([of('ERR_ACCESS_DENIED'), of('EAI_AGAIN'), of('ECONNRESET')]).toEqual([
      'sandbox',
      'dns',
      'interrupted',
    ])
    expect(
      diagnose(
        new ProviderError('permission', 'x: 403 permission: blocked-by-sandbox-runtime', {
          provider: 'x',
          status: 403,
        }),
      ).problem,
    ).toBe('sandbox')
    expect(diagnose(new TypeError('x')).problem).toBe('unknown')
    expect(diagnose(new LlmError('unknown', 'x')).problem).toBe('unknown')
  })
})

test.each([
  [90_000, 'the server asks to wait 90 seconds'],
  [3_600_000, 'the server asks to wait 60 minutes'],
])('a server that names how long to wait is quoted: %i ms', (retryAfterMs, text) => {
  const failure = new ProviderError('rate-limit', 'p: too many', {
    provider: 'p',
    host: 'h:443',
    retryAfterMs,
  })
  expect(diagnose(failure).fix).toContain(text)
})

test('a limit of the program itself is not blamed on a server', () => {
  expect(
    diagnose(new LlmError('limit-exceeded', 'the run ended as limit: the same call again')).problem,
  ).toBe('unknown')
})
