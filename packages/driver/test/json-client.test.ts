import { getEventListeners } from 'node:events'
import type { RequestOptions } from '@modelport/core'
import {
  createEmbedder,
  createEndpointClient,
  type EmbeddingBatch,
  type Fetch,
  toProviderError,
} from '@modelport/driver'
import { describe, expect, test } from 'vitest'
import { FakeClock } from './fake-clock.js'

const key = 'sk-client-0123456789abcdef'
const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })

type EndpointRequest = Parameters<ReturnType<typeof createEndpointClient>['json']>[0]

function client(fetch: Fetch, more: object = {}) {
  const clock = new FakeClock()
  const made = createEndpointClient('p', (failure) => toProviderError('p', failure), {
    model: 'm',
    cheapestModel: 'm',
    hosts: ['api.example:443'],
    secrets: [key],
    clock,
    fetch,
    enforceHosts: true,
    ...more,
  })
  const request = (asked: EndpointRequest, options?: RequestOptions) =>
    made.json({ ...asked, inBandErrors: false }, options)
  return { clock, request }
}

const url = 'https://api.example/v1/models'

describe('the JSON client', () => {
  test('the JSON client sends GET without a body and POST with one, and adds headers', async () => {
    const sent: [string, RequestInit][] = []
    const { request, clock } = client(
      (input, init = {}) => {
        sent.push([input instanceof Request ? input.url : input.toString(), init])
        return Promise.resolve(json({ ok: true }))
      },
      { headers: { 'X-Own': 'own' } },
    )
    expect(await request({ url, headers: { authorization: `Bearer ${key}` } })).toEqual({
      ok: true,
    })
    await request({ url, body: { a: 1 } })
    expect(sent.map(([, { method, body }]) => [method, body])).toEqual([
      ['GET', undefined],
      ['POST', '{"a":1}'],
    ])
    const headers = new Headers(sent[1]?.[1].headers)
    expect([headers.get('content-type'), headers.get('accept'), headers.get('x-own')]).toEqual([
      'application/json',
      'application/json',
      'own',
    ])
    expect(new Headers(sent[0]?.[1].headers).has('content-type')).toBe(false)
    expect(clock.pending).toBe(0)
  })

  test('a field error of a response that succeeded is part of it', async () => {
    const { request } = client(() =>
      Promise.resolve(json({ error: { message: 'of line 3' }, lines: 7 })),
    )
    expect(await request({ url })).toEqual({ error: { message: 'of line 3' }, lines: 7 })
  })

  test('the JSON client retries a passing failure, and no other', async () => {
    const statuses = [503, 429, 200]
    const { request, clock } = client(() => Promise.resolve(json({ at: 'last' }, statuses.shift())))
    const answer = request({ url })
    for (let turn = 0; turn < 20; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 0))
      clock.advance(1000)
    }
    expect(await answer).toEqual({ at: 'last' })
    let count = 0
    const refused = client(() => {
      count++
      return Promise.resolve(json({ error: `bad key ${key}` }, 401))
    })
    await expect(refused.request({ url })).rejects.toMatchObject({
      code: 'auth',
      status: 401,
      attempts: 1,
      body: '{"error":"bad key [redacted]"}',
    })
    expect([count, refused.clock.pending]).toEqual([1, 0])
  })

  test('the JSON client rejects an unlisted host, a redirect, a web page and text that is not JSON', async () => {
    const answering = (response: () => Response) =>
      client(() => Promise.resolve(response())).request
    await expect(
      answering(() => json({}))({ url: 'https://other.example/' }),
    ).rejects.toMatchObject({ code: 'config' })
    await expect(
      answering(() => new Response(null, { status: 302, headers: { location: '/x' } }))({ url }),
    ).rejects.toMatchObject({ code: 'redirect-refused' })
    await expect(
      answering(() => new Response('<p>', { headers: { 'content-type': 'text/html' } }))({ url }),
    ).rejects.toMatchObject({ code: 'protocol' })
    await expect(answering(() => new Response('oops'))({ url })).rejects.toMatchObject({
      code: 'protocol',
    })
    await expect(
      client(() => Promise.resolve(new Response('{"a":')), { defaults: {} }).request(
        { url },
        { deadlineMs: 1 },
      ),
    ).rejects.toMatchObject({ code: 'truncated' })
  })

  test('the JSON client ends on abort and deadline, even if the transport ignores its signal; a late response is dropped', async () => {
    let answer: (response: Response) => void = () => undefined
    let cancelled = false
    const { request, clock } = client(
      () =>
        new Promise((resolve) => {
          answer = resolve
        }),
    )
    const controller = new AbortController()
    const aborted = request({ url }, { signal: controller.signal })
    await new Promise((resolve) => setTimeout(resolve, 0))
    controller.abort(new Error('enough'))
    await expect(aborted).rejects.toBe(controller.signal.reason)
    answer(
      new Response(
        new ReadableStream({
          cancel: () => {
            cancelled = true
          },
        }),
      ),
    )
    await expect.poll(() => cancelled).toBe(true)
    const late = request({ url }, { deadlineMs: 500 })
    await new Promise((resolve) => setTimeout(resolve, 0))
    clock.advance(500)
    await expect(late).rejects.toMatchObject({ code: 'timeout', reason: 'deadline' })
    expect(clock.pending).toBe(0)
  })

  test.each([[200], [401]])(
    'after a response of status %i nothing is left of the deadline, nor on the signal',
    async (status) => {
      const { request, clock } = client(() => Promise.resolve(json({ at: 'once' }, status)))
      const { signal } = new AbortController()
      const settled = await Promise.allSettled([request({ url }, { signal, deadlineMs: 500 })])
      expect(settled).toMatchObject([{ status: status === 200 ? 'fulfilled' : 'rejected' }])
      expect([clock.pending, getEventListeners(signal, 'abort')]).toEqual([0, []])
    },
  )
})

