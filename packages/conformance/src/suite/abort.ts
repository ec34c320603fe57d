import { assert, assertEqual, rejection } from '../assert.js'
import { type Connection, drain, type Lab, question, readOut, stream } from '../lab.js'
import { toBytes, toReply, withBody } from '../memory-server.js'
import { type Rule, ruleAll, type Tests } from '../rule.js'
import { scriptNamed, scriptTools } from '../scripts.js'
import { settle, withoutHang } from '../virtual-clock.js'
import { callsOf } from './failures.js'

const driverTests: Tests = {
  'S5 aborted inside a whole reply': async (lab) => {
    const { turns } = scriptNamed('text')
    const half = (bytes: Uint8Array): Uint8Array => bytes.subarray(0, bytes.length / 2)
    const connection = lab.connect((request) => {
      const response = lab.respond(turns, request)
      return withBody(response, [half(toBytes(response)), 'stall'])
    })
    await abortedAt(lab, connection, wholes)
  },
  'S5 aborted in the second turn': async (lab) => {
    const { turns } = scriptNamed('one call')
    const connection = lab.connect((request, index) =>
      index
        ? toReply({ ...lab.respond(turns, request, 1), pieces: [] }, 'stall')
        : toReply(lab.respond(turns, request)),
    )
    const controller = new AbortController()
    const outcome = stream(connection, { signal: controller.signal })
    await lab.until(() => connection.requests[1]?.stalled === true, 'the second turn waits')
    controller.abort()
    assertReason((await withoutHang(outcome, 'the stream')).error, controller.signal)
    await lab.until(() => connection.requests[1]?.closed === true, 'the connection is dropped')
    assertEqual(lab.clock.pending, 0, 'timers left')
  },
  'S5 aborted while waiting to try again': async (lab) => {
    const connection = lab.connectRetrying(() =>
      toReply(lab.format.failure(503, 'later', { 'retry-after': '20' })),
    )
    for (const start of [0, 1]) {
      const controller = new AbortController()
      const { signal } = controller
      const call = start
        ? stream(connection, { signal }).then(({ error }) => Promise.reject(error as Error))
        : connection.provider.complete('Hello?', { signal })
      const outcome = rejection(call, 'the call')
      const waits = (): boolean =>
        connection.requests.length === start + 1 && lab.clock.dueWithin(20_000)
      await lab.until(waits, 'the call waits to try again')
      controller.abort()
      assertReason(await withoutHang(outcome, 'the call'), signal)
      await lab.clock.advance(60_000)
      assertEqual(
        [connection.requests.length, lab.clock.pending],
        [start + 1, 0],
        'requests, timers left',
      )
    }
  },
  'S5 aborted between reads, and between turns': async (lab) => {
    const connection = lab.play(scriptNamed('one call'))
    const controller = new AbortController()
    const reader = await connection.provider.streamWithTools(question, scriptTools, {
      signal: controller.signal,
    })
    for (
      let read = await reader.next();
      read.value?.type !== 'turn-end';
      read = await reader.next()
    )
      assert(!read.done, 'the stream ended early')
    controller.abort()
    assertReason(await rejection(reader.next(), 'a read'), controller.signal)
    assertEqual([connection.requests.length, lab.clock.pending], [1, 0], 'requests, timers left')
  },
  'S5 an abort after the end changes nothing': async (lab) => {
    const controller = new AbortController()
    const { provider } = lab.play(scriptNamed('text'))
    const reader = await provider.streamWithTools(question, [], { signal: controller.signal })
    await readOut(reader)
    controller.abort()
    assertEqual(await reader.next(), { done: true }, 'a read after the end and an abort')
  },
  'S12 two hundred streams on one signal leave no listener on it': listeners,
}

const wireTests: Tests = {
  'S5 aborted before the call: no request': async (lab) => {
    const connection = lab.play(scriptNamed('text'))
    const signal = AbortSignal.abort(new Error('never mind'))
    const { provider } = connection
    const calls = [
      () => provider.complete('Hello?', { signal }),
      () => provider.completeWithHistory(question, { signal }),
      () => provider.generate(question, { signal }),
      () => provider.stream('Hello?', { signal }),
      () => provider.streamWithHistory(question, { signal }),
      () => provider.streamWithTools(question, scriptTools, { signal }),
    ]
    for (const call of calls) assertReason(await rejection(call(), 'an aborted call'), signal)
    assertEqual([connection.requests.length, lab.clock.pending], [0, 0], 'requests, timers left')
  },
  'S5 aborted while waiting for the headers': async (lab) => {
    const silent = lab.connect(() => ({ status: 200, headers: {}, steps: [], stallHeaders: true }))
    await abortedAt(lab, silent, [...streams, ...wholes])
  },
}

