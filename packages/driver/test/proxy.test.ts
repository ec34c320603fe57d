import { createServer, request as forward, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { inspect } from 'node:util'
import { isLlmError, type ProviderError } from '@modelport/core'
import { createEndpointClient, type ProviderSettings, toProviderError } from '@modelport/driver'
import { afterEach, describe, expect, test } from 'vitest'
import { node } from '../../../test/support/platform.js'
import { parseProxy, proxySecrets } from '../src/transport/proxy.js'
import { createTransport } from '../src/transport/transport.js'

const password = 'pä:ss w%rd/7@x'
const userinfo = `us%er:${encodeURIComponent(password)}`

describe('the address of a proxy', () => {
  test.each([
    ['http://proxy.local:3128', 'http://proxy.local:3128', 'proxy.local:3128', ''],
    [
      'http://srt.x:hunter2@localhost:3128/',
      'http://localhost:3128',
      'localhost:3128',
      'srt.x:hunter2',
    ],
    ['https://token@Proxy.local', 'https://proxy.local', 'proxy.local:443', 'token:'],
    ['http://:only-a-password@[::1]:1', 'http://[::1]:1', '[::1]:1', ':only-a-password'],
    [` http://us%65r:p%40ss%2Fw%3A%C3%A4@h:1 `, 'http://h:1', 'h:1', 'user:p@ss/w:ä'],
    ['http://a:50%@h:1', 'http://h:1', 'h:1', 'a:50%'],
  ])('the address of a proxy may be %s', (text, href, host, userinfo) => {
    expect(parseProxy(text)).toEqual({ href, host, userinfo })
  })

  test.each([
    'proxy.local:3128',
    'user:hunter2@proxy.local:3128',
    'socks5://user:hunter2@h:1',
    'http://user:hunter2@',
    'http://user:hunter2@h:0',
    'http://us\ner:hunter2@h:1',
    'http://user:hunter2@h:99999',
    '',
  ])('%j is rejected, and not repeated in the message', (text) => {
    expect(() => parseProxy(text)).toThrow(
      expect.objectContaining({
        code: 'invalid-base-url',
        message: expect.not.stringContaining('hunter2') as string,
      }),
    )
  })

  test('the address of a proxy has the password as its secret, or the user without one', () => {
    expect(proxySecrets('http://user:p%40ss@h:1')).toEqual(['p%40ss', 'p@ss'])
    expect(proxySecrets('http://token@h:1')).toEqual(['token', 'token'])
    for (const none of [undefined, '', 'nonsense', 'http://h:1'])
      expect(proxySecrets(none).join('')).toBe('')
  })
})

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

/** A proxy that leads, with the password, everywhere to the server that says what it was asked. */
async function startProxy(): Promise<{
  readonly port: number
  readonly asked: string[]
  readonly heard: IncomingMessage[]
  refuse: number
}> {
  const heard: IncomingMessage[] = []
  const proxy = { port: 0, asked: [] as string[], heard, refuse: 0 }
  const target = createServer((request, response) => {
    heard.push(request)
    response.setHeader('content-type', 'application/json').end('{"ok":true}')
  })
  const verdict = ({ headers }: IncomingMessage): number =>
    proxy.refuse ||
    (headers['proxy-authorization'] ===
    `Basic ${Buffer.from(`us%er:${password}`).toString('base64')}`
      ? 200
      : 407)
  const server = createServer((request, response) => {
    proxy.asked.push(`${request.method ?? ''} ${request.url ?? ''}`)
    const status = verdict(request)
    if (status !== 200)
      return response
        .writeHead(status, { 'proxy-authenticate': 'Basic' })
        .end(`you said ${request.headers['proxy-authorization'] ?? ''}`)
    const { 'proxy-authorization': _, ...headers } = request.headers
    return request.pipe(
      forward(
        {
          port: (target.address() as AddressInfo).port,
          path: new URL(request.url ?? '').pathname,
          method: request.method,
          headers,
        },
        (answer) => answer.pipe(response),
      ),
    )
  })
  server.on('connect', (request, client: Socket) => {
    proxy.asked.push(`CONNECT ${request.url ?? ''}`)
    client.on('error', () => undefined)
    const status = verdict(request)
    if (status !== 200)
      return client.end(`HTTP/1.1 ${status} No\r\nproxy-authenticate: Basic\r\n\r\n`)
    const way = connect((target.address() as AddressInfo).port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      way.pipe(client).pipe(way)
    })
    return way.on('error', () => client.destroy())
  })
  for (const one of [target, server]) {
    await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve))
    stops.push(() => {
      one.close()
      one.closeAllConnections()
    })
  }
  proxy.port = (server.address() as AddressInfo).port
  return proxy
}

const ask = (settings: Partial<ProviderSettings>, url = 'http://api.test/v1/x') =>
  createEndpointClient('p', (failure) => toProviderError('p', failure), {
    model: 'm',
    cheapestModel: 'm',
    hosts: [],
    ...settings,
  }).json({ url, body: {}, inBandErrors: false })

