import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suitePath } from './suites.js'

/** What the URL standard says of one input, in the form of the web platform tests. */
export interface UrlCase {
  readonly input: string
  readonly base: string | null
  readonly failure?: boolean
  readonly protocol?: string
  readonly hostname?: string
  readonly port?: string
  readonly username?: string
  readonly password?: string
}

const suite = suitePath('wpt-url')

/** True where the web platform tests themselves are there, which are larger. */
export const hasWebPlatformTests: boolean = suite !== undefined

// By what each is about: input, then the host and port of the standard; nothing where it fails.
const own: readonly (readonly [input: string, hostname?: string | undefined, port?: string])[] = [
  // letters, dots and case
  ['http://example.test', 'example.test'],
  ['HTTPS://EXAMPLE.Test/', 'example.test'],
  ['https://a.b.c.example.test/v1?x=1#y', 'a.b.c.example.test'],
  ['https://example.test./', 'example.test.'],
  ['https://localhost', 'localhost'],
  ['https://x-1.example.test', 'x-1.example.test'],
  ['https://example.test#@other.test/', 'example.test'],
  ['https://example.test?@other.test/', 'example.test'],
  ['https://example.test/@other.test/', 'example.test'],
  ['https://./', '.'],
  ['https://../', '..'],
  ['https://', undefined],
  ['https:///', undefined],
  ['https://#', undefined],
  // slashes of either kind, any number
  ['https:example.test', 'example.test'],
  ['https:/example.test', 'example.test'],
  ['https:////example.test/', 'example.test'],
  ['https:\\\\example.test\\v1', 'example.test'],
  ['https://example.test\\@other.test/', 'example.test'],
  ['  https://example.test  ', 'example.test'],
  // ports
  ['https://example.test:443', 'example.test', ''],
  ['http://example.test:80', 'example.test', ''],
  ['http://example.test:443', 'example.test', '443'],
  ['https://example.test:080', 'example.test', '80'],
  ['https://example.test:', 'example.test', ''],
  ['https://example.test:65535', 'example.test', '65535'],
  ['https://example.test:65536', undefined],
  ['https://example.test:99999999999', undefined],
  ['https://example.test:-1', undefined],
  ['https://example.test:8x', undefined],
  ['https://example.test:8080:80', undefined],
  // user information
  ['https://user@example.test', 'example.test'],
  ['https://user:pw@example.test', 'example.test'],
  ['https://:pw@example.test', 'example.test'],
  ['https://a@b@example.test', 'example.test'],
  ['https://example.test%40other.test', undefined],
  // IPv4 in all its forms
  ['http://127.0.0.1', '127.0.0.1'],
  ['http://127.1', '127.0.0.1'],
  ['http://0x7f.1', '127.0.0.1'],
  ['http://0177.0.0.1', '127.0.0.1'],
  ['http://2130706433', '127.0.0.1'],
  ['http://0x7F000001', '127.0.0.1'],
  ['http://192.168.257', '192.168.1.1'],
  ['http://127.0.0.1.', '127.0.0.1'],
  ['http://256.1.1.1', undefined],
  ['http://1.2.3.4.5', undefined],
  ['http://1.2.3.09', undefined],
  ['http://0x100000000', undefined],
  ['http://foo.1.2.3.4x', 'foo.1.2.3.4x'],
  ['http://foo.09..', 'foo.09..'],
  ['http://foo.0x4', undefined],
  // IPv6
  ['http://[::1]', '[::1]'],
  ['http://[0:0:0:0:0:0:0:1]:8080/', '[::1]', '8080'],
  ['http://[2001:DB8::0:1]', '[2001:db8::1]'],
  ['http://[::ffff:127.0.0.1]', '[::ffff:7f00:1]'],
  ['http://[1::2::3]', undefined],
  ['http://[::1', undefined],
  ['http://[::1%25eth0]', undefined],
  ['http://[12345::]', undefined],
  ['http://[::1]x', undefined],
  // other scripts, and what looks like a letter or a dot
  ['https://bücher.test', 'xn--bcher-kva.test'],
  ['https://BÜCHER.test', 'xn--bcher-kva.test'],
  ['https://faß.test', 'xn--fa-hia.test'],
  ['https://日本.test', 'xn--wgv71a.test'],
  ['https://ｅｘａｍｐｌｅ.test', 'example.test'],
  ['https://example。test', 'example.test'],
  ['https://２.test', '2.test'],
  ['https://exam\u00adple.test', 'example.test'],
  ['https://exam\u200bple.test', 'example.test'],
  ['https://xn--bcher-kva.test', 'xn--bcher-kva.test'],
  ['https://\u00ad', undefined],
  ['https://\u202e.test', undefined],
  ['https://%65xample.test', 'example.test'],
  ['https://%E6%97%A5.test', 'xn--wgv.test'],
  ['https://%ff.test', undefined],
  ['https://%zz.test', undefined],
  // characters that no host has, and some that only the standard lets one have
  ['https://exa mple.test', undefined],
  ['https://exa<mple.test', undefined],
  ['https://exa^mple.test', undefined],
  ['https://exa|mple.test', undefined],
  ['https://exa%00mple.test', undefined],
  ['https://exa%2fmple.test', undefined],
  ['https://exa_mple.test', 'exa_mple.test'],
  ['https://*.test', '*.test'],
  ["https://a'b!c.test", "a'b!c.test"],
  ['https://{a}.test', '{a}.test'],
  // control characters inside, which the standard removes
  ['https://exa\tmple.test', 'example.test'],
  ['https://exa\nmple.test/', 'example.test'],
  ['ht\ttps://example.test', 'example.test'],
  ['\u0000https://example.test', 'example.test'],
  ['https://example.test/\u007f', 'example.test'],
  // no http
  ['', undefined],
  ['example.test', undefined],
  ['//example.test', undefined],
  ['/v1', undefined],
  ['https', undefined],
  ['http//example.test', undefined],
  ['://example.test', undefined],
]
const others = [
  'ftp://example.test',
  'file:///etc/hosts',
  'data:text/plain,x',
  'javascript:1',
  'ws://example.test',
  'mailto:a@b.test',
]

