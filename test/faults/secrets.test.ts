import { inspect } from 'node:util'
import { isLlmError } from '@modelport/core'
import type { Fetch } from '@modelport/driver'
import { describe, expect, test } from 'vitest'
import { textsOf } from '../../packages/conformance/src/suite/sinks.js'
import { atSize, reportFault } from '../support/faults.js'
import { random, seed } from '../support/seed.js'
import {
  answerTo,
  apiKey,
  bytesOf,
  question,
  type Target,
  targets,
  textTurn,
  tools,
} from './targets.js'

type Random = () => number
const pick = <T>(next: Random, values: readonly T[]): T =>
  values[Math.floor(next() * values.length)] as T

/** The key as a server may repeat it. */
const forms: readonly ((key: string) => string)[] = [
  (key) => key,
  (key) => `Bearer ${key}`,
  (key) => btoa(key),
  (key) => btoa(`user:${key}`),
  (key) => btoa(`Bearer ${key}`).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
  (key) => encodeURIComponent(key),
  (key) =>
    encodeURIComponent(key).toLowerCase() === key.toLowerCase()
      ? key
      : encodeURIComponent(key).replace(/%../g, (byte) => byte.toLowerCase()),
  (key) => JSON.stringify(key),
  (key) => JSON.stringify(JSON.stringify({ key })),
  (key) => `${key.slice(0, 12)}...`,
  (key) => `${key.slice(0, 20)}*****`,
  (key) => key + key,
]
/** What must be in no output: enough of any form to be of use. */
const needles = [
  apiKey,
  apiKey.slice(0, 12),
  btoa(apiKey).slice(0, -4),
  btoa(`user:${apiKey}`).slice(9, -4),
  btoa(`Bearer ${apiKey}`).slice(12, -4),
]

const statuses = [
  300, 301, 302, 307, 308, 400, 401, 402, 403, 404, 405, 408, 409, 410, 413, 415, 418, 422, 425,
  429, 451, 500, 501, 502, 503, 504, 520, 529, 599,
]
const codes = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'CERT_HAS_EXPIRED',
  'UND_ERR_SOCKET',
  'UND_ERR_HEADERS_TIMEOUT',
  'HPE_INVALID_CONSTANT',
  'ERR_INVALID_CHAR',
  undefined,
]
const headerNames = [
  'x-request-id',
  'request-id',
  'www-authenticate',
  'location',
  'server',
  'retry-after',
  'x-should-retry',
  'set-cookie',
  'content-disposition',
  'cf-ray',
]

/** Replaces a string somewhere in a JSON text by the secret. */
function plant(next: Random, text: string, secret: string): string {
  const strings = [...text.matchAll(/"(?:[^"\\]|\\.)*"/g)]
  const found = pick(next, strings)
  return !strings.length
    ? `${text} ${secret}`
    : text.slice(0, found.index) +
        JSON.stringify(secret) +
        text.slice(found.index + found[0].length)
}

function thrownError(next: Random, secret: string): Error {
  const code = pick(next, codes)
  const inner = Object.assign(
    new Error(
      pick(next, [
        `connect to https://x.test/?key=${secret} failed`,
        `bad header: ${secret}`,
        code ?? 'oops',
      ]),
    ),
    {
      code,
      headers: { authorization: secret },
      url: `https://user:${secret}@x.test`,
      body: secret,
    },
  )
  inner.stack = `Error: ${secret}\n    at ${secret}`
  const shapes = [
    () =>
      Object.assign(new TypeError('fetch failed', { cause: inner }), {
        request: { headers: new Headers({ 'x-api-key': 'x' }), key: secret },
      }),
    () => new AggregateError([inner, new Error(secret)], `all failed: ${secret}`),
    () => inner,
    () => new Error('a', { cause: new Error('b', { cause: inner }) }),
    () => Object.assign(new Error(secret), { name: secret }),
  ]
  return pick(next, shapes)()
}

interface Prepared {
  readonly target: Target
  readonly headers: Record<string, string>
  readonly pieces: readonly string[]
}

