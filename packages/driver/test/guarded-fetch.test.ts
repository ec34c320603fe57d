import { getEventListeners } from 'node:events'
import { LlmError, ProviderError } from '@modelport/core'
import { type Fetch, systemClock, toProviderError } from '@modelport/driver'
import { expect, test } from 'vitest'
import { createGuardedFetch } from '../src/transport/guarded-fetch.js'
import { settle } from './scripted-driver.js'

function guarded(fetch: Fetch, allowedHosts?: readonly string[]) {
  const controller = new AbortController()
  const failed: LlmError[] = []
  const contacted: string[] = []
  const made = createGuardedFetch({
    provider: 'p',
    fetch,
    signal: controller.signal,
    allowedHosts,
    error: (failure) => toProviderError('p', failure),
    failed: (error) => void failed.push(error),
    contacted: ({ host }) => void contacted.push(host),
    clock: systemClock,
    responded: () => undefined,
  })
  return { fetch: made, controller, failed, contacted }
}

const caught = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'nothing failed',
    (error: unknown) => error,
  )
const ok: Fetch = () => Promise.resolve(new Response('ok'))

test('the host is known from a text, a URL and a request', async () => {
  const { fetch, contacted, failed, controller } = guarded(ok, ['h:443'])
  for (const input of ['https://h/a', new URL('https://h/a'), new Request('https://h/a')])
    expect(await (await fetch(input)).text()).toBe('ok')
  expect([contacted, failed]).toEqual([['h:443', 'h:443', 'h:443'], []])
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
})

test('a guarded fetch reports a host that is not allowed, and never contacts it', async () => {
  let sent = 0
  const { fetch, contacted, failed } = guarded(
    () => Promise.resolve(new Response(String(sent++))),
    ['h:443'],
  )
  const error = await caught(fetch('https://other/'))
  expect(error).toMatchObject({
    code: 'config',
    message: 'other:443 is not among the allowed hosts (h:443)',
  })
  expect([sent, contacted, failed]).toEqual([0, ['other:443'], [error]])
  expect(await caught(fetch('no address'))).toMatchObject({ code: 'invalid-base-url' })
})

test('half of a surrogate pair is sent as U+FFFD, in JSON however its text is escaped', async () => {
  const sentAs = async (body: RequestInit['body']): Promise<unknown> => {
    let sent: unknown
    await guarded((_, init) => {
      sent = init?.body
      return Promise.resolve(new Response('ok'))
    }).fetch('https://h/', { method: 'POST', body: body ?? null })
    return sent
  }
  const texts = {
    '\ud83d': '\ufffd',
    '\ude00': '\ufffd',
    'a\ud83d\udf00z\ud83d': 'a\ud83d\udf00z\ufffd',
    '\ude00\ud83d': '\ufffd\ufffd',
    '\ud83d\ud83d\ude00': '\ufffd\ud83d\ude00',
    '\\\ud83d': '\\\ufffd',
    '\\\\\ud83d': '\\\\\ufffd',
    '"\ud83d"': '"\ufffd"',
    '\n\udbff\n': '\n\ufffd\n',
  }
  for (const [text, sent] of Object.entries(texts)) {
    expect(JSON.parse((await sentAs(JSON.stringify({ text, [text]: 1 }))) as string)).toEqual({
      text: sent,
      [sent]: 1,
    })
  }
  const kept = [
    '',
    '{}',
    JSON.stringify('👩‍🚀 \\ud83d \\\\udfff \\\\\\\\ud83d \uffff'),
    JSON.stringify({ argumentsText: '{"city":"\\ud83d\\ude00"}' }),
  ]
  for (const body of kept) expect(await sentAs(body)).toBe(body)
  const bytes = new Uint8Array(1)
  expect([await sentAs(bytes), await sentAs(undefined)]).toEqual([bytes, null])
})

test('what a transport throws is a network error with its host, unless it is typed', async () => {
  const typed = new LlmError('unsupported', 'x')
  expect(await caught(guarded(() => Promise.reject(typed)).fetch('https://h/'))).toBe(typed)
  expect(
    await caught(guarded(() => Promise.reject(new Error('x'))).fetch('https://h/')),
  ).toMatchObject({
    code: 'network',
    host: 'h:443',
    message: 'p: network at h:443: x',
  })
})

test('a guarded fetch reports failures outside the wire as network errors too', async () => {
  const broken: Fetch = () =>
    Promise.resolve(
      Object.defineProperty(new Response(), 'status', {
        get: () => {
          throw new Error('odd')
        },
      }),
    )
  expect(await caught(guarded(broken).fetch('https://h/'))).toMatchObject({
    code: 'network',
    message: 'p: network at h:443: odd',
  })
})

test('a failed response has its host', async () => {
  const { fetch, failed } = guarded(() =>
    Promise.resolve(new Response('{"error":1}', { status: 500 })),
  )
  const error = await caught(fetch('https://h/'))
  expect(error).toBeInstanceOf(ProviderError)
  expect(error).toMatchObject({ code: 'server', host: 'h:443', body: '{"error":1}' })
  expect(failed).toEqual([error])
})

test("an error's body may be split inside a character, and is not waited for beyond what is kept of it", async () => {
  const bytes = new TextEncoder().encode('zwölf')
  let dropped = false
  const failing = (...chunks: Uint8Array[]) =>
    guarded(() =>
      Promise.resolve(
        new Response(
          new ReadableStream({
            start: (controller) => chunks.forEach((chunk) => controller.enqueue(chunk)),
            pull: (controller) => (chunks.length > 1 ? controller.close() : undefined),
            cancel: () => {
              dropped = true
            },
          }),
          { status: 500 },
        ),
      ),
    ).fetch('https://h/')
  expect(await caught(failing(bytes.subarray(0, 3), bytes.subarray(3)))).toMatchObject({
    body: 'zwölf',
  })
  expect(dropped).toBe(false)
  const reading = caught(failing(new Uint8Array(65_536).fill(120)))
  await settle()
  expect(dropped).toBe(true)
  expect(await reading).toMatchObject({ body: 'x'.repeat(65_536) })
})

test('a guarded fetch rejects a value that is not a response', async () => {
  expect(
    await caught(guarded(() => Promise.resolve(Response.error())).fetch('https://h/')),
  ).toMatchObject({
    code: 'unknown',
    host: 'h:443',
  })
})

test.each([[200], [299]])('%i is a success', async (status) => {
  expect(
    (await guarded(() => Promise.resolve(new Response('x', { status }))).fetch('https://h/'))
      .status,
  ).toBe(status)
})
