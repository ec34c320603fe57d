import { isLlmError, type StreamEvent } from '@modelport/core'
import { assert, assertCode, assertEqual, canonical, rejection } from '../assert.js'
import { cutScripts, disguisedScripts, gatewayMark } from '../case-data.js'
import { assertUsage, cannotSay, type DecodedTurn, decodedTurnsOf } from '../expectation.js'
import type { Harness } from '../harness.js'
import {
  type Connection,
  drain,
  type Lab,
  type Outcome,
  stream,
  succeeded,
  textOfEvents,
} from '../lab.js'
import { type ReplyStep, toBytes, toReply, withBody } from '../memory-server.js'
import type { Rule } from '../rule.js'
import type { Script, ScriptTurn } from '../script.js'
import { scriptNamed } from '../scripts.js'
import { withoutHang } from '../virtual-clock.js'

const once = { retry: { attempts: 1 } }

/**
 * S1, S2: a cut stream is never a clean end and never hangs; a reset after the terminal event takes
 * nothing away. What a decoder makes of a cut is shown after every event and in one reply at every
 * byte; the driver finds the cut.
 */
export function truncationRules(rule: Rule, { format }: Harness): void {
  for (const name of cutScripts) {
    const script = scriptNamed(name)
    const skip = cannotSay(script.turns.slice(0, 1), format)
    const declare = name === 'one call' ? rule.wire : rule.driver
    declare(
      `S1 the connection ends at every byte: ${name}`,
      (lab) => cutEverywhere(lab, script, []),
      {
        skip,
        timeoutMs: 180_000,
      },
    )
    declare(
      `S2 the connection is reset at every byte: ${name}`,
      (lab) => cutEverywhere(lab, script, ['reset']),
      {
        skip,
        timeoutMs: 180_000,
      },
    )
  }
  rule.wire('S1 a whole reply cut at every byte', (lab) => cutWhole(lab, []))
  rule.driver('S2 a whole reply reset at every byte', (lab) => cutWhole(lab, ['reset']))
  rule.driver('S2 a reset after the last byte is a success', async (lab) => {
    const { turns } = scriptNamed('parallel calls')
    const connection = lab.connect((request, index) =>
      toReply(lab.respond(turns, request, index), 'reset'),
    )
    const { events } = await succeeded(stream(connection, once))
    const texts = decodedTurnsOf(events).map(({ text }) => text)
    assertEqual(texts, ['', 'Three answers.'], 'text of the turns')
  })
  rule.wire(
    'R2, D9 a stream without its terminal event rejects truncated after every event',
    afterEveryEvent,
  )
  rule.wire(
    'R2, D9 a stream that a gateway closes with [DONE] after a cut rejects truncated',
    closedByGateway,
    {
      skip:
        format.supports.binary || format.supports.jsonRecords === false
          ? 'no gateway writes such a stream'
          : undefined,
    },
  )
}

async function cutEverywhere(lab: Lab, script: Script, tail: readonly ReplyStep[]): Promise<void> {
  const turn = script.turns[0] as ScriptTurn
  const connection = lab.connect((request) => toReply(lab.respond([turn], request)))
  const whole = await stream(connection, once, undefined, () => [])
  assert(!whole.failed, `the whole stream failed: ${String(whole.error)}`)
  const truth = decodedTurnsOf(whole.events)[0] as DecodedTurn
  lab.count('streams')
  let length = 1
  let lost = 0
  for (let at = 0, next = 0; at < length; at = next) {
    connection.plan = (request) => {
      const response = lab.respond([turn], request)
      const bytes = toBytes(response)
      length = bytes.length
      next = lab.nextCut(bytes, at)
      return withBody(response, [bytes.subarray(0, at), ...tail])
    }
    const reading = stream(connection, once, undefined, () => [])
    const outcome = await withoutHang(reading, `cut at ${at}`)
    lab.count('cuts')
    if (outcome.failed) {
      lost += next - at
      assertTruncated(outcome, truth, `cut at ${at} of ${length}`)
    } else assertWhole(lab, outcome, truth, `cut at ${at} of ${length}`)
  }
  // Only the wire's tail may be missing without a loss.
  assert(lost > length / 2, `only ${lost} of ${length} cuts were noticed`)
}

function assertWhole({ format }: Lab, { events }: Outcome, truth: DecodedTurn, what: string): void {
  const turn = decodedTurnsOf(events)[0]
  assert(turn, `${what}: ended without turn-end`)
  assertEqual({ ...turn, usage: 0 }, { ...truth, usage: 0 }, `${what}: the result`)
  const { usage } = turn as DecodedTurn & { readonly usage: { readonly reported?: boolean } }
  if (usage.reported) assertUsage(usage, truth.usage, format, `${what}: usage`)
}