describe('the embedder', () => {
  const embedder = (embedBatch: (texts: readonly string[]) => EmbeddingBatch, batchSize = 3) =>
    createEmbedder({
      name: 'p',
      model: 'e',
      batchSize,
      embedBatch: (texts) => Promise.resolve(embedBatch(texts)),
    })

  test('the embedder sends batches one after the other, keeps the order and adds usage up', async () => {
    const sizes: number[] = []
    const made = embedder((texts) => {
      sizes.push(texts.length)
      return { vectors: texts.map((text) => [Number(text), 1]), inputTokens: texts.length }
    })
    const { vectors, usage } = await made.embed(['0', '1', '2', '3', '4', '5', '6'])
    expect(sizes).toEqual([3, 3, 1])
    expect(vectors.map(([first]) => first)).toEqual([0, 1, 2, 3, 4, 5, 6])
    expect(usage).toMatchObject({ inputTokens: 7, reported: true })
    expect(await made.embed([])).toMatchObject({ vectors: [], usage: { inputTokens: 0 } })
    expect(sizes).toHaveLength(3)
  })

  test('the embedder reports that counts are missing', async () => {
    expect(
      (await embedder((texts) => ({ vectors: texts.map(() => [1]) })).embed(['a'])).usage.reported,
    ).toBe(false)
  })

  test.each<[string, (texts: readonly string[]) => EmbeddingBatch]>([
    ['too few vectors', () => ({ vectors: [[1]] })],
    ['too many vectors', (texts) => ({ vectors: [...texts, 'x'].map(() => [1]) })],
    [
      'vectors of different lengths',
      (texts) => ({ vectors: texts.map((_, index) => Array.from({ length: index + 1 }, () => 0)) }),
    ],
    ['empty vectors', (texts) => ({ vectors: texts.map(() => []) })],
  ])('the embedder refuses %s', async (_, batch) => {
    await expect(embedder(batch).embed(['a', 'b'])).rejects.toMatchObject({ code: 'protocol' })
  })

  test('the embedder takes two hundred thousand texts in one batch', async () => {
    const made = embedder((texts) => ({ vectors: texts.map(() => [1]) }), 1e6)
    expect((await made.embed(Array.from({ length: 200_000 }, () => 'x'))).vectors).toHaveLength(
      200_000,
    )
  })
})