const toCase = ([input, hostname, port = '']: (typeof own)[number]): UrlCase =>
  hostname === undefined
    ? { input, base: null, failure: true }
    : {
        input,
        base: null,
        // oxlint-disable-next-line no-control-regex -- it is about those
        protocol: /^[\u0000-\u0020]*h\s*t\s*t\s*p\s*s/i.test(input) ? 'https:' : 'http:',
        hostname,
        port,
        username:
          /^https:\/\/[a-z]*[@:].*@/.test(input) || input.startsWith('https://user@') ? 'user' : '',
      }

/** The cases of the web platform tests, or our own. */
export function urlCases(): readonly UrlCase[] {
  if (!suite)
    return [
      ...own.map(toCase),
      ...others.map((input) => ({ input, base: null, protocol: 'other:' })),
    ]
  const file = join(suite, 'tests/wpt/urltestdata.json')
  const all = JSON.parse(readFileSync(file, 'utf8')) as readonly (UrlCase | string)[]
  return all.filter((one): one is UrlCase => typeof one !== 'string' && !one.base)
}

/** Every address of the cases, and each as a host too. */
export function allUrls(): ReadonlySet<string> {
  const urls = new Set<string>()
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(collect)
    else if (typeof value === 'object' && value !== null) {
      const { input, base, href } = value as Record<string, unknown>
      for (const text of [input, base, href])
        if (typeof text === 'string') urls.add(text).add(`https://${text}/`)
      Object.values(value).forEach(collect)
    }
  }
  if (!suite) collect(urlCases())
  else
    for (const name of readdirSync(suite, { recursive: true, encoding: 'utf8' }))
      if (name.endsWith('.json')) collect(JSON.parse(readFileSync(join(suite, name), 'utf8')))
  return urls
}
