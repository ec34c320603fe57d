import { isLlmError } from '@modelport/core'
import { assert, assertCode, assertEqual, rejection } from '../assert.js'
import type { Harness } from '../harness.js'
import { type Connection, type Lab, stream, succeeded } from '../lab.js'
import { type ServerReply, toReply } from '../memory-server.js'
import { type Rule, ruleAll, type Tests } from '../rule.js'
import { scriptNamed } from '../scripts.js'
import { brokenPiece } from '../wire-text.js'
import { assertClean, formsOf, textsOf } from './sinks.js'

const { turns } = scriptNamed('text')
const redirects = [301, 302, 303, 307, 308]

const wireTests: Tests = {
  'K4 a redirect is refused, and nothing is sent to its target': async (lab) => {
    for (const status of redirects) {
      for (const location of [
        'https://elsewhere.example/v1',
        '/v2',
        'http://user:pw@elsewhere.example/',
      ]) {
        const connection = lab.connectRetrying(() => ({ status, headers: { location }, steps: [] }))
        for (const call of [
          () => connection.provider.complete('Hello?'),
          () => connection.provider.stream('Hello?'),
        ]) {
          const error = await rejection(call(), `status ${status}`)
          assertCode(error, 'redirect-refused', `status ${status}`)
        }
        lab.count('redirects', 2)
        assertEqual(connection.requests.length, 2, `requests with status ${status}`)
        for (const { redirect } of connection.requests)
          assert(redirect !== 'follow', 'fetch was told to follow redirects')
      }
    }
  },
  'E1 enforceHosts: a host that is not listed is refused before anything is sent': async (lab) => {
    const connection = lab.play(scriptNamed('text'), { enforceHosts: ['other.example:443'] })
    for (const call of [
      () => connection.provider.complete('Hello?'),
      () => connection.provider.stream('Hello?'),
    ]) {
      assertCode(await rejection(call(), 'the call'), 'config', 'the call')
    }
    assertEqual(connection.requests.length, 0, 'requests')
  },
  "E1 enforceHosts: true allows the provider's own hosts, and it asks no other": async (lab) => {
    const connection = lab.play(scriptNamed('two turns'), { enforceHosts: true })
    await succeeded(stream(connection))
    const hosts = new Set(connection.requests.map(({ url }) => new URL(url).host))
    assertEqual(hosts.size, 1, `hosts asked: ${[...hosts].join(', ')}`)
  },
}

/** K1, K2, K4, E1: no secret leaves, no host but the expected one is asked. */
export function secretRules(rule: Rule, { apiKey, format }: Harness): void {
  ruleAll(rule.wire, wireTests)
  const skip = apiKey === undefined ? 'the provider has no key' : undefined
  const key = apiKey ?? ''
  for (const [name, reply] of Object.entries(leaks)) {
    const declare = drivers.includes(name) ? rule.driver : rule.wire
    declare(
      `K1 the key is in no output: ${name}`,
      async (lab) => {
        for (const shown of formsOf(key)) {
          const connection = lab.connectRetrying((request) => reply(lab, shown, request))
          for (const call of [
            () => connection.provider.complete('Hello?'),
            () => failing(connection),
          ]) {
            const error = await lab.clock.run(rejection(call(), name), name)
            assert(isLlmError(error), `rejected with ${String(error)}`)
            assertClean(error, key, name)
            lab.count('failures searched')
          }
        }
      },
      {
        skip:
          skip ??
          (name.startsWith('a failure inside') && !format.supports.inBandError
            ? `${format.api} reports no failure inside a reply`
            : undefined),
      },
    )
  }
  rule.wire(
    'K1 a shorter start of the key is found too',
    async (lab) => {
      const connection = lab.connectRetrying(() =>
        toReply(lab.format.failure(401, `Incorrect API key provided: ${key.slice(0, 14)}****`)),
      )
      const error = await rejection(connection.provider.complete('Hello?'), 'the call')
      const texts = textsOf(error)
      assert(
        !texts.some((text) => text.includes(key.slice(0, 12))),
        `the start of the key is in the error: ${texts.find((text) => text.includes(key.slice(0, 12))) ?? ''}`,
      )
    },
    { skip: skip ?? (key.length < 20 ? 'the key is too short' : undefined) },
  )
  rule.wire(
    'K2 the key is on no object',
    async (lab) => {
      const connection = lab.play(scriptNamed('one call'))
      const { reader } = await stream(connection)
      for (const value of [connection.provider, reader, reader?.messages()])
        assertClean(value, key, 'an object')
      const sent = connection.requests[0]
      const head = JSON.stringify([sent?.headers, sent?.path])
      assert(
        formsOf(key).some((form) => head.includes(form)),
        'the key that the harness names was not sent: what is searched for is another',
      )
    },
    { skip },
  )
}

async function failing(connection: Connection): Promise<string> {
  const { error, failed } = await stream(connection)
  if (failed) throw error as Error
  return 'no failure'
}

type Leak = (lab: Lab, shown: string, request: Parameters<Lab['respond']>[1]) => ServerReply

const leaks: Readonly<Record<string, Leak>> = {
  'a 401 that repeats it in body and headers': (lab, shown) =>
    toReply(
      lab.format.failure(401, `Incorrect API key provided: ${shown}.`, {
        'x-request-id': shown,
        'request-id': shown,
        'www-authenticate': `Bearer realm="${shown}"`,
      }),
    ),
  'a retried 503 that repeats it': (lab, shown) =>
    toReply(lab.format.failure(503, `overloaded for ${shown}`, { 'x-request-id': shown })),
  'a 400 with a body that is not JSON': (_, shown) =>
    toReply({
      status: 400,
      headers: { 'content-type': 'text/plain' },
      pieces: [`bad header: ${shown}`],
    }),
  'a web page': (_, shown) =>
    toReply({
      status: 502,
      headers: { 'content-type': 'text/html' },
      pieces: [`<p>Authorization: Bearer ${shown}</p>`],
    }),
  'a redirect to an address with it': (_, shown) => ({
    status: 302,
    headers: { location: `https://elsewhere.example/?key=${encodeURIComponent(shown)}` },
    steps: [],
  }),
  'a transport that names it': (_, shown) => ({
    status: 200,
    headers: {},
    steps: [],
    reject: transportError(shown),
  }),
  'a broken record with it': (lab, shown, request) => {
    const response = lab.respond(turns, request)
    return toReply({
      ...response,
      pieces: [brokenPiece(response, `{"echo ${shown}`), ...response.pieces.slice(1)],
    })
  },
  'a failure inside the reply that repeats it': (lab, shown, request) => {
    const turn = { text: [`You sent ${shown}`], finish: 'stop', usage: {} } as const
    return toReply(lab.format.respondThenFail(turn, request, `key ${shown} is blocked`))
  },
}

/** What the driver reads, sends or tries again on its own, without the provider's `error`. */
const drivers: readonly string[] = [
  'a retried 503 that repeats it',
  'a web page',
  'a redirect to an address with it',
]

function transportError(shown: string): Error {
  const inner = Object.assign(new Error(`connect to https://x.example/?key=${shown} failed`), {
    code: 'ECONNREFUSED',
    headers: { authorization: shown },
  })
  return Object.assign(new TypeError('fetch failed', { cause: inner }), {
    request: { headers: { authorization: `Bearer ${shown}` } },
  })
}
