import { assert, assertCode, assertEqual, rejection } from '../assert.js'
import type { Harness } from '../harness.js'
import type { Connection, Lab } from '../lab.js'
import { readOut, stream, succeeded, textOfEvents } from '../lab.js'
import { type ReplyStep, toReply, withBody } from '../memory-server.js'
import { type Rule, ruleAll, type Tests } from '../rule.js'
import { scriptNamed } from '../scripts.js'
import { withoutHang } from '../virtual-clock.js'
import { open, stalled, throughSecondDelta } from './reader.js'

const { turns } = scriptNamed('text')
const encoder = new TextEncoder()

const driverTests: Tests = {
  'F5 a wait may be an HTTP date': async (lab) => {
    const waited =
      (await waits(lab, { 'retry-after': new Date(Date.now() + 30_000).toUTCString() }))[0] ?? 0
    assert(waited > 20_000 && waited <= 30_000, `waited ${waited} ms for a date 30 s ahead`)
  },
  'F5 a wait beyond 60 s, or beyond the deadline, fails at once and says how long': async (lab) => {
    const far = new Date(Date.UTC(2099, 0)).toUTCString()
    for (const [value, deadlineMs] of Object.entries({
      86400: 0,
      9999999: 0,
      [far]: 0,
      30: 10_000,
    })) {
      const connection = lab.connectRetrying(() =>
        toReply(lab.format.failure(429, 'later', { 'retry-after': value })),
      )
      const start = lab.clock.now()
      const call = connection.provider.complete('Hello?', deadlineMs ? { deadlineMs } : {})
      const error = await withoutHang(rejection(call, value), value)
      assertCode(error, 'rate-limit', value)
      assert((error.retryAfterMs ?? 0) >= 30_000, 'retryAfterMs of the error')
      assertEqual(
        [connection.requests.length, lab.clock.now() - start],
        [1, 0],
        'requests and time',
      )
    }
  },
  'F5 a retry-after that is not a time is ignored': async (lab) => {
    for (const value of ['Infinity', '1e400', '-1', 'soon', 'NaN', '', '0x10']) {
      const [first = 0, second = 0] = await waits(lab, { 'retry-after': value })
      assert(first <= 1000 && second <= 2000, `waited ${first} and ${second} ms for "${value}"`)
      assert(first > 0, `did not wait at all for "${value}"`)
    }
  },
  'F6 a deadline spans attempts, waits and reads': deadlines,
  'F1 a failed response whose body never comes is named by its status': async (lab) => {
    const connection = lab.connectRetrying(() => ({
      status: 400,
      headers: { 'content-type': 'application/json' },
      steps: [encoder.encode('{"error":'), 'stall'],
    }))
    const error = await lab.clock.run(
      rejection(connection.provider.complete('Hello?'), 'the call'),
      'the call',
      10_000,
    )
    assertCode(error, 'invalid-request', 'the call')
    assertEqual(
      [error.status, connection.requests.length, lab.clock.pending],
      [400, 1, 0],
      'status, requests, timers left',
    )
  },
  'S4 silence after the terminal event takes nothing away': async (lab) => {
    const connection = lab.connect((request) => toReply(lab.respond(turns, request), 'stall'), {
      timeouts: { idleMs: 8000, semanticIdleMs: 60_000 },
    })
    const { reader } = await succeeded(lab.clock.run(stream(connection), 'the stream'))
    assertEqual(
      [
        reader?.fullText(),
        connection.requests.length,
        connection.requests[0]?.closed,
        lab.clock.pending,
      ],
      ['Hello, world!', 1, true, 0],
      'text, requests, connection closed, timers left',
    )
  },
  "S4 comments and pings keep the bytes' clock, not the reply's": (lab) =>
    drip(lab, (response) =>
      (response.headers['content-type'] ?? '').includes('event-stream') ? ': ping\n\n' : '\n',
    ),
  'S4 a slow consumer is not taken for a silent server': async (lab) => {
    const connection = lab.play(scriptNamed('text'), {
      timeouts: { idleMs: 1000, semanticIdleMs: 2000 },
    })
    const reader = await open(connection)
    for (let read = await reader.next(); !read.done; read = await reader.next())
      await lab.clock.advance(10_000)
    assertEqual(reader.fullText(), 'Hello, world!', 'fullText()')
  },
}

const wireTests: Tests = {
  'S4 silence after an event runs into the idle limit': silence,
  'F5 the wait that the server asks for is kept': async (lab) => {
    const hints: readonly (readonly [Record<string, string>, number])[] = [
      [{ 'retry-after': '2' }, 2000],
      [{ 'retry-after-ms': '3500' }, 3500],
      [{ 'retry-after': '30', 'retry-after-ms': '1200' }, 1200],
      [{ 'retry-after': '60' }, 60_000],
      [{ 'retry-after': '0' }, 0],
    ]
    for (const [headers, ms] of hints) {
      const waited = (await waits(lab, headers))[0] ?? 0
      assert(
        waited >= ms && waited <= Math.max(ms, 1000),
        `waited ${waited} ms for ${JSON.stringify(headers)}`,
      )
    }
  },
  'F7 a server that sends no headers is given up': async (lab) => {
    const connection = lab.connectRetrying(
      () => ({ status: 200, headers: {}, steps: [], stallHeaders: true }),
      {
        timeouts: { headersMs: 5000 },
      },
    )
    const call = rejection(
      connection.provider.complete('Hello?', { retry: { attempts: 1 } }),
      'the call',
    )
    await lab.until(() => connection.requests[0]?.stalled === true, 'the request waits')
    await lab.clock.advance(4999)
    assertEqual(connection.requests[0]?.closed, false, 'closed before the limit')
    await lab.clock.advance(1)
    const error = await withoutHang(call, 'the call')
    assertCode(error, 'timeout', 'the call')
    assertEqual(error.reason, 'headers', 'reason of the error')
    assertEqual(
      [connection.requests[0]?.closed, lab.clock.pending],
      [true, 0],
      'connection closed, timers left',
    )
  },
}

