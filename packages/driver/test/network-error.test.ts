import { expect, test } from 'vitest'
import { toNetworkError } from '../src/network-error.js'

/** As a `fetch` throws: the reason is somewhere below. */
const thrown = (code: string, message = code, name = 'Error'): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code, name }) })

test.each([
  ['ENOTFOUND', 'network', 'dns', false], ['EAI_AGAIN', 'network', undefined, true], ['ECONNREFUSED', 'network', 'refused', true],
  ['EHOSTUNREACH', 'network', 'refused', true], ['ECONNRESET', 'network', 'reset', true], ['EPIPE', 'network', 'reset', true],
  ['UND_ERR_SOCKET', 'network', 'reset', true], ['ETIMEDOUT', 'timeout', 'connect', true], ['UND_ERR_CONNECT_TIMEOUT', 'timeout', 'connect', true],
  ['CERT_HAS_EXPIRED', 'network', 'tls', false], ['DEPTH_ZERO_SELF_SIGNED_CERT', 'network', 'tls', false], ['ERR_TLS_CERT_ALTNAME_INVALID', 'network', 'tls', false],
  ['SOMETHING_NEW', 'network', undefined, true],
])('%s is %s (%s), tried again: %s', (code, kind, reason, retryable) => {
  const error = toNetworkError(thrown(code), 'p', 'host:443')
  expect([error.code, error.reason, error.retryable, error.host]).toEqual([kind, reason, retryable, 'host:443'])
  expect(error.cause).toMatchObject({ message: code, code })
})

test('what is no HTTP is a protocol error, not tried again', () => {
  const error = toNetworkError(thrown('HPE_INVALID_CONSTANT', 'Expected HTTP/', 'HTTPParserError'), 'p', 'host:80')
  expect([error.code, error.retryable, error.message]).toEqual(['protocol', false, 'p: protocol at host:80: what answers is no HTTP: Expected HTTP/'])
})

test.each([[403, 'proxy', false], [407, 'proxy', false], [502, undefined, true], [503, undefined, true]])('a proxy that answers CONNECT with %i', (status, reason, retryable) => {
  const error = toNetworkError(thrown('UND_ERR_ABORTED', `Proxy response (${status}) !== 200 when HTTP Tunneling`), 'p', 'host:443')
  expect([error.code, error.reason, error.retryable]).toEqual(['network', reason, retryable])
})

test('of several failed addresses the first that says something counts, and nothing foreign is kept', () => {
  const inner = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED', request: { headers: { authorization: 'secret' } } })
  const error = toNetworkError(new TypeError('fetch failed', { cause: new AggregateError([inner], '') }), 'p', undefined)
  expect([error.reason, error.message]).toEqual(['refused', 'p: network (refused): connect ECONNREFUSED 127.0.0.1:1'])
  expect(JSON.stringify(error)).not.toContain('secret')
  expect(Object.keys(error.cause as object)).toEqual(['code'])
  for (const odd of ['text', undefined, null, 7]) expect(toNetworkError(odd, 'p', undefined)).toMatchObject({ code: 'network' })
})
