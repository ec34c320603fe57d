import type { ProviderError, RetryNotice } from '@modelport/core'
import { assert, assertCode, assertEqual, rejection } from '../assert.js'
import {
  codesByStatus,
  errorBodyText,
  htmlFailure,
  retriedStatuses,
  signInPage,
} from '../case-data.js'
import type { Harness } from '../harness.js'
import { type Connection, drain, type Lab, question, stream, succeeded } from '../lab.js'
import { type ServerReply, toReply } from '../memory-server.js'
import { type Rule, ruleAll, type Tests } from '../rule.js'
import { scriptNamed } from '../scripts.js'
import { throughSecondDelta } from './reader.js'

/**
 * A failed response with a body of the API's own, without one, or with a web page as proxies send
 * it.
 */
export const bodies: Readonly<
  Record<string, (lab: Lab, status: number, headers?: Record<string, string>) => ServerReply>
> = {
  'a JSON body': (lab, status, headers) =>
    toReply(lab.format.failure(status, errorBodyText, headers)),
  'no body': (_, status, headers = {}) => ({ status, headers, steps: [] }),
  'an HTML body': (_, status, headers) => toReply(htmlFailure(status, headers)),
}

const driverTests: Tests = {
  'F3 onRetry is called before each further attempt, and may refuse it': async (lab) => {
    const connection = lab.connectRetrying(() => toReply(lab.format.failure(503, 'later')))
    const notices: (readonly [attempt: number, requests: number])[] = []
    const refusal = new Error('not again')
    const onRetry = ({ attempt }: RetryNotice): void => {
      notices.push([attempt, connection.requests.length])
      if (attempt === 2) throw refusal
    }
    const call = rejection(
      connection.provider.complete('Hello?', { retry: { onRetry } }),
      'the call',
    )
    const error = await lab.clock.run(call, 'the call')
    const expected = [1, 2].map((attempt) => [attempt, attempt])
    assertEqual(
      notices,
      expected,
      'attempts that onRetry was called for, and the requests sent by then',
    )
    assert(error === refusal, `rejected with ${String(error)}, not with what onRetry threw`)
    assertEqual([connection.requests.length, lab.clock.pending], [2, 0], 'requests, timers left')
  },
  'F3 a passing failure is tried again, three attempts in all': async (lab) => {
    for (const status of retriedStatuses) {
      const connection = lab.connectRetrying(() => toReply(lab.format.failure(status, 'later')))
      const call = rejection(connection.provider.complete('Hello?'), `status ${status}`)
      const error = await lab.clock.run(call, `status ${status}`)
      assertEqual(connection.requests.length, 3, `requests with status ${status}`)
      assertEqual((error as ProviderError).attempts, 3, 'attempts')
      const once = rejection(
        connection.provider.complete('Hello?', { retry: { attempts: 1 } }),
        'one attempt',
      )
      await lab.clock.run(once, 'one attempt')
      assertEqual(connection.requests.length, 4, 'requests with one attempt more')
    }
    assertEqual(lab.clock.pending, 0, 'timers left')
  },
  'F3 the reply after a retry is as if nothing had happened': async (lab) => {
    const network = Object.assign(new TypeError('fetch failed'), {
      cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
    })
    const first: readonly ServerReply[] = [
      ...retriedStatuses.map((status) => toReply(lab.format.failure(status, 'later'))),
      { status: 200, headers: {}, steps: [], reject: network },
    ]
    for (const failure of first) {
      const { turns } = scriptNamed('one call')
      const connection = lab.connectRetrying((request, index) =>
        index === 0 ? failure : toReply(lab.respond(turns, request, index - 1)),
      )
      const { reader } = await succeeded(lab.clock.run(stream(connection), 'the stream'))
      assertEqual(reader?.fullText(), 'Cold.', 'fullText()')
      assertEqual(connection.requests.length, 3, 'requests')
      assertEqual(
        connection.requests[1]?.body,
        connection.requests[0]?.body,
        'the second attempt sends the same',
      )
    }
  },
  'F4 a stream is tried again until its first piece, never after it': beforeTheFirstPiece,
  'F4 a turn of its own has attempts of its own': async (lab) => {
    const { turns } = scriptNamed('one call')
    const failing = new Set([0, 1, 3, 4])
    let served = 0
    const connection = lab.connectRetrying((request, index) =>
      failing.has(index)
        ? toReply(lab.format.failure(503, 'later'))
        : toReply(lab.respond(turns, request, served++)),
    )
    await succeeded(lab.clock.run(stream(connection), 'the stream'))
    assertEqual(connection.requests.length, 6, 'requests')
  },
}

