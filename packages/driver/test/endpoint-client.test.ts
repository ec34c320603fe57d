import { getEventListeners } from 'node:events'
import {
  createEndpointClient,
  type EndpointClient,
  type Fetch,
  toProviderError,
} from '@modelport/driver'
import { describe, expect, test } from 'vitest'
import { FakeClock } from './fake-clock.js'

const url = 'https://api.example/v1/other'
const encoder = new TextEncoder()
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))
const json = (value: unknown, status = 200): Response =>
  new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json' } })

function connect(fetch: Fetch, more: object = {}) {
  const clock = new FakeClock()
  const client = createEndpointClient(
    'p',
    (failure) =>
      toProviderError('p', failure, {
        ...(failure.inBand && { code: 'overloaded', message: failure.text }),
      }),
    { model: 'm', cheapestModel: 'm', hosts: ['api.example:443'], clock, fetch, ...more },
  )
  return { clock, client }
}

/** Lets the waits of retries pass until the call has settled. */
async function settled<T>(call: Promise<T>, clock: FakeClock): Promise<T> {
  const state = { pending: true }
  const done = (): void => {
    state.pending = false
  }
  call.then(done, done)
  while (state.pending) {
    await settle()
    clock.advance(1000)
  }
  return call
}

const methods: readonly (readonly [
  name: Exclude<keyof EndpointClient, 'clock'>,
  body: string,
  result: unknown,
])[] = [
  ['json', '{"a":"text"}', { a: 'text' }],
  ['text', 'some text', 'some text'],
]

describe.each(methods)('%s of an endpoint client', (name, body, result) => {
  /** A response whose bytes arrive one at a time, each after this many milliseconds. */
  async function drip(everyMs: number) {
    let send: (byte: Uint8Array) => void = () => undefined
    let end = (): void => undefined
    let cancelled = false
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        send = (byte) => {
          if (!cancelled) controller.enqueue(byte)
        }
        end = () => {
          if (!cancelled) controller.close()
        }
      },
      cancel: () => {
        cancelled = true
      },
    })
    const { client, clock } = connect(
      () =>
        Promise.resolve(
          new Response(stream, { headers: { 'content-type': 'application/octet-stream' } }),
        ),
      { timeouts: { idleMs: 1000, semanticIdleMs: 3000 } },
    )
    const outcome = client[name]({ url }, { retry: { attempts: 1 } }).then(
      (value: unknown) => ({ value }),
      (error: unknown) => ({ error }),
    )
    for (const byte of encoder.encode(body)) {
      await settle()
      clock.advance(everyMs)
      send(Uint8Array.of(byte))
    }
    await settle()
    end()
    return { outcome: await outcome, cancelled, pending: clock.pending }
  }

  test('an endpoint client accepts a body that arrives slowly, but within semanticIdleMs', async () => {
    expect(await drip(200)).toEqual({ outcome: { value: result }, cancelled: false, pending: 0 })
  })

  test('an endpoint client gives up a body that keeps the connection busy for longer than semanticIdleMs', async () => {
    expect(await drip(900)).toMatchObject({
      outcome: {
        error: {
          code: 'timeout',
          reason: 'idle',
          message: 'p: timeout (idle): no part of the reply for 3000 ms',
        },
      },
      cancelled: true,
      pending: 0,
    })
  })

  test('an endpoint client refuses a web page without reading it', async () => {
    let cancelled = false
    const page = new ReadableStream<Uint8Array>({
      cancel: () => {
        cancelled = true
      },
    })
    const { client } = connect(() =>
      Promise.resolve(
        new Response(page, { headers: { 'content-type': 'Text/HTML; charset=utf-8' } }),
      ),
    )
    await expect(client[name]({ url })).rejects.toMatchObject({
      code: 'protocol',
      message:
        'p: protocol: the server returned a web page; check the base URL and any proxy in between',
    })
    expect(cancelled).toBe(true)
  })

  test('an endpoint client takes signal, deadlineMs, retry and vendor of its options: headers of vendor are headers, the rest is merged into a body', async () => {
    const sent: Headers[] = []
    const bodies: unknown[] = []
    const notices: number[] = []
    const statuses = [503, 200]
    const { client, clock } = connect((_, init) => {
      sent.push(new Headers(init?.headers))
      bodies.push(JSON.parse(init?.body as string))
      return Promise.resolve(
        new Response(body, {
          status: statuses.shift() ?? 0,
          headers: { 'content-type': 'application/octet-stream' },
        }),
      )
    })
    const { signal } = new AbortController()
    const retry = {
      attempts: 2,
      onRetry: ({ attempt }: { readonly attempt: number }) => notices.push(attempt),
    }
    const vendor = { headers: { 'x-vendor': 'yes' }, image: { seed: 1, size: null } }
    const asked = { url, body: { model: 'm', image: { size: 's', style: 't' } } }
    const call = client[name](asked, { signal, deadlineMs: 60_000, retry, vendor })
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    expect(await settled<unknown>(call, clock)).toEqual(result)
    expect([sent.map((headers) => headers.has('x-vendor')), notices]).toEqual([[true, true], [1]])
    expect(bodies.at(-1)).toEqual({ model: 'm', image: { style: 't', seed: 1 } })
    expect([getEventListeners(signal, 'abort'), clock.pending]).toEqual([[], 0])
  })

  test('an endpoint client rejects an option that is out of range, without a key in its message', async () => {
    const { client } = connect(() => Promise.reject(new Error('nothing is sent')))
    await expect(client[name]({ url }, { deadlineMs: -1 })).rejects.toMatchObject({
      code: 'config',
      message: 'p: config: deadlineMs must be a number of at least 1, not -1',
    })
  })

  test('an endpoint client rejects a body that JSON cannot hold, before anything is sent', async () => {
    const circular: { self?: unknown } = {}
    circular.self = circular
    const { client, clock } = connect(() => Promise.reject(new Error('nothing is sent')))
    await expect(client[name]({ url, body: circular }, { deadlineMs: 1000 })).rejects.toMatchObject(
      {
        code: 'invalid-request',
        message: expect.stringContaining('the request body cannot be written as JSON') as unknown,
      },
    )
    expect(clock.pending).toBe(0)
  })
})