/**
 * S5, S7, S12: an abort at any point rejects with the signal's reason, closes the connection and
 * leaves nothing behind.
 */
export function abortRules(rule: Rule): void {
  ruleAll(rule.driver, driverTests)
  ruleAll(rule.wire, wireTests)
  for (const name of ['text', 'parallel calls']) {
    rule.driver(`S5 aborted after every wire event: ${name}`, async (lab) => {
      const { turns } = scriptNamed(name)
      let count = 1
      for (let pieces = 0; pieces < count; pieces++) {
        const connection = lab.connect((request) => {
          const response = lab.respond(turns, request)
          count = response.pieces.length
          return toReply({ ...response, pieces: response.pieces.slice(0, pieces) }, 'stall')
        })
        await abortedAt(lab, connection, streams)
      }
      assert(count > 3, `only ${count} wire events`)
    })
  }
}

/**
 * Starts each of the calls on a silent server, aborts it once it waits, and checks that nothing is
 * left.
 */
async function abortedAt(lab: Lab, connection: Connection, calls: readonly Call[]): Promise<void> {
  for (const [index, call] of calls.entries()) {
    const controller = new AbortController()
    const outcome = rejection(call(connection, controller.signal), 'an aborted call')
    await lab.until(() => connection.requests[index]?.stalled === true, 'the call waits')
    controller.abort(index ? new Error('enough') : undefined)
    assertReason(await withoutHang(outcome, 'the aborted call'), controller.signal)
    await lab.until(() => connection.requests[index]?.closed === true, 'the connection is dropped')
    lab.count('aborts')
    assertEqual(
      [connection.requests.length, lab.clock.pending],
      [index + 1, 0],
      'requests, timers left',
    )
  }
}

type Call = (connection: Connection, signal: AbortSignal) => Promise<unknown>

const streams: readonly Call[] = [
  async ({ provider }, signal) => {
    await drain(await provider.streamWithTools(question, scriptTools, { signal }))
  },
  async ({ provider }, signal) => {
    await drain(await provider.stream('Hello?', { signal }))
  },
]
const wholes: readonly Call[] = [
  ({ provider }, signal) => provider.complete('Hello?', { signal }),
  ({ provider }, signal) => provider.generate(question, { signal }),
]

function assertReason(error: unknown, { reason }: AbortSignal): void {
  assert(error === reason, `rejected with ${String(error)}, not with the signal's own reason`)
}

async function listeners(lab: Lab): Promise<void> {
  const controller = new AbortController()
  const { signal } = controller
  let count = 0
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  const abortListeners = new Set<unknown>()
  signal.addEventListener = (...parameters: Parameters<typeof add>) => {
    abortListeners.add(parameters[1])
    count++
    add(...parameters)
  }
  signal.removeEventListener = (...parameters: Parameters<typeof remove>) => {
    abortListeners.delete(parameters[1])
    remove(...parameters)
  }
  const good = lab.play(scriptNamed('text'))
  const bad = lab.connect(() => toReply(lab.format.failure(400, 'no')))
  for (let time = 0; time < 40; time++) {
    await stream(good, { signal })
    await good.provider.complete('Hello?', { signal })
    await rejection(bad.provider.complete('Hello?', { signal }), 'a bad call')
    await (await good.provider.stream('Hello?', { signal })).close()
    const unfinished = await good.provider.streamWithTools(question, [], { signal })
    await unfinished.next()
    await unfinished.return?.()
  }
  await settle()
  assert(count >= 200, `the signal was listened to ${count} times in 200 calls`)
  assertEqual(abortListeners.size, 0, 'listeners left')
  assertEqual(lab.clock.pending, 0, 'timers left')
  await Promise.all(callsOf(good).map((call) => call()))
}