const wireTests: Tests = {
  'F1 a web page instead of a response is not a success': async (lab) => {
    const connection = lab.connectRetrying(() => toReply(signInPage))
    for (const call of callsOf(connection)) {
      const error = await lab.clock.run(rejection(call(), 'a web page'), 'a web page')
      assertCode(error, 'protocol', 'a web page')
    }
  },
  'F2 one call is one request, and a failure that will not go away is not tried again': async (
    lab,
  ) => {
    for (const status of codesByStatus.keys()) {
      if (retriedStatuses.includes(status)) continue
      const connection = lab.connectRetrying((_, index) =>
        index
          ? toReply(lab.respond(scriptNamed('text').turns, _))
          : toReply(lab.format.failure(status, 'no')),
      )
      await lab.clock.run(rejection(connection.provider.complete('Hello?'), 'the call'), 'the call')
      assertEqual(connection.requests.length, 1, `requests with status ${status}`)
    }
    const connection = lab.play(scriptNamed('text'))
    for (const call of callsOf(connection)) await call()
    assertEqual(connection.requests.length, 3, 'requests of three calls')
  },
  "F2, F3 the server's own x-should-retry wins over its status": async (lab) => {
    for (const [status, wish, requests] of [
      [400, 'true', 3],
      [503, 'false', 1],
    ] as const) {
      const connection = lab.connectRetrying(() =>
        toReply(lab.format.failure(status, 'no', { 'x-should-retry': wish })),
      )
      await lab.clock.run(rejection(connection.provider.complete('Hello?'), 'the call'), 'the call')
      assertEqual(
        connection.requests.length,
        requests,
        `requests with status ${status} and x-should-retry: ${wish}`,
      )
    }
  },
}

/** F1–F4: failed responses, and what is tried again. */
export function failureRules(rule: Rule, { name }: Harness): void {
  ruleAll(rule.driver, driverTests)
  ruleAll(rule.wire, wireTests)
  for (const [index, [kind, reply]] of Object.entries(bodies).entries()) {
    rule.wire(`F1 every status with ${kind} is a typed error`, async (lab) => {
      for (const [place, [status, expected]] of [...codesByStatus].entries()) {
        const connection = lab.connectRetrying(() =>
          reply(lab, status, { 'x-request-id': 'req-7', 'request-id': 'req-7' }),
        )
        // Each status meets each kind of body, and each kind of call, once: any two of the three
        // are tried together.
        const calls = callsOf(connection)
        const call = calls[(place + index) % calls.length] as () => Promise<unknown>
        const error = await lab.clock.run(rejection(call(), `status ${status}`), `status ${status}`)
        assertCode(error, expected, `status ${status}`)
        assertFacts(error, status, name, kind === 'a JSON body')
      }
    })
  }
}

/** Every kind of call, with one request each. */
export function callsOf({ provider }: Connection): readonly (() => Promise<unknown>)[] {
  return [
    () => provider.complete('Hello?'),
    async () => {
      await drain(await provider.stream('Hello?'))
    },
    async () => {
      await drain(await provider.streamWithTools(question, []))
    },
  ]
}

function assertFacts(error: ProviderError, status: number, name: string, json: boolean): void {
  assertEqual(error.status, status, 'status of the error')
  assertEqual(error.requestId, 'req-7', `requestId of the error with status ${status}`)
  assert(error.provider && error.host, 'the error does not name its provider or host')
  assert(
    error.message.includes(String(status)) && error.message.includes(error.code),
    `the message lacks the status or the code: ${error.message}`,
  )
  if (json)
    assert(
      error.message.includes(errorBodyText),
      `${name}: the message lacks the server's text: ${error.message}`,
    )
}

/** A stream cut after its nth wire event: tried again as long as nothing of the reply was shown. */
async function beforeTheFirstPiece(lab: Lab): Promise<void> {
  const { turns } = scriptNamed('text')
  const kinds = new Set<number>()
  let most = 1
  for (let pieces = 0; pieces <= most; pieces++) {
    const connection = lab.connectRetrying((request, index) => {
      const response = lab.respond(turns, request)
      most = throughSecondDelta(response).length
      return index
        ? toReply(response)
        : toReply({ ...response, pieces: response.pieces.slice(0, pieces) }, 'reset')
    })
    const { failed, error, events, reader } = await lab.clock.run(stream(connection), 'the stream')
    kinds.add(connection.requests.length)
    if (failed) {
      assertCode(error, 'truncated', `cut after ${pieces} wire events`)
      assert(
        events.length > 0,
        `cut after ${pieces} wire events without a piece of the reply, and not tried again`,
      )
      assertEqual(connection.requests.length, 1, 'requests of a stream that had begun')
    } else {
      assertEqual(connection.requests.length, 2, 'requests of a stream that had not begun')
      assertEqual(reader?.fullText(), 'Hello, world!', 'fullText() after the retry')
    }
  }
  assertEqual(
    [...kinds].sort(),
    [1, 2],
    'both happened: a retry before the first piece, none after it',
  )
}
