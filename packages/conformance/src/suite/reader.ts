import type { ToolStreamReader } from '@modelport/core'
import { assert, assertEqual, rejection } from '../assert.js'
import { type Connection, drain, type Lab, question, readOut } from '../lab.js'
import { toReply } from '../memory-server.js'
import { type Rule, ruleAll, type Tests } from '../rule.js'
import { scriptNamed, scriptTools } from '../scripts.js'
import { settle, withoutHang } from '../virtual-clock.js'
import type { WireResponse } from '../wire-format.js'

const { turns } = scriptNamed('text')
const end = { done: true, value: undefined }

/**
 * The wire events of the text reply through its second piece of text, `lo` of `Hello`: APIs open a
 * reply with few or many events without text.
 */
export const throughSecondDelta = ({ pieces }: WireResponse): readonly string[] =>
  pieces.slice(0, pieces.findIndex((piece) => /\blo\b/.test(piece)) + 1)

/**
 * A text reply of which only the first wire events come, through its second piece of text unless
 * said otherwise; then silence.
 */
export function stalled(lab: Lab, pieces?: number): Connection {
  return lab.connect((request) => {
    const response = lab.respond(turns, request)
    return toReply({ ...response, pieces: throughSecondDelta(response).slice(0, pieces) }, 'stall')
  })
}

/** Opens a stream with tools. */
export const open = ({ provider }: Connection, signal?: AbortSignal): Promise<ToolStreamReader> =>
  provider.streamWithTools(question, scriptTools, signal ? { signal } : {})

const driverTests: Tests = {
  'R1 the clean end is done: true, ever after': async (lab) => {
    const reader = await open(lab.play(scriptNamed('text')))
    assert(!(await readOut(reader)).failed, 'the stream failed')
    for (let read = 0; read < 3; read++)
      assertEqual(await reader.next(), end, 'a read after the end')
    const text = await lab.play(scriptNamed('text')).provider.stream('Hello?')
    await drain(text)
    for (let read = 0; read < 3; read++)
      assertEqual(await text.next(), end, 'a read of text after the end')
  },
  'R3 after a failure every read rejects with the same error': async (lab) => {
    const connection = lab.connect((request) => {
      const response = lab.respond(turns, request)
      return toReply({ ...response, pieces: response.pieces.slice(0, -3) }, 'reset')
    })
    const reader = await open(connection)
    const { failed, error } = await readOut(reader)
    assert(
      failed,
      'the connection closed in the middle of the stream: expected a rejection with truncated, found a clean end',
    )
    for (let read = 0; read < 3; read++) {
      assert(
        (await rejection(reader.next(), 'a read after the failure')) === error,
        'another error than before',
      )
    }
    await reader.close()
    assert(
      (await rejection(reader.next(), 'a read after close()')) === error,
      'close() hides the failure',
    )
    assertEqual(connection.requests.length, 1, 'requests')
  },
  'R4 close() settles a parked next() as done and drops the connection': async (lab) => {
    const connection = stalled(lab)
    const reader = await open(connection)
    const parkedRead = readOut(reader)
    await lab.until(() => connection.requests[0]?.stalled === true, 'the read waits')
    await withoutHang(reader.close(), 'close()')
    const { failed, events } = await withoutHang(parkedRead, 'the parked read')
    assert(!failed, 'the parked read rejected')
    assert(
      !events.some(({ type }) => type === 'done' || type === 'turn-end'),
      'a closed stream ended its turn',
    )
    await lab.until(() => connection.requests[0]?.closed === true, 'the connection is dropped')
    assertEqual(lab.clock.pending, 0, 'timers left')
  },
  'R4 close() is idempotent and never rejects, before, during and after': async (lab) => {
    const connection = stalled(lab)
    const unread = await open(connection)
    await Promise.all([unread.close(), unread.close()])
    await unread.close()
    assertEqual(
      await withoutHang(unread.next(), 'a read after close()'),
      end,
      'a read after close()',
    )
    await lab.until(
      () => connection.requests[0]?.closed === true,
      'the connection of a stream never read is dropped',
    )
    const finished = await open(lab.play(scriptNamed('text')))
    await readOut(finished)
    await finished.close()
    assertEqual(await finished.next(), end, 'a read after the end and close()')
    assertEqual(lab.clock.pending, 0, 'timers left')
  },
  'R4 close() drops what was received and not read': async (lab) => {
    const reader = await open(lab.play(scriptNamed('text')))
    await reader.next()
    await reader.close()
    assertEqual(await reader.next(), end, 'a read after close()')
  },
  'R5 break, return and throw in for await close the stream': checkLeavingLoops,
  "R6 an abort rejects parked and later reads with the signal's own reason": async (lab) => {
    for (const reason of [undefined, new Error('enough'), 'a string']) {
      const connection = stalled(lab)
      const controller = new AbortController()
      const reader = await open(connection, controller.signal)
      const parkedRead = readOut(reader)
      await lab.until(() => connection.requests[0]?.stalled === true, 'the read waits')
      controller.abort(reason)
      const { failed, error } = await withoutHang(parkedRead, 'the parked read')
      assert(failed, 'the read of an aborted stream ended as if it were whole')
      assert(
        error === controller.signal.reason,
        `rejected with ${String(error)}, not with the signal's reason`,
      )
      assert(
        (await rejection(reader.next(), 'a later read')) === controller.signal.reason,
        'a later read rejects with another error',
      )
      assertEqual(reader.fullText(), 'Hello', 'fullText() after the abort')
      assert(reader.usage().inputTokens >= 0, 'usage() cannot be read after the abort')
      assertEqual(reader.messages()[0], question[0], 'the first of messages() after the abort')
    }
  },
  'R7, S7 nothing is read ahead beyond one chunk': checkReadAhead,
  'R8 overlapping reads are served in order': async (lab) => {
    const connection = lab.play(scriptNamed('text'))
    const expected = (await readOut(await open(connection))).events
    const reader = await open(connection)
    const reads = await Promise.all(
      Array.from({ length: expected.length + 2 }, () => reader.next()),
    )
    const events = reads.slice(0, -2).map(({ value }) => value)
    assertEqual(events, expected, 'events of overlapping reads')
    assertEqual(reads.slice(-2), [end, end], 'reads beyond the end')
  },
  'R8 overlapping reads of a failing stream: events first, then the same error': async (lab) => {
    const connection = lab.connect((request) => {
      const response = lab.respond(turns, request)
      return toReply({ ...response, pieces: throughSecondDelta(response) }, 'reset')
    })
    const sequential = await readOut(await open(connection))
    const reader = await open(connection)
    const reads = await Promise.allSettled(
      Array.from({ length: sequential.events.length + 2 }, () => reader.next()),
    )
    const values = reads.flatMap((read) => (read.status === 'fulfilled' ? [read.value.value] : []))
    assertEqual(values, sequential.events, 'events before the failure')
    const errors = reads.flatMap((read) =>
      read.status === 'rejected' ? [read.reason as unknown] : [],
    )
    assertEqual(errors.length, 2, 'rejected reads')
    assert(errors[0] === errors[1], 'two reads reject with two errors')
  },
}

