import { isLlmError, LlmError } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { ByteBuffer } from '../src/base/byte-buffer.js'
import { checkJsonValues } from '../src/base/json-values.js'
import { CallScope } from '../src/base/scope.js'
import { FakeClock } from './fake-clock.js'
import { failure, line, play, type Step, settle, streamOf } from './scripted-driver.js'

const text: Step = ['text', 'Hi']
const body = (steps: readonly Step[], after: 'end' | 'open' | Error): Response =>
  new Response(streamOf(steps.map(line), after))

describe('the end of a stream', () => {
  test('a connection that stays open after the last mark is dropped a second later', async () => {
    const { provider, clock } = play([() => body([text, ['terminal']], 'open')])
    const reader = await provider.stream('Hi')
    expect(await reader.next()).toEqual({ done: false, value: 'Hi' })
    const end = reader.next()
    await settle()
    clock.advance(999)
    expect(reader.finishReason()).toBeUndefined()
    clock.advance(1)
    expect(await end).toEqual({ done: true, value: undefined })
  })

  test('after a mere finish reason the usual clocks continue, since usage may follow', async () => {
    const { provider, clock } = play([() => body([text, ['finish', 'stop']], 'open')])
    const reader = await provider.stream('Hi')
    await reader.next()
    const end = reader.next()
    await settle()
    clock.advance(59_999)
    expect(reader.finishReason()).toBeUndefined()
    clock.advance(1)
    expect(await end).toEqual({ done: true, value: undefined })
    expect(reader.finishReason()).toBe('stop')
  })

  test('a call that the decoder closes at the end of a cut body is not complete', async () => {
    const steps: Step[] = [['toolCall', 0, { id: 'a', name: 'f', text: '{}' }]]
    for (const end of ['end', new Error('reset')] as const) {
      const { provider } = play(
        [() => body(steps, end)],
        {},
        {
          decoder: (sink) => ({
            push: () => {
              sink.toolCall(0, { id: 'a', name: 'f', text: '{"city":"Os"}' })
            },
            end: () => {
              sink.endToolCall(0)
            },
          }),
        },
      )
      const reader = await provider.streamWithTools([{ role: 'user', content: 'Hi' }], [])
      const types: string[] = []
      const error = await failure(
        (async () => {
          for await (const { type } of reader) types.push(type)
        })(),
      )
      expect(types).toEqual(['tool-call-start', 'tool-call-delta'])
      expect(error.code).toBe('truncated')
      expect(error.partial?.toolCalls).toMatchObject([
        { id: 'a', error: expect.any(String) as string },
      ])
    }
  })
})

describe('what a server says in a failure', () => {
  test('a status is kept although its body never comes', async () => {
    const { provider, clock } = play(
      [() => new Response(streamOf(['{"error":"half'], 'open'), { status: 400 })],
      {
        timeouts: { headersMs: 1000 },
      },
    )
    const error = failure(provider.complete('Hi'))
    await settle()
    clock.advance(5000)
    expect(await error).toMatchObject({
      code: 'invalid-request',
      status: 400,
      body: '{"error":"half',
      attempts: 1,
    })
  })

  test('64 KiB of an error inside a reply are kept, however it is nested', async () => {
    let nested: unknown = 'end'
    for (let level = 0; level < 5000; level++) nested = [nested]
    for (const sent of [{ message: 'x'.repeat(1_000_000) }, 'y'.repeat(1_000_000), nested]) {
      const { provider } = play(
        [[]],
        {},
        {
          decoder: (sink) => ({ push: () => sink.fail({ body: sent }) }),
          send: () => Promise.resolve(body([text], 'end')),
        },
      )
      const error = await failure(provider.complete('Hi', { retry: { attempts: 1 } }))
      expect(error.body?.length).toBeLessThanOrEqual(65_536)
      expect(error.message.length).toBeLessThanOrEqual(2048)
    }
  })

  test('a driver that trips over the shape of an error leaves the status to decide', async () => {
    const { provider } = play(
      [() => new Response('{"error":{"message":{"toString":1}}}', { status: 401 })],
      {},
      {
        error: (given) => {
          const { error } = given.body as { readonly error: { readonly message: unknown } }
          throw new LlmError('unknown', String(error.message))
        },
      },
    )
    expect(await failure(provider.complete('Hi'))).toMatchObject({ code: 'auth', status: 401 })
  })
})

