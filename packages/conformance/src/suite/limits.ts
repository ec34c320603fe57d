import { assert, assertCode, assertEqual, rejection } from '../assert.js'
import type { Harness } from '../harness.js'
import { type Lab, stream } from '../lab.js'
import { type ServerReply, toReply, withBody } from '../memory-server.js'
import { type Rule, ruleAll, type Tests } from '../rule.js'
import type { ScriptTurn } from '../script.js'
import { scriptNamed } from '../scripts.js'
import { inChunks } from '../wire-text.js'
import { callsOf } from './failures.js'

const { turns } = scriptNamed('text')
const encoder = new TextEncoder()

const driverTests: Tests = {
  'S10 an event without an end is refused as soon as it is too long': async (lab) => {
    const connection = lab.connect(
      (request) => {
        const endless = inChunks(encoder.encode(`data: {"x":"${'x'.repeat(50_000)}`), 500)
        return withBody(lab.respond(turns, request), [...endless, 'stall'])
      },
      { limits: { maxEventBytes: 2000 } },
    )
    const { failed, error } = await lab.clock.run(stream(connection), 'the stream')
    assert(failed, 'the endless event was accepted')
    assertCode(error, 'limit-exceeded', 'the stream')
    assert(
      (connection.requests[0]?.delivered ?? 0) <= 6,
      `${connection.requests[0]?.delivered ?? 0} chunks of 500 bytes were read`,
    )
    await lab.until(() => connection.requests[0]?.closed === true, 'the connection is dropped')
  },
  "S10 of an error's body at most 64 KiB are kept, and the message stays short": async (lab) => {
    const connection = lab.connect(() => {
      const page = `<p>${'a long story '.repeat(20_000)}</p>`
      return {
        status: 400,
        headers: { 'content-type': 'text/html' },
        steps: inChunks(encoder.encode(page), 8192),
      }
    })
    for (const call of callsOf(connection)) {
      const error = await rejection(call(), 'the call')
      assertCode(error, 'invalid-request', 'the call')
      assert(error.message.length <= 2048, `the message has ${error.message.length} characters`)
      assert(
        (error.body ?? '').length <= 65_536,
        `the body has ${(error.body ?? '').length} characters`,
      )
    }
    assert(
      connection.requests.every(({ delivered }) => delivered <= 10),
      'the whole body was read',
    )
  },
}

const wireTests: Tests = {
  'R9, S10 a body beyond its limit rejects limit-exceeded and is not asked for again': async (
    lab,
  ) => {
    const long: ScriptTurn = {
      text: Array.from({ length: 20 }, () => 'x'.repeat(500)),
      finish: 'stop',
      usage: {},
    }
    await exceeds(lab, { maxBodyBytes: 6000 }, (request) => toReply(lab.respond([long], request)))
  },
  'S10 more tool calls than the limit are refused': async (lab) => {
    const toolCalls = Array.from({ length: 4 }, (_, index) => ({
      id: `call_${index}`,
      name: 'get_weather',
      arguments: { city: 'Oslo' },
    }))
    const turn: ScriptTurn = { toolCalls, finish: 'tool-calls', usage: {} }
    const connection = lab.connect((request) => toReply(lab.respond([turn], request)), {
      limits: { maxToolCalls: 3 },
    })
    const { failed, error } = await stream(connection)
    assert(failed, 'the calls were accepted')
    assertCode(error, 'limit-exceeded', 'the stream')
  },
}

async function manyValues(lab: Lab): Promise<void> {
  const connection = lab.connect(
    (request) =>
      withBody(lab.respond(turns, request), [encoder.encode(`{"a":[${'[],'.repeat(5000)}[]]}`)]),
    { limits: { maxJsonValues: 10_000 } },
  )
  const error = await rejection(connection.provider.complete('Hello?'), 'the call')
  assertCode(error, 'limit-exceeded', 'the call')
  assertEqual(connection.requests.length, 1, 'requests')
}

/** S10: what a server can make us hold. */
export function limitRules(rule: Rule, { format }: Harness): void {
  ruleAll(rule.driver, driverTests)
  ruleAll(rule.wire, wireTests)
  rule.wire(
    'S10 a text of JSON with more values than its limit is refused before it is parsed',
    manyValues,
    {
      skip:
        format.supports.jsonRecords === false
          ? `the records of ${format.api} are not JSON`
          : undefined,
    },
  )
  const skip = format.supports.argumentsText
    ? undefined
    : `${format.api} sends arguments as an object`
  rule.wire(
    'S10 arguments that are too deep or too long are refused',
    async (lab) => {
      const deep = '{"a":'.repeat(1000) + '1' + '}'.repeat(1000)
      for (const argumentsText of [deep, JSON.stringify({ text: 'x'.repeat(4000) })]) {
        const turn: ScriptTurn = {
          toolCalls: [{ id: 'call_1', name: 'get_weather', arguments: {}, argumentsText }],
          finish: 'tool-calls',
          usage: {},
        }
        const connection = lab.connect((request) => toReply(lab.respond([turn], request)), {
          limits: { maxToolArgumentLength: argumentsText === deep ? 1e6 : 2000 },
        })
        const { failed, error, events } = await stream(connection)
        assert(failed, 'the call was accepted')
        assertCode(error, 'limit-exceeded', 'the stream')
        assert(!events.some(({ type }) => type === 'tool-call-complete'), 'the call was completed')
      }
    },
    { skip },
  )
}

async function exceeds(
  lab: Lab,
  limits: { readonly maxBodyBytes: number },
  plan: (request: Parameters<Lab['respond']>[1]) => ServerReply,
): Promise<void> {
  const connection = lab.connect(plan, { limits })
  for (const [index, call] of callsOf(connection).entries()) {
    assertCode(
      await lab.clock.run(rejection(call(), 'the call'), 'the call'),
      'limit-exceeded',
      'the call',
    )
    assertEqual(connection.requests.length, index + 1, 'requests')
    await lab.until(() => connection.requests[index]?.closed === true, 'the connection is dropped')
  }
  assertEqual(lab.clock.pending, 0, 'timers left')
}