/** R1, R3–R8: the reader itself. */
export function readerRules(rule: Rule): void {
  ruleAll(rule.driver, driverTests)
}

async function checkLeavingLoops(lab: Lab): Promise<void> {
  const stops: readonly ((reader: AsyncIterable<unknown>) => Promise<void>)[] = [
    async (reader) => {
      for await (const _ of reader) break
    },
    async (reader) => {
      for await (const _ of reader) return
    },
    async (reader) => {
      const stop = async (): Promise<void> => {
        for await (const event of reader) throw new RangeError(String(event))
      }
      assert(
        (await rejection(stop(), 'the loop')) instanceof RangeError,
        "the loop's own error does not come out",
      )
    },
  ]
  for (const stop of stops) {
    const connection = stalled(lab)
    const reader = await open(connection)
    await withoutHang(stop(reader), 'leaving the loop')
    await lab.until(() => connection.requests[0]?.closed === true, 'the connection is dropped')
    assertEqual(await reader.next(), end, 'a read after the loop')
    assertEqual(lab.clock.pending, 0, 'timers left')
  }
}

/** Reads on to the next delta of text. */
async function readToText(reader: ToolStreamReader): Promise<void> {
  for (;;) {
    const { value, done } = await reader.next()
    if (value?.type === 'text-delta') return
    assert(!done, 'the stream ended early')
  }
}

async function checkReadAhead(lab: Lab): Promise<void> {
  const text = Array.from({ length: 40 }, (_, index) => `word${index} `)
  const connection = lab.connect((request) =>
    toReply(lab.respond([{ text, finish: 'stop', usage: {} }], request)),
  )
  const reader = await open(connection)
  const request = connection.requests[0]
  assert(request, 'no request was sent')
  await settle()
  assert(request.delivered <= 1, `${request.delivered} chunks read before the first next()`)
  let chunksForFirstDelta = 0
  let maxChunksAhead = 0
  for (let word = 0; word < text.length; word++) {
    await readToText(reader)
    await settle(1)
    chunksForFirstDelta ||= request.delivered
    maxChunksAhead = Math.max(maxChunksAhead, request.delivered - word)
  }
  // The first delta may take several chunks, since a vendor opens a reply with events without text;
  // each further delta takes one.
  assert(
    maxChunksAhead <= chunksForFirstDelta,
    `up to ${maxChunksAhead} chunks were read ahead of the consumer, ${chunksForFirstDelta} for the first piece`,
  )
  assert(chunksForFirstDelta <= 8, `${chunksForFirstDelta} chunks were read for the first piece`)
  await reader.close()
}