/** One failing server, made of chance. */
function failingFetch(next: Random, { target, headers, pieces }: Prepared): Fetch {
  const secret = pick(next, forms)(apiKey)
  const kind = Math.floor(next() * 8)
  return (input, init) => {
    const echo = JSON.stringify(Object.fromEntries(new Headers(init?.headers)))
    if (kind === 0) return Promise.reject(thrownError(next, secret))
    if (kind <= 3) {
      const status = pick(next, statuses)
      const own = target.format.failure(status, `the key ${secret} is wrong`).pieces.join('')
      const body = pick(next, [
        own,
        plant(next, own, secret),
        echo,
        `<html>${echo} ${secret}`,
        `{"error":"${secret}"}`,
        secret,
        `${new URL(input instanceof Request ? input.url : input).href} ${secret}`,
        '',
      ])
      const more = Object.fromEntries(
        [0, 1, 2].map(() => [
          pick(next, headerNames),
          pick(next, [secret, `https://elsewhere.test/?k=${encodeURIComponent(secret)}`, '1']),
        ]),
      )
      return Promise.resolve(
        new Response(body, {
          status,
          headers: {
            'content-type': pick(next, ['application/json', 'text/html', 'text/plain']),
            ...more,
          },
        }),
      )
    }
    // A reply that begins well and then goes wrong, the secret in a piece of it.
    const at = Math.floor(next() * pieces.length)
    const broken = pieces.map((piece, index) =>
      index === at
        ? next() < 0.8
          ? plant(next, piece, secret)
          : piece.replace(/[[{]/, `{"${secret}"`)
        : piece,
    )
    const kept = broken.slice(0, kind === 4 ? Math.ceil(next() * pieces.length) : pieces.length - 1)
    if (kind === 5) kept.push(pieces[0]?.startsWith('{') ? `{${secret}\n` : `data: {${secret}\n\n`)
    if (kind === 6)
      kept.push(
        target.format
          .respondThenFail(
            { finish: 'stop', usage: {} },
            { method: 'POST', path: '/', headers: {}, body: { stream: true } },
            `blocked: ${secret}`,
          )
          .pieces.at(-1) ?? '',
      )
    // Cut in the middle of a record, half of the secret in it.
    const text = kept.join('')
    const bytes = bytesOf(
      target,
      kind === 7 ? text.slice(0, Math.ceil(next() * text.length)) : text,
    )
    return Promise.resolve(
      new Response(
        new ReadableStream(
          {
            pull: (controller) => {
              if (bytes.length) controller.enqueue(bytes)
              if (next() < 0.3) controller.error(thrownError(next, secret))
              else controller.close()
            },
          },
          { highWaterMark: 0 },
        ),
        { headers: { ...headers, 'x-request-id': secret } },
      ),
    )
  }
}

/** Every text in which an error may come to light. */
const sinks = (error: unknown): readonly string[] => [
  ...textsOf(error),
  (error as Error).message,
  (error as Error).stack ?? '',
  inspect(error, { depth: 20, showHidden: true }),
  inspect(new AggregateError([error], 'several', { cause: error }), { depth: 20 }),
  JSON.stringify({ error }),
  JSON.stringify(Object.getOwnPropertyDescriptors(error)),
  inspect(structuredClone(error), { depth: 20 }),
]

describe.each(targets)('$name', (target) => {
  test('no failure shows the key, in any form, through any sink', async () => {
    const { headers, pieces } = await answerTo(target, textTurn)
    const prepared = { target, headers, pieces }
    const count = Math.ceil(atSize(480, 12_000) / targets.length)
    let failures = 0
    let texts = 0
    for (let index = 0; index < count; index++) {
      const mark = `seed ${seed}, failure ${index}`
      const next = random(seed + index)
      const provider = target.create('https://api.fuzz.test', {
        fetch: failingFetch(next, prepared),
        defaults: { retry: { attempts: 1 } },
      })
      const call =
        next() < 0.3
          ? () => provider.complete('Hi')
          : async () => {
              for await (const _ of await provider.streamWithTools(question, tools)) continue
            }
      const error = await call().then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      if (error === undefined) continue
      failures++
      expect(isLlmError(error), `${mark}: ${inspect(error)}`).toBe(true)
      for (const text of sinks(error)) {
        texts++
        for (const needle of needles)
          if (text.includes(needle))
            expect.fail(
              `${mark}: ${text.slice(Math.max(0, text.indexOf(needle) - 200), text.indexOf(needle) + 60)}`,
            )
      }
    }
    expect(failures).toBeGreaterThan(count * 0.8)
    reportFault('K1', { 'fuzzed failures': failures, 'texts searched': texts, hits: 0 })
  })

  test('a key with a character that no key has is refused, and shown nowhere', () => {
    for (const code of [0, 9, 10, 13, 32, 127, 0xa0, 0xe9, 0x2028, 0xfeff, 0xd800]) {
      const key = `${apiKey.slice(0, 20)}${String.fromCharCode(code)}${apiKey.slice(20)}`
      const make = () => target.create('https://api.fuzz.test', { apiKey: key })
      expect(make).toThrow(expect.objectContaining({ code: 'config' }))
      try {
        make()
      } catch (error) {
        for (const text of sinks(error)) expect(text).not.toContain(apiKey.slice(0, 12))
      }
    }
  })

  test('a provider and its readers hold no key in sight', async () => {
    const { headers, pieces } = await answerTo(target, textTurn)
    const provider = target.create('https://api.fuzz.test', {
      fetch: () => Promise.resolve(new Response(bytesOf(target, pieces.join('')), { headers })),
    })
    const reader = await provider.streamWithTools(question, tools)
    for await (const _ of reader) continue
    for (const value of [provider, reader, reader.messages(), reader.usage()]) {
      for (const text of textsOf(value)) expect(text).not.toContain(apiKey.slice(0, 12))
    }
    reportFault('K2', { 'objects searched': 4 })
  })
})
