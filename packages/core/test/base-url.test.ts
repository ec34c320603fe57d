import { isLlmError, parseBaseUrl } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { reportFault } from '../../../test/support/faults.js'
import { allUrls, hasWebPlatformTests } from '../../../test/support/web-platform-urls.js'

const accepted: [string, string, string][] = [
  [
    'https://my-res.openai.azure.com',
    'https://my-res.openai.azure.com',
    'my-res.openai.azure.com:443',
  ],
  ['HTTPS://Host.example/v1', 'https://host.example/v1', 'host.example:443'],
  ['https://host:0443/v1', 'https://host/v1', 'host:443'],
  ['http://host/', 'http://host', 'host:80'],
  ['http://host:', 'http://host', 'host:80'],
  ['http://[::1]/v1', 'http://[::1]/v1', '[::1]:80'],
  ['https://[::1]:8443/v1', 'https://[::1]:8443/v1', '[::1]:8443'],
  ['https://host?x=1', 'https://host', 'host:443'],
  ['https://host#f', 'https://host', 'host:443'],
  ['https://bücher.example/v1', 'https://xn--bcher-kva.example/v1', 'xn--bcher-kva.example:443'],
  ['  https://host  ', 'https://host', 'host:443'],
  ['https://host.example./v1/', 'https://host.example/v1', 'host.example:443'],
  ['http://0x7f.1/', 'http://127.0.0.1', '127.0.0.1:80'],
  ['http://2130706433:8080//', 'http://127.0.0.1:8080', '127.0.0.1:8080'],
  ['http://[::ffff:127.0.0.1]', 'http://[::ffff:7f00:1]', '[::ffff:7f00:1]:80'],
  ['https://ｅｘａｍｐｌｅ.com', 'https://example.com', 'example.com:443'],
  ['https:\\\\host\\v1', 'https://host/v1', 'host:443'],
  ['https://ex%61mple.com', 'https://example.com', 'example.com:443'],
]
const refused = [
  '',
  ' ',
  'localhost',
  'localhost:11434',
  'host.example/v1',
  'https-proxy.local/v1',
  'https://',
  'http://',
  'ws://h/x',
  'unix:/tmp/s',
  'file:///etc/passwd',
  'ftp://h',
  'https://user:pw@host/v1',
  'https://user@host',
  'https://:pw@host',
  'https://ho\tst/',
  'https://host/\n',
  'https://ho\0st',
  'http://host:0',
  'http://host:65536',
  'http://host:x',
  'http://a b/',
  'http://%00/',
  'http://exa%00mple.com',
  'http://[::1',
  'http://[fe80::1%eth0]/',
  'http://a_b.example/',
  'javascript:alert(1)',
  '//host/v1',
  '/v1',
  'http://256.1.1.1',
]
const shape = /^(\[[0-9a-f:]+\]|[a-z0-9.-]+):[1-9][0-9]{0,4}$/

describe('parseBaseUrl', () => {
  test.each(accepted)('parseBaseUrl accepts %j', (text, href, host) => {
    expect(parseBaseUrl(text)).toEqual({ href, host })
    reportFault('E2', { 'confusing addresses': 1 })
  })

  test.each(refused)('%j is refused, typed, and never repeated', (text) => {
    let caught: unknown
    try {
      parseBaseUrl(text)
    } catch (error) {
      caught = error
    }
    expect(isLlmError(caught, 'invalid-base-url')).toBe(true)
    expect((caught as Error).message).not.toContain('pw')
    reportFault('E2', { 'confusing addresses': 1 })
  })

  test('every URL of the cases of the standard gives a host of the right form or a typed error', () => {
    const inputs = allUrls()
    let hosts = 0
    for (const text of inputs) {
      try {
        const { href, host } = parseBaseUrl(text)
        hosts++
        expect(host, text).toMatch(shape)
        expect(parseBaseUrl(href), text).toEqual({ href, host })
      } catch (error) {
        if (!isLlmError(error, 'invalid-base-url')) throw error
      }
    }
    expect(hosts).toBeGreaterThan(hasWebPlatformTests ? 100 : 40)
    reportFault('E1', {
      'addresses of the cases of the standard': inputs.size,
      usable: hosts,
      untyped: 0,
    })
  })
})
