import { inspect } from 'node:util'
import { isLlmError } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { dialects } from './dialects.js'
import { count } from './outcome.js'
import { chunked, startRawServer } from './raw-server.js'

const key = 'sk-At/tack+0123456789=Qx72-zyxwvutsrqponmlk'

const hex = (text: string): string => Buffer.from(text).toString('hex')
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const unicode = (text: string, upper = false): string =>
  Array.from(text, (char) => {
    const code = char.charCodeAt(0).toString(16).padStart(4, '0')
    return `\\u${upper ? code.toUpperCase() : code}`
  }).join('')
const percent = (text: string): string =>
  Array.from(text, (char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')

/** The key as servers and proxies echo it, written as it stands in the body. */
const encodings: Readonly<Record<string, (key: string) => string>> = {
  'as it is': (text) => text,
  'with a bearer prefix': (text) => `Bearer ${text}`,
  'after another text': (text) => `xx${text}`,
  'before another text': (text) => `${text}xx`,
  'without its first three characters': (text) => text.slice(3),
  'its first twenty characters': (text) => text.slice(0, 20),
  'its last twenty characters': (text) => text.slice(-20),
  'its middle': (text) => text.slice(8, 28),
  'with escaped slashes': (text) => text.replaceAll('/', '\\/'),
  'with a plus as an escape': (text) => text.replaceAll('+', '\\u002B'),
  'with a plus as a lower-case escape': (text) => text.replaceAll('+', '\\u002b'),
  'in escapes': (text) => unicode(text),
  'in upper-case escapes': (text) => unicode(text, true),
  'percent-encoded': (text) => encodeURIComponent(text),
  'percent-encoded in lower case': (text) =>
    encodeURIComponent(text).toLowerCase().replace(text.toLowerCase(), text),
  'percent-encoded whole': percent,
  'percent-encoded twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'in base64': base64,
  'in base64 without padding': (text) => base64(text).replaceAll('=', ''),
  'in base64url': (text) => Buffer.from(text).toString('base64url'),
  'in base64 after a user name': (text) => base64(`user:${text}`),
  'in base64 twice': (text) => base64(base64(text)),
  'in hexadecimal': hex,
  'in upper-case hexadecimal': (text) => hex(text).toUpperCase(),
  'in JSON inside of JSON': (text) => JSON.stringify(JSON.stringify(text)).slice(1, -1),
  'in quotes': (text) => `\\"${text}\\"`,
  'in brackets': (text) => `[${text}]`,
  'in a web address': (text) => `https://example.test/?key=${encodeURIComponent(text)}&x=1`,
  'as a cookie': (text) => `session=${text}; path=/`,
  'as a curl command': (text) => `curl -H 'authorization: Bearer ${text}'`,
  'twice in a row': (text) => text + text,
  'at the end of a long text': (text) => 'x'.repeat(3000) + text,
  'after a line break': (text) => `\\n${text}`,
  'in base64 with a bearer prefix': (text) => base64(`Bearer ${text}`),
  'in base64url without its first three characters': (text) =>
    Buffer.from(text.slice(3)).toString('base64url'),
  'in hexadecimal with a prefix': (text) => `0x${hex(text)}`,
  'in hexadecimal inside of a word': (text) => `id${hex(text)}id`,
  'percent-encoded in upper case': (text) => percent(text).toUpperCase(),
  'its second half': (text) => text.slice(text.length / 2),
}

const places: Readonly<
  Record<string, (echo: string, error: (message: string) => string) => Buffer[]>
> = {
  'an error body': (echo, error) =>
    chunked(400, 'application/json', [error('ECHO').replace('ECHO', `bad key ${echo} given`)]),
  'an unauthorized reply': (echo, error) =>
    chunked(401, 'application/json', [error('ECHO').replace('ECHO', `key: ${echo}`)]),
  'a page of HTML': (echo) =>
    chunked(502, 'text/html', [`<html><body>upstream said ${echo}</body></html>`]),
  'a header': (echo) =>
    chunked(
      429,
      'application/json',
      ['{}'],
      `x-request-id: ${echo.replaceAll(/[^\x21-\x7e]/g, '')}\r\n`,
    ),
  'a redirect': (echo) =>
    chunked(
      302,
      'text/plain',
      ['moved'],
      `location: http://127.0.0.1/?key=${encodeURIComponent(echo)}\r\n`,
    ),
  'a body of another type': (echo) => chunked(200, 'text/plain', [`you sent ${echo}`]),
}

/** Every text that an error shows anywhere. */
const shown = (error: Error): string =>
  [
    error.message,
    error.stack,
    inspect(error, { depth: 20, showHidden: true }),
    JSON.stringify(error),
  ].join('\n')

/** Runs of twelve characters of the key that a text holds, plainly or once decoded. */
function leaks(text: string): string[] {
  const decoded = [
    text,
    text.replaceAll(/\\u([0-9a-f]{4})/gi, (_, code: string) =>
      String.fromCharCode(parseInt(code, 16)),
    ),
  ]
  decoded.push(decoded[1]!.replaceAll('\\/', '/'))
  for (let index = 0; index < 2; index++)
    decoded.push(
      decoded
        .at(-1)!
        .replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) =>
          String.fromCharCode(parseInt(code, 16)),
        ),
    )
  for (const word of text.match(/[A-Za-z0-9+/_-]{16,}={0,2}/g) ?? []) {
    const once = Buffer.from(word, 'base64').toString('latin1')
    decoded.push(once, Buffer.from(once, 'base64').toString('latin1'))
    if (/^[0-9a-f]+$/i.test(word)) decoded.push(Buffer.from(word, 'hex').toString('latin1'))
  }
  const all = decoded.join('\n')
  return Array.from({ length: key.length - 11 }, (_, at) => key.slice(at, at + 12)).filter((run) =>
    all.includes(run),
  )
}

describe.each(dialects)('secrets in what a server says: $name', (dialect) => {
  test.each(Object.entries(places))(
    'no form of the key passes through %s',
    async (_place, write) => {
      for (const [form, encode] of Object.entries(encodings)) {
        const server = await startRawServer(() => ({
          pieces: write(encode(key), (message) => dialect.error(message)),
        }))
        const provider = dialect.create(server.url, key)
        const error: unknown = await provider
          .complete('Hi', { retry: { attempts: 1 } })
          .catch((thrown: unknown) => thrown)
        expect(isLlmError(error), form).toBe(true)
        expect(leaks(shown(error as Error)), form).toEqual([])
      }
      count(Object.keys(encodings).length)
    },
  )
})
