import { describe, expect, test } from 'vitest'
import { randomBelow, seed } from '../support/seed.js'
import { dialects } from './dialects.js'
import { attackTimeout, count, outcomeOf, tries } from './outcome.js'
import { chunked, startRawServer } from './raw-server.js'

const key = 'sk-Attack0123456789-Qx72-zyxwvutsrqponmlk'
type Below = (below: number) => number

/** One change to bytes: flip, cut out, double, swap, insert, or end early. */
function mutate(bytes: Buffer, below: Below): Buffer<ArrayBuffer> {
  const at = below(bytes.length)
  const length = 1 + below(40)
  const part = bytes.subarray(at, at + length)
  const before = bytes.subarray(0, at)
  const after = bytes.subarray(at + length)
  switch (below(7)) {
    case 0: {
      const flipped = Buffer.from(bytes)
      flipped[at] = flipped[at]! ^ (1 << below(8))
      return flipped
    }
    case 1:
      return Buffer.concat([before, after])
    case 2:
      return Buffer.concat([before, part, part, after])
    case 3:
      return Buffer.concat([before, after, part])
    case 4:
      return Buffer.concat([
        before,
        Buffer.from(['\r', '\n\n', '\0', '"', '{', ']', 'data: ', '\ufeff', '9e999'][below(9)]!),
        bytes.subarray(at),
      ])
    case 5:
      return Buffer.from(before)
    default:
      return Buffer.concat([before, Buffer.from(Array.from({ length }, () => below(256))), after])
  }
}

/** The same bytes in other pieces. */
function split(bytes: Buffer, below: Below): Buffer[] {
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const length = 1 + below(below(2) ? 5 : 400)
    pieces.push(bytes.subarray(at, at + length))
    at += length
  }
  return pieces
}

describe.each(dialects)('mutated streams: $name', { timeout: attackTimeout }, (dialect) => {
  test('mutated streams end in a value or a typed error that does not depend on how the bytes were split', async () => {
    const below = randomBelow(seed + dialect.name.length)
    const server = await startRawServer(() => ({ pieces: [] }))
    const provider = dialect.create(server.url, key)
    const rounds = tries(60, 4000)
    for (let round = 0; round < rounds; round++) {
      let bytes: Buffer = Buffer.from(dialect.stream)
      for (let changes = 1 + below(3); changes > 0; changes--) bytes = mutate(bytes, below)
      const one = split(bytes, below)
      const other = split(bytes, below)
      server.reply = () => ({ pieces: chunked(200, dialect.type, one) })
      const first = await outcomeOf(provider)
      server.reply = () => ({ pieces: chunked(200, dialect.type, other) })
      expect(await outcomeOf(provider), JSON.stringify(bytes.toString())).toEqual(first)
    }
    count(rounds * 2)
  })

  test('mutated streams that are cut by a reset or a clean end are never a success before their terminal mark', async () => {
    const below = randomBelow(seed + 1)
    const server = await startRawServer(() => ({ pieces: [] }))
    const provider = dialect.create(server.url, key)
    const whole = Buffer.from(dialect.stream)
    const rounds = tries(40, 2000)
    for (let round = 0; round < rounds; round++) {
      // Up to here no API has said how the reply ended.
      const end = Math.floor((whole.length * (1 + below(60))) / 100)
      const pieces = chunked(200, dialect.type, split(whole.subarray(0, end), below)).slice(0, -1)
      server.reply = () => ({ pieces, then: below(2) ? 'reset' : 'end' })
      const outcome = await outcomeOf(provider)
      const sent = whole.subarray(0, end).toString()
      expect(outcome.end, sent).toMatch(/^error /)
      // A call that the cut left open is never reported as complete. (A call that the wire closed
      // before the cut is whole.)
      expect(
        outcome.calls.filter(([, , cause]) => cause !== undefined),
        sent,
      ).toEqual([])
    }
    count(rounds)
  })

  test('mutated streams with hostile statuses, heads and error bodies reject typed', async () => {
    const below = randomBelow(seed + 2)
    const server = await startRawServer(() => ({ pieces: [] }))
    const provider = dialect.create(server.url, key)
    const rounds = tries(60, 3000)
    for (let round = 0; round < rounds; round++) {
      const status = [100 + below(500), 200, 204, 304, 400, 401, 404, 413, 429, 500, 503, 529][
        below(12)
      ]!
      const body = mutate(
        Buffer.from(dialect.error(`model "x" not found ${'y'.repeat(below(300))}`)),
        below,
      )
      const type = ['application/json', 'text/html', 'text/event-stream', 'image/png', ''][
        below(5)
      ]!
      const extra = [
        '',
        'retry-after: -1\r\n',
        'retry-after: 9e99\r\n',
        'content-encoding: gzip\r\n',
        'location: http://127.0.0.1:1/\r\n',
      ][below(5)]!
      const whole = Buffer.concat(chunked(status, type, split(body, below), extra))
      const bytes = below(3) === 0 ? mutate(whole, below) : whole
      server.reply = () => ({ pieces: split(bytes, below) })
      const outcome = await outcomeOf(provider)
      expect(outcome.end).toMatch(/^(?:error|end) /)
    }
    count(rounds)
  })
})
