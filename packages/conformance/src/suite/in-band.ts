import { isLlmError, type ProviderError } from '@modelport/core'
import { assert, assertEqual, rejection } from '../assert.js'
import { failingScripts, inBandErrorText } from '../case-data.js'
import type { Harness } from '../harness.js'
import { type Lab, stream, textOfEvents } from '../lab.js'
import { toReply } from '../memory-server.js'
import type { Rule } from '../rule.js'
import { scriptNamed } from '../scripts.js'
import type { WireResponse } from '../wire-format.js'

/** S6: a failure inside a reply that began well. */
export function inBandRules(rule: Rule, { format }: Harness): void {
  const skip = format.supports.inBandError
    ? undefined
    : `${format.api} reports no failure inside a reply`
  for (const name of failingScripts) {
    rule.wire(
      `S6 a failure after every wire event is typed and keeps what was said: ${name}`,
      (lab) => checkEveryPosition(lab, name),
      { skip },
    )
  }
  rule.wire(
    'S6 a failure before the first piece is tried again when it may pass',
    async (lab) => {
      const { turns } = scriptNamed('text')
      const connection = lab.connectRetrying((request, index) => {
        if (index) return toReply(lab.respond(turns, request))

        const turn = { finish: 'stop', usage: {} } as const
        const response = lab.format.respondThenFail(turn, request, inBandErrorText)
        return toReply({ ...response, pieces: response.pieces.slice(-1) })
      })
      const { failed, error, reader } = await lab.clock.run(stream(connection), 'the stream')
      if (failed) {
        assert(
          isLlmError(error) && !error.retryable,
          `a retryable failure was not tried again: ${String(error)}`,
        )
        assertEqual(connection.requests.length, 1, 'requests')
      } else {
        assertEqual(
          [connection.requests.length, reader?.fullText()],
          [2, 'Hello, world!'],
          'requests and text',
        )
      }
    },
    { skip },
  )
  rule.wire(
    'S6 a failure inside a whole reply',
    async (lab) => {
      const { turns } = scriptNamed('text')
      const turn = turns[0] ?? { finish: 'stop', usage: {} }
      const connection = lab.connectRetrying((request) =>
        toReply(lab.format.respondThenFail(turn, request, inBandErrorText)),
      )
      const call = rejection(connection.provider.complete('Hello?'), 'the call')
      assertReason(await lab.clock.run(call, 'the call'), 'a whole reply')
    },
    { skip },
  )
}

function assertReason(error: unknown, what: string): asserts error is ProviderError {
  assert(isLlmError(error), `${what}: rejected with ${String(error)}`)
  assert(
    !['truncated', 'protocol', 'unknown'].includes(error.code),
    `${what}\n  expected the code of the failure that the server reported (from sink.fail and error())\n  found    ${error.code}: ${error.message}`,
  )
  assert(
    error.message.includes(inBandErrorText),
    `${what}: the error's message lacks the server's text "${inBandErrorText}": ${error.message}`,
  )
}

async function checkEveryPosition(lab: Lab, name: string): Promise<void> {
  const turn = scriptNamed(name).turns[0]
  assert(turn, 'the script has a turn')
  /** Wire events of the reply, the failure included; known from the first response on. */
  let count = 1
  let beginnings = 0
  for (let position = 0; position < count; position++) {
    const connection = lab.connectRetrying((request) => {
      const { pieces, ...response }: WireResponse = lab.format.respondThenFail(
        turn,
        request,
        inBandErrorText,
      )
      count = pieces.length
      return toReply({ ...response, pieces: [...pieces.slice(0, position), ...pieces.slice(-1)] })
    })
    const reading = stream(connection, {}, undefined, () => [])
    const { failed, error, events } = await lab.clock.run(
      reading,
      `failure after ${position} wire events`,
    )
    const what = `failure after ${position} of ${count - 1} wire events`
    assert(failed, `${what}: the stream ended as if it were whole`)
    assertReason(error, what)
    lab.count('positions')
    const attempts = connection.requests.length
    if (events.length) {
      beginnings++
      assertEqual(attempts, 1, `${what}: requests after the reply had begun`)
      assert(error.partial, `${what}: the error has no partial reply`)
      assertEqual(error.partial.text, textOfEvents(events), `${what}: partial.text`)
    } else if (!error.retryable) assertEqual(attempts, 1, `${what}: requests`)
  }
  assert(beginnings > 0, 'no position after the first piece of the reply')
  assertEqual(lab.clock.pending, 0, 'timers left')
}
