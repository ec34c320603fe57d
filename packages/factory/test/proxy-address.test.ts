import { expect, test } from 'vitest'
import { parseProxy as parseInDriver } from '../../driver/src/transport/proxy.js'
import { resolveModel } from '../src/index.js'
import { emptyEnvironment } from './support.js'

/**
 * What a parser reads from an address: host and authorization; undefined if it rejects the address.
 */
const read = <T>(parse: () => T): T | undefined => {
  try {
    return parse()
  } catch {
    return undefined
  }
}
const basic = (userinfo: string): string | undefined =>
  userinfo ? `Basic ${Buffer.from(userinfo).toString('base64')}` : undefined

// docs/architecture.md says why there are two: they must not differ.
test.each([
  'http://proxy.local:3128',
  'https://Proxy.local',
  ' http://proxy.local/ ',
  'http://user:hunter2@proxy.local:3128',
  'http://token@[::1]:1',
  'http://:only-a-password@h:1',
  'http://:@h:1',
  'http://@h:1',
  'http://us%65r:p%40ss%2Fw%3A%C3%A4@h:1',
  'http://a:50%@h:1',
  'http://ä:ö@h:1',
  'http://h:1/path?query',
  'http://u:p@h:1/path#hash',
  'http://u:p@h:0',
  'http://u:p@h:99999',
  'http://u:p@',
  'http://us\ner:p@h:1',
  'socks5://u:p@h:1',
  'proxy.local:3128',
  'u:p@h:1',
  '//h:1',
  'http:h:1',
  'http://h o:1',
])('%j is the same proxy for lists of hosts and for whoever dials it', (address) => {
  const dialled = read(() => parseInDriver(address))
  const listed = read(
    () =>
      resolveModel({ provider: 'openai', proxy: address }, { environment: emptyEnvironment }).proxy,
  )
  expect(listed && { href: listed.href, host: listed.host, told: listed.authorization() }).toEqual(
    dialled && { href: dialled.href, host: dialled.host, told: basic(dialled.userinfo) },
  )
})