const failure = (settings: Partial<ProviderSettings>, url?: string) =>
  ask(settings, url).then(
    () => undefined,
    (error: unknown) => error as ProviderError,
  )

describe.runIf(node)('a proxy that asks for a password', () => {
  test('a proxy that asks for a password gets it, and the server behind it does not', async () => {
    const proxy = await startProxy()
    expect(
      await ask({
        proxy: `http://${userinfo}@127.0.0.1:${proxy.port}`,
        enforceHosts: ['api.test:80'],
      }),
    ).toEqual({
      ok: true,
    })
    expect(proxy.asked).toEqual(['POST http://api.test/v1/x'])
    expect(proxy.heard[0]?.headers).toMatchObject({ host: 'api.test' })
    expect(proxy.heard[0]?.headers).not.toHaveProperty('proxy-authorization')
  })

  test('without the password of a proxy, or with a wrong one, the call fails once like one with a refused key, and names the proxy', async () => {
    const proxy = await startProxy()
    for (const wrong of ['', 'us%25er:wrong-password@', 'token-0123456789@']) {
      for (const url of ['http://api.test/v1/x', 'https://api.test/v1/x']) {
        proxy.asked.length = 0
        const error = await failure({ proxy: `http://${wrong}127.0.0.1:${proxy.port}` }, url)
        const host = url.startsWith('https') ? 'api.test:443' : 'api.test:80'
        expect(error).toMatchObject({
          code: 'auth',
          reason: 'proxy',
          status: 407,
          retryable: false,
          attempts: 1,
          host,
        })
        expect(error?.message).toBe(
          `p: auth (proxy) at ${host} through the proxy 127.0.0.1:${proxy.port}: the proxy refused the connection with 407: set a user and password that it knows, http://user:password@host:port`,
        )
        expect(proxy.asked).toHaveLength(1)
        expect(inspect(error, { depth: 20, showHidden: true })).not.toMatch(
          /wrong-passw|d3JvbmctcGF|token-012345/,
        )
      }
    }
    expect(proxy.heard).toEqual([])
  })

  test('a proxy that asks for a password gets it with the request for a tunnel', async () => {
    const proxy = await startProxy()
    // What is behind speaks no TLS: the way there is open all the same.
    const error = await failure(
      { proxy: `http://${userinfo}@127.0.0.1:${proxy.port}` },
      'https://api.test/v1/x',
    )
    expect(error).toMatchObject({ code: 'network', reason: 'tls' })
    expect(proxy.asked).toEqual(['CONNECT api.test:443'])
  })

  test('a proxy that asks for a password is asked once if it refuses the host, and the error says what must be allowed', async () => {
    const proxy = await startProxy()
    proxy.refuse = 403
    const error = await failure(
      { proxy: `http://${userinfo}@127.0.0.1:${proxy.port}` },
      'https://api.test/v1/x',
    )
    expect(error).toMatchObject({
      code: 'network',
      reason: 'proxy',
      status: 403,
      retryable: false,
      attempts: 1,
    })
    expect(error?.message).toBe(
      `p: network (proxy) at api.test:443 through the proxy 127.0.0.1:${proxy.port}: the proxy refused the connection with 403: it, or the sandbox that it belongs to, must allow that host`,
    )
  })

  test('a header for it among those of the request is refused with its name, and nothing is sent', async () => {
    const proxy = await startProxy()
    const send = createTransport({ proxy: `http://127.0.0.1:${proxy.port}` })
    await expect(
      send('http://api.test/', { headers: { 'proxy-authorization': 'Basic hunter2' } }),
    ).rejects.toMatchObject({
      message: 'fetch failed',
      proxy: `127.0.0.1:${proxy.port}`,
      cause: { code: 'UND_ERR_INVALID_ARG' },
    })
    expect(proxy.asked).toEqual([])
  })

  test('the password of a proxy is in nothing that a failure shows', async () => {
    const header = Buffer.from(`us%er:${password}`).toString('base64')
    const fetch = () =>
      Promise.resolve(
        new Response(`${password} ${encodeURIComponent(password)} ${header}`, { status: 400 }),
      )
    const shown = inspect(await failure({ proxy: `http://${userinfo}@127.0.0.1:1`, fetch }), {
      depth: 20,
      showHidden: true,
    })
    for (const form of [password, encodeURIComponent(password), header.slice(12, -4)])
      expect(shown).not.toContain(form)
    for (const proxy of [
      `http://${userinfo}@`,
      `ftp://${userinfo}@h:1`,
      `http://${userinfo}@h:0`,
    ]) {
      const error = await failure({ proxy })
      expect(isLlmError(error, 'invalid-base-url')).toBe(true)
      expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(
        encodeURIComponent(password),
      )
    }
  })
})
