import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { LlmError } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { inferStream, type RunEvent } from '@modelport/runtime'
import { EventLog, fromResponse, toResponse } from '@modelport/runtime/ui'
import { describe, expect, test } from 'vitest'

async function* numbers(most: number, error?: Error): AsyncGenerator<{ n: number }, void> {
  for (let n = 1; n <= most; n++) yield { n }
  if (error) throw error
}
const all = async <T>(source: AsyncIterable<T>): Promise<T[]> => {
  const list: T[] = []
  for await (const one of source) list.push(one)
  return list
}
/** The response, cut after so many characters. */
async function cutAfter(response: Response, characters: number): Promise<Response> {
  const text = await response.text()
  return new Response(text.slice(0, characters), { headers: response.headers })
}

describe('events in a response', () => {
  test('events in a response arrive as they were sent, with the text of any language', async () => {
    const events = [{ a: 'é\n日本\u2028' }, 'text', null, [1]]
    const source = (async function* () {
      yield* events
    })()
    const response = toResponse(source, { headers: { 'x-own': '1' } })
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(response.headers.get('x-own')).toBe('1')
    expect(await all(fromResponse(response))).toEqual(events)
  })

  test('events in a response end with the code of a typed error, and without the message of any other', async () => {
    const typed = toResponse(numbers(1, new LlmError('rate-limit', 'slow down')))
    await expect(all(fromResponse(typed))).rejects.toMatchObject({
      code: 'rate-limit',
      message: 'slow down',
    })
    const other = toResponse(numbers(1, new Error('a secret')))
    await expect(all(fromResponse(other))).rejects.toMatchObject({
      code: 'unknown',
      message: 'the stream failed',
    })
  })

  test('events in a response are given once each, wherever the connection is cut', async () => {
    const length = (await toResponse(numbers(4)).text()).length
    for (let at = 0; at <= length; at += 7) {
      const cut = await cutAfter(toResponse(numbers(4)), at)
      const resume = (after: number) => Promise.resolve(toResponse(numbers(4), { after }))
      expect(await all(fromResponse(cut, { resume, delayMs: 1 }))).toEqual(await all(numbers(4)))
    }
  })

  test('events in a response are refused if one of them does not end', async () => {
    let sent = 0
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
      controller.enqueue(
        new TextEncoder().encode(`${sent++ ? '' : 'data: '}${'x'.repeat(1 << 20)}`),
      )
    }
    const headers = { 'content-type': 'text/event-stream' }
    const response = new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), { headers })
    await expect(fromResponse(response).next()).rejects.toMatchObject({ code: 'limit-exceeded' })
    expect(sent).toBeLessThan(30)
  })

  test('events in a response reject as truncated if the connection is lost for good', async () => {
    await expect(
      all(fromResponse(await cutAfter(toResponse(numbers(4)), 60))),
    ).rejects.toMatchObject({
      code: 'truncated',
    })
    const resume = () => Promise.reject(new Error('offline'))
    const cut = await cutAfter(toResponse(numbers(4)), 60)
    await expect(
      all(fromResponse(cut, { resume, maxResumes: 2, delayMs: 1 })),
    ).rejects.toMatchObject({
      code: 'truncated',
    })
  })

  test.each([new Response('<html>'), new Response('no', { status: 404 })])(
    'events in a response refuse another response',
    async (response) => {
      await expect(all(fromResponse(response))).rejects.toMatchObject({ code: 'protocol' })
    },
  )

  test('events in a response of a run are read by two clients over HTTP, one of which returns', async () => {
    const log = new EventLog(
      inferStream(createMock({ responses: ['Hello World'] }), { query: 'Hi' }),
    )
    const server = createServer((request, response) => {
      const answer = toResponse(log, { after: Number(request.headers['last-event-id'] ?? 0) })
      response.writeHead(answer.status, Object.fromEntries(answer.headers))
      void answer.body?.pipeTo(
        new WritableStream({
          write: (chunk) => void response.write(chunk),
          close: () => void response.end(),
        }),
      )
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    try {
      const whole = await all(fromResponse<RunEvent>(await fetch(url)))
      expect(whole.map(({ seq }) => seq)).toEqual(whole.map((_, at) => at + 1))
      const rest = await all(
        fromResponse<RunEvent>(await fetch(url, { headers: { 'last-event-id': '3' } })),
      )
      expect(rest).toEqual(whole.slice(3))
    } finally {
      server.close()
    }
  })

  test('events in a response close their source when the client goes', async () => {
    let closed = false
    const source = (async function* () {
      try {
        for (;;) yield 1
      } finally {
        closed = true
      }
    })()
    const body = toResponse(source).body?.getReader()
    await body?.read()
    await body?.cancel()
    await expect.poll(() => closed).toBe(true)
  })
})

test.each([NaN, -1, 0.5, Infinity])('a response after %d is refused', (after) => {
  expect(() => toResponse(numbers(1), { after })).toThrow(
    `toResponse: after must be a whole number of at least 0, not ${after}; it is the header last-event-id of the client`,
  )
})

test('an event that JSON cannot express arrives as null', async () => {
  const source = (async function* () {
    yield undefined
  })()
  expect(await all(fromResponse(toResponse(source)))).toEqual([null])
})

test('a log that is full closes its source and says so', async () => {
  let isClosed = false
  const source = (async function* () {
    try {
      for (;;) yield { text: 'x'.repeat(100) }
    } finally {
      isClosed = true
    }
  })()
  const log = new EventLog(source, { maxCharacters: 1000 })
  await expect(all(log)).rejects.toMatchObject({ code: 'limit-exceeded' })
  expect(isClosed).toBe(true)
  expect(() => new EventLog(numbers(1), { maxCharacters: NaN })).toThrow(
    'maxCharacters must be at least 1',
  )
})

test('a log that is closed ends its readers and its source', async () => {
  let isClosed = false
  const source = (async function* () {
    try {
      for (let n = 1; ; n++) {
        yield { n }
        await new Promise((resolve) => setTimeout(resolve))
      }
    } finally {
      isClosed = true
    }
  })()
  const log = new EventLog(source)
  const reader = log[Symbol.asyncIterator]()
  expect((await reader.next()).value).toEqual({ n: 1 })
  await log.close()
  await all({ [Symbol.asyncIterator]: () => reader })
  expect(isClosed).toBe(true)
})
