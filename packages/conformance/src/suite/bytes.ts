import type { StreamEvent } from '@modelport/core'
import { assert, assertEqual } from '../assert.js'
import { disguisedScripts, splits } from '../case-data.js'
import { cannotSay } from '../expectation.js'
import type { Harness } from '../harness.js'
import { type Connection, type Lab, stream, succeeded, type ToResults } from '../lab.js'
import { toBytes, toReply, withBody } from '../memory-server.js'
import type { Rule } from '../rule.js'
import { scriptNamed, scripts } from '../scripts.js'
import { disguises, inBytes, inTwo } from '../wire-text.js'

/**
 * S3, S8: the same bytes, however they are split, and the same events, however they are written,
 * give the same stream. The driver divides bytes into records; one reply and one disguise show that
 * a provider leaves that to it.
 */
export function byteRules(rule: Rule, { format }: Harness): void {
  for (const script of scripts) {
    const { turns } = script
    const declare = script.name === 'text and calls' ? rule.wire : rule.driver
    declare(
      `S3 byte by byte and in random chunks: ${script.name}`,
      async (lab) => {
        const connection = lab.play(script)
        const expected = await eventsOf(connection)
        for (const split of Object.values(splits)) {
          const start = connection.requests.length
          connection.plan = (request, index) => {
            const response = lab.respond(turns, request, index - start)
            return withBody(response, split(toBytes(response)))
          }
          assertEqual(await eventsOf(connection), expected, 'events')
          lab.count('splits')
        }
      },
      { skip: cannotSay(turns, format) },
    )
  }
  for (const name of ['unicode', 'parallel calls', 'usage tail']) {
    const script = scriptNamed(name)
    rule.driver(
      `S3 split in two at every byte: ${name}`,
      (lab) => everySplit(lab, script.turns.slice(0, 1)),
      {
        skip: cannotSay(script.turns, format),
      },
    )
  }
  rule.driver('S3 a whole reply split at every byte', everySplitOfWhole)
  const skip = format.supports.binary ? `${format.api} streams binary frames` : undefined
  for (const [name, disguise] of Object.entries(disguises)) {
    const disguised = async (lab: Lab): Promise<void> => {
      for (const { turns } of disguisedScripts.map(scriptNamed)) {
        const connection = lab.connect((request, index) =>
          toReply(lab.respond(turns, request, index)),
        )
        const expected = await eventsOf(connection)
        for (const split of [undefined, inBytes]) {
          const start = connection.requests.length
          connection.plan = (request, index) => {
            const response = disguise(lab.respond(turns, request, index - start))
            return split ? withBody(response, split(toBytes(response))) : toReply(response)
          }
          assertEqual(await eventsOf(connection), expected, `events with ${name}`)
          lab.count('disguised streams')
        }
      }
    }
    const declare = name === 'CR line ends' ? rule.wire : rule.driver
    declare(`S8 ${name} change nothing`, disguised, { skip })
  }
}

/** All events of one stream; ids that the provider made differ by stream and are left out. */
async function eventsOf(
  connection: Connection,
  toResults?: ToResults,
): Promise<readonly StreamEvent[]> {
  const { events } = await succeeded(stream(connection, {}, undefined, toResults))
  return events
}

const everySplit = (lab: Lab, turns: Turns): Promise<void> =>
  atEveryByte(lab, turns, (connection) => eventsOf(connection, () => []))

const everySplitOfWhole = (lab: Lab): Promise<void> =>
  atEveryByte(lab, scriptNamed('unicode').turns, ({ provider }) => provider.complete('Hello?'))

/** The result is the same wherever the reply's bytes are split in two. */
async function atEveryByte(
  lab: Lab,
  turns: Turns,
  result: (connection: Connection) => Promise<unknown>,
): Promise<void> {
  const connection = lab.connect((request) => toReply(lab.respond(turns, request)))
  const expected = await result(connection)
  let length = 2
  for (let at = 1, next = 1; at < length; at = next) {
    connection.plan = (request) => {
      const response = lab.respond(turns, request)
      const bytes = toBytes(response)
      length = bytes.length
      next = lab.nextCut(bytes, at)
      return withBody(response, inTwo(bytes, at))
    }
    assertEqual(await result(connection), expected, `the result with the bytes split at ${at}`)
    lab.count('splits')
  }
  assert(length > 2, `the reply has only ${length} bytes`)
}

type Turns = Parameters<Lab['respond']>[0]