describe('the memory that a body takes', () => {
  test('bytes of many chunks are kept in one block', () => {
    const buffer = new ByteBuffer()
    const one = new Uint8Array(1)
    for (let index = 0; index < 100_000; index++) {
      one[0] = index % 251
      buffer.add(one)
    }
    expect(buffer.length).toBe(100_000)
    const bytes = buffer.take()
    expect(bytes.every((byte, index) => byte === index % 251)).toBe(true)
    expect([bytes.length, buffer.length, buffer.take().length]).toEqual([100_000, 0, 0])
    expect(bytes.buffer.byteLength).toBeLessThan(300_000)
  })

  test('values of JSON are counted outside of strings, objects and lists as four', () => {
    const refused = (json: string, limit: number): boolean => {
      try {
        checkJsonValues(json, limit)
        return false
      } catch (error) {
        return isLlmError(error, 'limit-exceeded')
      }
    }
    expect(refused('[1,2,3]', 7)).toBe(false)
    expect(refused('[1,2,3]', 6)).toBe(true)
    expect(refused('{"a":1,"b":{}}', 10)).toBe(false)
    expect(refused('{"a":1,"b":{}}', 9)).toBe(true)
    expect(refused('"[,[,\\"[,[\\\\"', 1)).toBe(false)
    expect(refused('"open [,[,', 1)).toBe(false)
    expect(refused('[],'.repeat(1000), 4000)).toBe(true)
  })

  test('a record with too many values rejects limit-exceeded before it is parsed', async () => {
    const { provider } = play([() => new Response(`[${'[],'.repeat(5000)}[]]`)], {
      limits: { maxJsonValues: 20_000 },
    })
    expect(await failure(provider.complete('Hi'))).toMatchObject({
      code: 'limit-exceeded',
      attempts: 1,
    })
  })
})

test('a deadline whose failure cannot be completed still ends the call', async () => {
  const clock = new FakeClock()
  const scope = new CallScope(clock, 'p', undefined, 10, () => {
    throw new SyntaxError('from within a timer')
  })
  clock.advance(10)
  expect(scope.reason).toMatchObject({ code: 'timeout', reason: 'deadline' })
})

test('an error names the address and the method of its request, without query and secrets', async () => {
  const { provider } = play(
    [() => new Response('{}', { status: 404 })],
    { secrets: ['path-secret-0123456789'] },
    {
      send: (_, io) =>
        io.fetch('https://api.example/v1/path-secret-0123456789/chat?key=1', { method: 'POST' }),
    },
  )
  expect(await failure(provider.complete('Hi'))).toMatchObject({
    code: 'not-found',
    host: 'api.example:443',
    url: 'https://api.example/v1/[redacted]/chat',
    method: 'POST',
  })
})

test.each([
  ['text/plain', '\\ud83d'],
  ['application/json', '\\ufffd'],
])('an escaped half of a surrogate pair in a body of %s is sent as %s', async (type, sent) => {
  const bodies: unknown[] = []
  const refuse = ({ body }: RequestInit): Response => {
    bodies.push(body)
    return new Response('{}', { status: 404 })
  }
  const init = { method: 'POST', headers: { 'content-type': type }, body: '"\\ud83d"' }
  const { provider } = play(
    [refuse],
    {},
    { send: (_, io) => io.fetch('https://api.example/v1', init) },
  )
  await failure(provider.complete('Hi'))
  expect(bodies).toEqual([`"${sent}"`])
})
