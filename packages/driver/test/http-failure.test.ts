import { toProviderError } from '@modelport/driver'
import { describe, expect, test } from 'vitest'
import { failure, line, play, read, type Step, settle, streamOf } from './scripted-driver.js'

const text: Step = ['text', 'x']
const stop: Step = ['finish', 'stop']
const once = { defaults: { retry: { attempts: 1 } } }

test.each([
  [
    'File Not Found',
    'p: 404 not-found: File Not Found (https://api.example/chat; check the base URL)',
  ],
  ['The model "m" does not exist', 'p: 404 not-found: The model "m" does not exist'],
])(
  'a server without the path is named by its address, one without the model by the model: %s',
  async (text, message) => {
    const { provider } = play([() => new Response(text, { status: 404 })], once)
    expect((await failure(provider.complete('Hi'))).message).toBe(message)
  },
)

describe('redirects', () => {
  test.each([[300], [302], [399]])('%i is refused, its body dropped', async (status) => {
    let dropped = false
    const body = () =>
      new ReadableStream({
        cancel: () => {
          dropped = true
        },
      })
    const error = await failure(
      play([
        () => new Response(body(), { status, headers: { location: 'https://elsewhere.example/' } }),
      ]).provider.complete('Hi'),
    )
    expect(error).toMatchObject({
      code: 'redirect-refused',
      status,
      host: 'api.example:443',
      message: `p: redirect-refused: api.example:443 redirects; set the base URL to the target if you trust it`,
    })
    expect(dropped).toBe(true)
  })

  test('a redirect that a browser hides has no status', async () => {
    const hidden = () =>
      Object.defineProperty(new Response(null), 'type', { value: 'opaqueredirect' })
    const error = await failure(
      play([() => Object.defineProperty(hidden(), 'status', { value: 0 })]).provider.complete('Hi'),
    )
    expect(error.message).toBe(
      'p: redirect-refused: api.example:443 redirects; set the base URL to the target if you trust it',
    )
    expect(error).not.toHaveProperty('status')
  })

  test('no redirect is followed', async () => {
    const inits: RequestInit[] = []
    await play([
      (init) => {
        inits.push(init)
        return new Response(line(text) + line(stop))
      },
    ]).provider.complete('Hi')
    expect(inits[0]).toMatchObject({
      redirect: 'manual',
      method: 'POST',
      signal: expect.any(AbortSignal) as AbortSignal,
    })
  })
})

describe('the body of a failed response', () => {
  const refused = (body: BodyInit | null, status = 400) =>
    failure(play([() => new Response(body, { status })]).provider.complete('Hi'))

  test('the body of a failed response is kept, at most 64 KiB of it', async () => {
    expect(await refused('why')).toMatchObject({
      code: 'invalid-request',
      body: 'why',
      message: 'p: 400 invalid-request: why',
    })
    expect((await refused('x'.repeat(65_536))).body).toHaveLength(65_536)
    let dropped = false
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode('y'.repeat(50_000))),
      cancel: () => {
        dropped = true
      },
    })
    expect((await refused(endless)).body).toBe('y'.repeat(65_536))
    expect(dropped).toBe(true)
  })

  test('the body of a failed response may be missing, or end before its time', async () => {
    expect((await refused(null, 404)).message).toBe(
      'p: 404 not-found: no further information (https://api.example/chat; check the base URL)',
    )
    expect(await refused(streamOf(['so ', 'far'], new Error('reset')), 403)).toMatchObject({
      code: 'permission',
      body: 'so far',
    })
    expect((await refused(streamOf(['zw', 'ölf']))).body).toBe('zwölf')
  })
})

describe('a failure inside an answer', () => {
  test('an in-band error has status 200 unless the vendor gives one, and the headers of the response', async () => {
    const seen: unknown[] = []
    const error: Parameters<typeof play>[2] = {
      error: (given) => {
        seen.push({ ...given, headers: given.headers.get('x-id') })
        return toProviderError('p', given)
      },
    }
    const answer =
      (...steps: Step[]) =>
      () =>
        new Response(steps.map(line).join(''), { headers: { 'x-id': '7' } })
    await failure(read(play([answer(['fail', { body: { no: 1 } }])], once, error).provider))
    await failure(
      read(play([answer(['fail', { body: 'busy', status: 503 }])], once, error).provider),
    )
    expect(seen).toEqual([
      { status: 200, headers: '7', body: { no: 1 }, text: '{"no":1}', inBand: true },
      { status: 503, headers: '7', body: 'busy', text: 'busy', inBand: true },
    ])
  })

  test('an in-band error is tried again like any other while nothing was shown', async () => {
    const { provider, clock, ios } = play([[['fail', { body: 'busy', status: 503 }]], [text, stop]])
    const reading = read(provider)
    await settle()
    clock.advance(10_000)
    expect(await reading).toBe('x')
    expect(ios).toHaveLength(2)
    expect(ios[0]?.idempotencyKey).toBe(ios[1]?.idempotencyKey)
  })
})
