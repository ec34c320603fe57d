import { describe, expect, test } from 'vitest'
import { dialects } from './dialects.js'
import { count, outcomeOf, tries } from './outcome.js'
import { chunked, startRawServer } from './raw-server.js'

const key = 'sk-Attack0123456789-Qx72-zyxwvutsrqponmlk'

// Each input is so large that work which grows by the square would not end within the test's own
// limit.
describe.each(dialects)('resource bombs: $name', (dialect) => {
  test.each([
    ['tool calls in one reply', () => [dialect.calls(tries(40_000, 160_000))]],
    ['a megabyte of empty lines', () => ['\n'.repeat(1 << 20)]],
    ['a megabyte of data lines without a value', () => ['data:\n'.repeat(1 << 18)]],
    ['a megabyte of comments', () => [': x\n'.repeat(1 << 18)]],
    ['a deeply nested value', () => [`data: ${'['.repeat(500_000)}\n\n`]],
    ['a line without an end', () => ['data: ', 'x'.repeat(20 << 20)]],
    [
      'bytes one by one',
      () => Array.from(Buffer.from(dialect.stream.repeat(20)), (byte) => new Uint8Array([byte])),
    ],
    ['an event name without an end', () => [`event: ${'e'.repeat(20 << 20)}`]],
  ])('%s end in a value or a typed error', async (_what, pieces) => {
    const server = await startRawServer(() => ({ pieces: chunked(200, dialect.type, pieces()) }))
    const { end } = await outcomeOf(dialect.create(server.url, key))
    expect(end).toMatch(/^(?:error|end) /)
    count(1)
  })

  test.each([
    ['quoted words', (size: number) => `model '${"' '".repeat(size)}`],
    ['words of a model that is missing', (size: number) => 'model "'.repeat(size)],
    ['token counts', (size: number) => 'input token count (1 '.repeat(size)],
    ['numbers', (size: number) => '1'.repeat(size * 8)],
    ['spaces', (size: number) => `maximum context length is ${' '.repeat(size * 8)}x`],
    ['commas', (size: number) => '1,'.repeat(size * 4)],
  ])('an error message of 4 MB of %s is read in linear time', async (_what, message) => {
    for (const status of [400, 404, 413, 429]) {
      const body = dialect.error(message(1 << 19))
      const server = await startRawServer(() => ({
        pieces: chunked(status, 'application/json', [body]),
      }))
      const { end } = await outcomeOf(dialect.create(server.url, key))
      expect(end).toMatch(/^error /)
    }
    count(4)
  })
})
