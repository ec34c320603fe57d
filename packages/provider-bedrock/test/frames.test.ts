import { converseFrame as frame } from '@modelport/test-formats'
import { EventStreamCodec } from '@smithy/eventstream-codec'
import { describe, expect, test } from 'vitest'
import { bedrock, streamed, textFrames } from './support.js'

const once = { retry: { attempts: 1 } }
const pieces = textFrames('Hello, ', 'world ✓.')

async function read(respond: () => Response, config: Parameters<typeof bedrock>[1] = {}) {
  const { provider } = bedrock(respond, config)
  let text = ''
  try {
    for await (const delta of await provider.stream('Hi', once)) text += delta
    return { text }
  } catch (error) {
    return { text, error: error as Error & { code: string; retryable: boolean } }
  }
}

/** The stream with one bit of a byte turned over. */
const damaged = (at: number): string[] => {
  const all = pieces.join('')
  return [all.slice(0, at), String.fromCharCode(all.charCodeAt(at) ^ 1), all.slice(at + 1)]
}

describe('the event stream', () => {
  test('a stream is read whatever its chunks are', async () => {
    for (const size of [1, 2, 3, 7, 11, 12, 13, 64, 1000])
      expect(await read(() => streamed(pieces, size))).toEqual({ text: 'Hello, world ✓.' })
  })

  test('a stream that is cut before the end of messageStop is truncated, at every byte', async () => {
    const all = pieces.join('')
    const whole = pieces.slice(0, -1).join('').length
    for (let at = 0; at < all.length; at++) {
      const { error, text } = await read(() => streamed([all.slice(0, at)]))
      expect('Hello, world ✓.'.startsWith(text)).toBe(true)
      expect(error?.code, `cut at ${at}`).toBe(at < whole ? 'truncated' : undefined)
    }
  })

  test('a damaged byte is a protocol error, at every byte of the first frame', async () => {
    for (let at = 0; at < (pieces[0]?.length ?? 0); at++) {
      const { error, text } = await read(() => streamed(damaged(at)))
      expect([error?.code, text], `byte ${at}`).toEqual(['protocol', ''])
    }
  })

  test('a damaged length does not wait for bytes that never come', async () => {
    const { error } = await read(() => streamed(damaged(1)))
    expect(error?.message).toBe(
      'bedrock: protocol: the checksum of a prelude in the event stream does not match',
    )
  })

  test('a frame above the limit is refused', async () => {
    const long = textFrames('x'.repeat(5000))
    const { error } = await read(() => streamed(long), { limits: { maxEventBytes: 2000 } })
    expect(error).toMatchObject({
      code: 'limit-exceeded',
      message: 'bedrock: limit-exceeded: a frame of the stream is longer than 2000 bytes',
    })
  })

  test.each([
    ['throttlingException', 'rate-limit', true],
    ['serviceUnavailableException', 'overloaded', true],
    ['modelStreamErrorException', 'server', true],
    ['internalServerException', 'server', true],
    ['modelTimeoutException', 'timeout', true],
    ['validationException', 'invalid-request', false],
    ['somethingNewException', 'server', true],
  ])('an exception %s within a reply is reported', async (type, code, retryable) => {
    const { text, error } = await read(() =>
      streamed([...pieces.slice(0, 2), frame(type, { message: 'too much' }, 'exception')]),
    )
    expect(text).toBe('Hello, ')
    expect(error).toMatchObject({ code, retryable, message: expect.stringContaining('too much') })
  })

  test('a message of the type error is reported by its headers', async () => {
    const codec = new EventStreamCodec(
      (bytes) => String(bytes),
      (text) => new TextEncoder().encode(text),
    )
    const header = (value: string): { type: 'string'; value: string } => ({ type: 'string', value })
    const headers = {
      ':message-type': header('error'),
      ':error-code': header('InternalError'),
      ':error-message': header('broke'),
    }
    const bytes = Buffer.from(codec.encode({ headers, body: new Uint8Array() })).toString('latin1')
    const { error } = await read(() => streamed([...pieces.slice(0, 2), bytes]))
    expect(error).toMatchObject({ code: 'server', message: expect.stringContaining('broke') })
  })

  test('an event of an unknown kind is passed over', async () => {
    expect(await read(() => streamed([frame('somethingNew', { a: 1 }), ...pieces]))).toEqual({
      text: 'Hello, world ✓.',
    })
  })

  test('a stream that fails before the reply begins is tried again', async () => {
    const { provider, sent } = bedrock((_, index) =>
      streamed(
        index
          ? pieces
          : [pieces[0] ?? '', frame('throttlingException', { message: 'wait' }, 'exception')],
      ),
    )
    const reader = await provider.stream('Hi')
    let text = ''
    for await (const delta of reader) text += delta
    expect([sent.length, text]).toEqual([2, 'Hello, world ✓.'])
  })
})