describe('an endpoint client', () => {
  test('an endpoint client names a failure inside of a response of status 200 and retries it, unless the request expects an error field', async () => {
    const value = { error: { message: 'come back later' } }
    let count = 0
    const { client, clock } = connect(() => {
      count++
      return Promise.resolve(json(value))
    })
    const failure = { code: 'overloaded', status: 200, attempts: 3, body: JSON.stringify(value) }
    await expect(settled(client.json({ url }), clock)).rejects.toMatchObject(failure)
    expect(count).toBe(3)
    expect(await client.json({ url, inBandErrors: false })).toEqual(value)
  })

  test('an endpoint client reads each attempt from its beginning', async () => {
    let count = 0
    const { client, clock } = connect(() => {
      const broken = new ReadableStream<Uint8Array>({
        start: (controller) => {
          controller.enqueue(encoder.encode('half of '))
        },
        pull: (controller) => {
          controller.error(new Error('reset'))
        },
      })
      return Promise.resolve(new Response(count++ ? 'all of it' : broken))
    })
    expect(await settled(client.text({ url }), clock)).toBe('all of it')
    expect(count).toBe(2)
  })

  test('an endpoint client rejects a body that is shorter than its content-length, unless the length is of the packed bytes', async () => {
    const short = (headers: Record<string, string>) =>
      connect(() =>
        Promise.resolve(new Response('abc', { headers: { 'content-length': '4', ...headers } })),
      ).client
    await expect(short({}).text({ url }, { retry: { attempts: 1 } })).rejects.toMatchObject({
      code: 'truncated',
      message: 'p: truncated: the connection ended after 3 of 4 bytes of the file',
    })
    expect(await short({ 'content-encoding': 'gzip' }).text({ url })).toBe('abc')
  })

  test('an endpoint client distinguishes JSON that is cut, malformed and missing', async () => {
    const code = async (body: string): Promise<unknown> =>
      connect(() => Promise.resolve(new Response(body)))
        .client.json({ url }, { retry: { attempts: 1 } })
        .catch((error: unknown) => error)
    expect(await code('{"a":[1,')).toMatchObject({ code: 'truncated' })
    expect(await code('oops')).toMatchObject({ code: 'protocol' })
    expect(await code('')).toMatchObject({ code: 'truncated' })
    expect(await code(' \n')).toMatchObject({
      code: 'protocol',
      message: 'p: protocol: the response is empty; check the base URL',
    })
  })

  test('an endpoint client ignores the default options of its settings', async () => {
    let count = 0
    const { client, clock } = connect(() => Promise.resolve(json({}, count++ ? 200 : 503)), {
      defaults: { retry: { attempts: 1 } },
    })
    expect(await settled(client.json({ url }), clock)).toEqual({})
    expect(count).toBe(2)
  })
})