/** F5–F7, S4: how long anything is waited for, on a virtual clock. */
export function waitingRules(rule: Rule, { format }: Harness): void {
  ruleAll(rule.driver, driverTests)
  ruleAll(rule.wire, wireTests)
  rule.wire(
    "S4, R10 a connection that stays open after the API's last mark is dropped within two seconds",
    dropsAfterLastMark,
    {
      skip: format.supports.lastMark === false ? `${format.api} has no last mark` : undefined,
    },
  )
}

async function dropsAfterLastMark(lab: Lab): Promise<void> {
  const connection = lab.connect((request) => toReply(lab.respond(turns, request), 'stall'))
  const out = stream(connection)
  await lab.until(() => connection.requests[0]?.stalled === true, 'the read waits')
  await lab.clock.advance(2000)
  const { reader } = await succeeded(withoutHang(out, 'the stream'))
  assertEqual(
    [reader?.fullText(), connection.requests[0]?.closed, lab.clock.pending],
    ['Hello, world!', true, 0],
    'text, connection closed, timers left',
  )
}

/** The waits between the three attempts of a call that gets this response each time. */
async function waits(lab: Lab, headers: Record<string, string>): Promise<readonly number[]> {
  const connection = lab.connectRetrying(() => toReply(lab.format.failure(429, 'later', headers)))
  await lab.clock.run(
    rejection(connection.provider.complete('Hello?'), 'the call'),
    'the call',
    60_000,
  )
  assertEqual(connection.requests.length, 3, `requests with ${JSON.stringify(headers)}`)
  const times = connection.requests.map(({ at }) => at)
  return times.slice(1).map((at, index) => at - (times[index] ?? 0))
}

async function deadlines(lab: Lab): Promise<void> {
  const silent: readonly Connection[] = [
    lab.connectRetrying(() => ({ status: 200, headers: {}, steps: [], stallHeaders: true })),
    stalled(lab, 0),
    stalled(lab),
  ]
  for (const connection of silent) {
    const outcome = stream(connection, { deadlineMs: 7000 })
    await lab.until(() => connection.requests[0]?.stalled === true, 'the read waits')
    await lab.clock.advance(6999)
    assertEqual(connection.requests[0]?.closed, false, 'closed before the deadline')
    await lab.clock.advance(1)
    const { error } = await withoutHang(outcome, 'the stream')
    assertCode(error, 'timeout', 'the call')
    assertEqual(error.reason, 'deadline', 'reason of the error')
    await lab.until(() => connection.requests[0]?.closed === true, 'the connection is dropped')
    assertEqual(connection.requests.length, 1, 'requests')
    assertEqual(lab.clock.pending, 0, 'timers left')
  }
}

async function silence(lab: Lab): Promise<void> {
  const connection = lab.connectRetrying(stalled(lab).plan, {
    timeouts: { idleMs: 8000, semanticIdleMs: 60_000 },
  })
  const reader = await open(connection)
  const out = readOut(reader)
  await lab.until(() => connection.requests[0]?.stalled === true, 'the read waits')
  await lab.clock.advance(7999)
  assertEqual(connection.requests[0]?.closed, false, 'closed before the limit')
  await lab.clock.advance(1)
  const { events, error } = await withoutHang(out, 'the read')
  assertCode(error, 'timeout', 'the call')
  assertEqual(error.reason, 'idle', 'reason of the error')
  assertEqual(
    [textOfEvents(events), error.partial?.text],
    ['Hello', 'Hello'],
    'text of the events and of the partial reply',
  )
  assertEqual(
    [connection.requests.length, connection.requests[0]?.closed, lab.clock.pending],
    [1, true, 0],
    'requests, connection closed, timers left',
  )
}

async function drip(
  lab: Lab,
  ping: (response: { readonly headers: Readonly<Record<string, string>> }) => string,
): Promise<void> {
  const connection = lab.connectRetrying(
    (request) => {
      const response = lab.respond(turns, request)
      const begin: ReplyStep[] = throughSecondDelta(response).map((piece) => encoder.encode(piece))
      const pings = Array.from({ length: 40 }, (): ReplyStep[] => [
        { waitMs: 5000 },
        encoder.encode(ping(response)),
      ])
      return withBody(response, [...begin, ...pings.flat(), 'stall'])
    },
    { timeouts: { idleMs: 8000, semanticIdleMs: 60_000 } },
  )
  const out = readOut(await open(connection))
  const start = lab.clock.now()
  const { error } = await lab.clock.run(out, 'the stream')
  const waited = lab.clock.now() - start
  assertCode(error, 'timeout', 'the call')
  assertEqual(error.reason, 'idle', 'reason of the error')
  assert(waited >= 60_000 && waited <= 68_000, `gave up after ${waited} ms, not at 60000`)
  assertEqual(lab.clock.pending, 0, 'timers left')
}