function assertTruncated({ events, error }: Outcome, truth: DecodedTurn, what: string): void {
  assertCode(error, 'truncated', what)
  const { partial } = error
  assert(
    truth.text.startsWith(textOfEvents(events)),
    `${what}: text of the events is not a prefix of the truth`,
  )
  if (events.length) assert(partial, `${what}: the error has no partial reply`)
  assertEqual(partial?.text ?? '', textOfEvents(events), `${what}: partial.text`)
  assertEqual(partial?.reasoning ?? '', reasoningOfEvents(events), `${what}: partial.reasoning`)
  assert(
    truth.reasoning.startsWith(reasoningOfEvents(events)),
    `${what}: reasoning of the events is not a prefix of the truth`,
  )
  for (const event of events) {
    if (event.type !== 'tool-call-complete') continue
    const { name, arguments: values, error: broken } = event.toolCall
    const known = truth.toolCalls.some(
      (whole) =>
        whole.name === name &&
        whole.error === broken &&
        canonical(whole.arguments) === canonical(values),
    )
    assert(
      known,
      `${what}: a tool-call-complete of a call that was cut: ${canonical(event.toolCall)}`,
    )
  }
  for (const [index, call] of (partial?.toolCalls ?? []).entries()) {
    const whole = truth.toolCalls[index]
    assertEqual(call.name, whole?.name, `${what}: name of partial call ${index}`)
    if (call.error === undefined)
      assertEqual(
        call.arguments,
        whole?.arguments,
        `${what}: a partial call without an error is whole`,
      )
    else
      assert(
        whole?.argumentsText.startsWith(call.argumentsText),
        `${what}: arguments of partial call ${index} are not a prefix of the truth`,
      )
  }
}

const reasoningOfEvents = (events: readonly StreamEvent[]): string =>
  events.map((event) => (event.type === 'reasoning-delta' ? event.text : '')).join('')

async function cutWhole(lab: Lab, tail: readonly ReplyStep[]): Promise<void> {
  const { turns } = scriptNamed('unicode')
  const connection = lab.connect((request) => toReply(lab.respond(turns, request)))
  const expected = await connection.provider.complete('Hello?')
  let length = 1
  for (let at = 0, next = 0; at < length; at = next) {
    connection.plan = (request) => {
      const response = lab.respond(turns, request)
      const bytes = toBytes(response)
      length = bytes.length
      next = lab.nextCut(bytes, at)
      return withBody(response, [bytes.subarray(0, at), ...tail])
    }
    const call = withoutHang(connection.provider.complete('Hello?', once), `cut at ${at}`)
    const result = await call.catch((error: unknown) => error)
    lab.count('cuts')
    if (typeof result === 'string')
      assertEqual(result, expected, `text with the reply cut at ${at}`)
    else assertCode(result, 'truncated', `cut at ${at} of ${length}`)
  }
}

/**
 * Gateways that translate between APIs write `[DONE]` whenever the stream behind them ends, also
 * where it was cut. Only a finish reason makes the reply whole; where lines are JSON, the mark is
 * malformed.
 */
async function closedByGateway(lab: Lab): Promise<void> {
  for (const name of disguisedScripts) {
    const { turns } = scriptNamed(name)
    const connection = lab.connect((request) => toReply(lab.respond(turns, request)))
    const whole = await stream(connection, once, undefined, () => [])
    const truth = decodedTurnsOf(whole.events)[0] as DecodedTurn
    let count = Infinity
    for (let pieces = 0; pieces < count; pieces++) {
      connection.plan = (request) => {
        const response = lab.respond(turns, request)
        count = response.pieces.length
        const mark = gatewayMark(response)
        return toReply({ ...response, pieces: [...response.pieces.slice(0, pieces), mark] })
      }
      const outcome = await stream(connection, once, undefined, () => [])
      const what = `${name}: [DONE] after ${pieces} of ${count} wire events`
      if (!outcome.failed) assertWhole(lab, outcome, truth, what)
      else
        assert(
          isLlmError(outcome.error, 'truncated') || isLlmError(outcome.error, 'protocol'),
          `${what}: ${String(outcome.error)}`,
        )
    }
  }
}

/** After every event but those that come with or after the reason the reply ended. */
async function afterEveryEvent(lab: Lab): Promise<void> {
  const { turns } = scriptNamed('text and calls')
  const connection: Connection = lab.connect((request) => toReply(lab.respond(turns, request)))
  const whole = await stream(connection, once, undefined, () => [])
  const semantic = (events: readonly StreamEvent[]): number =>
    events.filter(({ type }) => type !== 'turn-end' && type !== 'done').length
  let count = Infinity
  for (let pieces = 0; pieces < count; pieces++) {
    connection.plan = (request) => {
      const response = lab.respond(turns, request)
      count = response.pieces.length
      return toReply({ ...response, pieces: response.pieces.slice(0, pieces) })
    }
    const reader = await connection.provider.stream('Hello?', once)
    const outcome = await stream(connection, once, undefined, () => [])
    if (!outcome.failed) {
      assertEqual(
        semantic(outcome.events),
        semantic(whole.events),
        `the server closed the connection after ${pieces} of ${count} wire events, and the stream ended as if it were complete; events read`,
      )
      await drain(reader)
      continue
    }
    const what = `closed after ${pieces} of ${count} wire events`
    assertCode(outcome.error, 'truncated', `streamWithTools(), ${what}`)
    assertCode(
      await rejection(drain(reader), `stream(), ${what}`),
      'truncated',
      `stream(), ${what}`,
    )
    assertEqual(reader.finishReason(), undefined, 'finishReason() of a cut stream')
  }
}
