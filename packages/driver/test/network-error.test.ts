import { expect, test } from 'vitest'
import { toNetworkError } from '../src/failure/network-error.js'

/** As a `fetch` throws: the reason is somewhere below. */
const thrown = (code: string, message = code, name = 'Error'): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code, name }) })

test.each([
  ['ENOTFOUND', 'network', 'dns', false],
  ['EAI_AGAIN', 'network', undefined, true],
  ['ECONNREFUSED', 'network', 'refused', true],
  ['EHOSTUNREACH', 'network', 'refused', true],
  ['ECONNRESET', 'network', 'reset', true],
  ['EPIPE', 'network', 'reset', true],
  ['UND_ERR_SOCKET', 'network', 'reset', true],
  ['ETIMEDOUT', 'timeout', 'connect', true],
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout', 'connect', true],
  ['CERT_HAS_EXPIRED', 'network', 'tls', false],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'network', 'tls', false],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'network', 'tls', false],
  ['SOMETHING_NEW', 'network', undefined, true],
])('%s is %s (%s), tried again: %s', (code, kind, reason, retryable) => {
  const error = toNetworkError(thrown(code), 'p', 'host:443')
  expect([error.code, error.reason, error.retryable, error.host]).toEqual([
    kind,
    reason,
    retryable,
    'host:443',
  ])
  expect(error.cause).toMatchObject({ message: code, code })
})

test.each([
  [
    thrown('UND_ERR_SOCKET', 'other side closed'),
    'p: network (reset) at host:80: other side closed',
  ],
  [
    thrown('HPE_INVALID_CONSTANT', 'Expected HTTP/', 'HTTPParserError'),
    "p: protocol at host:80: the server's response is not HTTP: Expected HTTP/",
  ],
])('a server that breaks off in plain HTTP may use TLS, and the message says so', (error, said) => {
  expect(toNetworkError(error, 'p', 'host:80', false).message).toBe(
    `${said}; if the server uses TLS at this port, write https:// in the base URL`,
  )
  expect(toNetworkError(error, 'p', 'host:80', true).message).toBe(said)
})

test('a response that is not HTTP is a protocol error, not tried again', () => {
  const error = toNetworkError(
    thrown('HPE_INVALID_CONSTANT', 'Expected HTTP/', 'HTTPParserError'),
    'p',
    'host:80',
  )
  expect([error.code, error.retryable, error.message]).toEqual([
    'protocol',
    false,
    "p: protocol at host:80: the server's response is not HTTP: Expected HTTP/",
  ])
})

test("a parser may say so by its code alone, as Node's http does", () => {
  expect(
    toNetworkError(thrown('HPE_CR_EXPECTED', 'Missing expected CR'), 'p', 'host:80'),
  ).toMatchObject({
    code: 'protocol',
    retryable: false,
    message: "p: protocol at host:80: the server's response is not HTTP: Missing expected CR",
  })
})

test.each([
  [
    403,
    'network',
    'proxy',
    false,
    'p: network (proxy) at host:443: the proxy refused the connection with 403: it, or the sandbox that it belongs to, must allow that host',
  ],
  [
    407,
    'auth',
    'proxy',
    false,
    'p: auth (proxy) at host:443: the proxy refused the connection with 407: set a user and password that it knows, http://user:password@host:port',
  ],
  [
    502,
    'network',
    undefined,
    true,
    'p: network at host:443: Proxy response (502) !== 200 when HTTP Tunneling',
  ],
  [
    503,
    'network',
    undefined,
    true,
    'p: network at host:443: Proxy response (503) !== 200 when HTTP Tunneling',
  ],
])('a proxy that answers CONNECT with %i is named', (status, code, reason, retryable, message) => {
  const own = thrown('UND_ERR_ABORTED', `Proxy response (${status}) !== 200 when HTTP Tunneling`)
  // Node's own fetch calls it a cancelled request.
  const cancelled = new TypeError('fetch failed', {
    cause: Object.assign(new Error('Request was cancelled.', { cause: own.cause }), { code: 0 }),
  })
  for (const thrown of [own, cancelled]) {
    const error = toNetworkError(thrown, 'p', 'host:443')
    expect([error.code, error.reason, error.retryable, error.message]).toEqual([
      code,
      reason,
      retryable,
      message,
    ])
    expect(error.status).toBe(reason && status)
  }
})

test('a proxy that is known is named, whatever fails through it', () => {
  const through = (message: string) =>
    toNetworkError(
      Object.assign(
        new Error('fetch failed', {
          cause: Object.assign(new Error(message), { code: 'ECONNREFUSED' }),
        }),
        {
          proxy: 'proxy.local:3128',
        },
      ),
      'p',
      'host:443',
    ).message
  expect(through('nobody there')).toBe(
    'p: network (refused): the proxy proxy.local:3128 cannot be reached: nobody there; start it, or correct its address',
  )
  expect(through('Proxy Authentication Required (407)')).toMatch(
    /^p: auth \(proxy\) at host:443 through the proxy proxy\.local:3128: the proxy refused the connection with 407: /,
  )
})

test('a cancelled request of which no more is known is named', () => {
  expect(
    toNetworkError(
      new TypeError('fetch failed', { cause: new Error('Request was cancelled.') }),
      'p',
      'host:443',
    ).message,
  ).toBe('p: network at host:443: Request was cancelled.')
})

test('the first of several failed addresses that says something counts, and nothing foreign is kept', () => {
  const inner = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), {
    code: 'ECONNREFUSED',
    request: { headers: { authorization: 'secret' } },
  })
  const error = toNetworkError(
    new TypeError('fetch failed', { cause: new AggregateError([inner], '') }),
    'p',
    undefined,
  )
  expect([error.reason, error.message]).toEqual([
    'refused',
    'p: network (refused): connect ECONNREFUSED 127.0.0.1:1',
  ])
  expect(JSON.stringify(error)).not.toContain('secret')
  expect(Object.keys(error.cause as object)).toEqual(['code'])
  for (const odd of ['text', undefined, null, 7])
    expect(toNetworkError(odd, 'p', undefined)).toMatchObject({ code: 'network' })
})

test('an error of OpenSSL is told in its words, without its line numbers, and names the likely reason', () => {
  const line =
    '80BC8C9A6E7F0000:error:0A0000C6:SSL routines:tls_get_more_records:packet length too long:../deps/openssl/ssl.c:662:\n'
  const error = toNetworkError(thrown('ERR_SSL_PACKET_LENGTH_TOO_LONG', line), 'p', 'host:443')
  expect(error.message).toBe(
    'p: network (tls) at host:443: packet length too long; the server does not seem to use TLS at this port: write http:// in the base URL, or correct the port',
  )
  expect(String(error.cause)).not.toContain('deps')
})
