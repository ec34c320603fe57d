import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cassette, parseCassette, recordCassette, replayCassette } from '../src/index.js'
import { cassetteFetch } from '../src/node.js'
import {
  type AnsweringServer,
  apiKey,
  end,
  events,
  expectNoKey,
  line,
  once,
  prompt,
  provider,
  recorded,
  startServer,
} from './recorded-server.js'

let server: AnsweringServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const deep: unknown = JSON.parse('['.repeat(20_000) + ']'.repeat(20_000))

describe('record and replay over a real server', () => {
  test('replay gives the same events, with another key and no connection', async () => {
    const recorder = recordCassette()
    const echoless = async (fetch: typeof recorder.fetch) => {
      const all = await events(
        await provider(server.baseUrl, fetch).streamWithTools(prompt, [], { temperature: 0 }),
      )
      return JSON.stringify(all)
        .replace(apiKey, '[redacted]')
        .replace(Buffer.from(apiKey).toString('base64'), '[redacted]')
    }
    const live = await echoless(recorder.fetch)
    const before = server.hits
    const player = replayCassette(recorder.cassette())
    expect(player.unused).toBe(1)
    expect(await echoless(player)).toBe(live)
    player.assertAllUsed()
    const other = replayCassette(recorder.cassette())
    expect(
      JSON.stringify(
        await events(
          await provider(server.baseUrl, other, 'another-key-0123456789').streamWithTools(
            prompt,
            [],
            {
              temperature: 0,
            },
          ),
        ),
      ),
    ).toBe(live)
    expect(server.hits).toBe(before)
  })

  test('the key is in the cassette in no form, not even cut in two', async () => {
    const cassette = await recorded(server.baseUrl)
    expectNoKey(cassette)
    expect(cassette.exchanges[0]?.request.headers['authorization']).toBe('[redacted]')
    expect(cassette.exchanges[0]?.response).toMatchObject({
      status: 200,
      headers: { 'set-cookie': '[redacted]', 'x-request-id': 'r1' },
    })
    expect(JSON.stringify(cassette)).toContain('[redacted]')
    expect(cassette.exchanges[0]?.request.body).toMatchObject({ model: 'llama3', messages: prompt })
  })

  test('a failed response is replayed as the same error', async () => {
    const recorder = recordCassette()
    const fail = (fetch: typeof recorder.fetch) =>
      provider(server.baseUrl, fetch)
        .complete('fail', once)
        .then(
          () => undefined,
          (error: unknown) => error,
        )
    const live = await fail(recorder.fetch)
    expectNoKey(recorder.cassette())
    const replayed = await fail(replayCassette(recorder.cassette()))
    expect(replayed).toMatchObject({ code: 'auth', status: 401 })
    expect((replayed as Error).message).toBe((live as Error).message)
  })

  test('a stream that its reader leaves is stored as cut, and replays as cut', async () => {
    const recorder = recordCassette()
    const reader = await provider(server.baseUrl, recorder.fetch).stream('slow')
    expect((await reader.next()).value).toBe('first')
    await reader.close()
    const { response } = recorder.cassette().exchanges[0]!
    expect(response).toMatchObject({ cut: true, chunks: [line('first')] })
    const replayed = await provider(server.baseUrl, replayCassette(recorder.cassette())).stream(
      'slow',
    )
    expect((await replayed.next()).value).toBe('first')
    await expect(replayed.next()).rejects.toMatchObject({
      code: 'truncated',
      partial: { text: 'first' },
    })
  })

  test('chunks pass as they come, with their boundaries', async () => {
    const pieces = [line('a'), line('b'), line('c', end)]
    let given = 0
    const stream = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          const piece = pieces[given++]
          if (piece) controller.enqueue(new TextEncoder().encode(piece))
          else controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    const recorder = recordCassette({ fetch: () => Promise.resolve(new Response(stream)) })
    const reader = await provider(server.baseUrl, recorder.fetch).stream('x')
    await reader.next()
    expect(given).toBe(1)
    for await (const _text of reader);
    expect(recorder.cassette().exchanges[0]?.response).toMatchObject({ chunks: pieces })
  })

  test('a connection that fails is replayed as the same failure', async () => {
    const recorder = recordCassette({
      fetch: () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })),
    })
    await expect(
      provider(server.baseUrl, recorder.fetch).complete('x', once),
    ).rejects.toMatchObject({
      code: 'network',
      reason: 'refused',
    })
    await expect(
      provider(server.baseUrl, replayCassette(recorder.cassette())).complete('x', once),
    ).rejects.toMatchObject({ code: 'network', reason: 'refused' })
  })
})

describe('files', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'modelport-cassette-'))
  })
  afterAll(() => rm(folder, { recursive: true, maxRetries: 5 }))

  test('auto records once, then replays; only the owner may read the file', async () => {
    const path = join(folder, 'deep', 'a.json')
    const transcript: string[] = []
    for (const mode of ['record', 'replay']) {
      const fetch = await cassetteFetch({ path })
      expect(fetch.mode).toBe(mode)
      const before = server.hits
      const reader = await provider(server.baseUrl, fetch).stream('Hi')
      for await (const _text of reader);
      transcript.push(
        reader
          .fullText()
          .replace(apiKey, '[redacted]')
          .replace(Buffer.from(apiKey).toString('base64'), '[redacted]'),
      )
      await fetch.close()
      expect(server.hits).toBe(before + (mode === 'record' ? 1 : 0))
    }
    expect(transcript[0]).toBe(transcript[1])
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    const unused = await cassetteFetch({ path, mode: 'replay' })
    await expect(unused.close()).rejects.toMatchObject({ code: 'config' })
  })
  test('a file that is missing, broken or of another version is a config error', async () => {
    await expect(
      cassetteFetch({ path: join(folder, 'none.json'), mode: 'replay' }),
    ).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining('record it first') as string,
    })
    const path = join(folder, 'broken.json')
    await writeFile(path, '{')
    await expect(cassetteFetch({ path, mode: 'replay' })).rejects.toMatchObject({ code: 'config' })
    await writeFile(path, '{"version": 2, "exchanges": []}')
    await expect(cassetteFetch({ path, mode: 'replay' })).rejects.toThrow(
      'version 2; this package reads version 1',
    )
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ version: 2, exchanges: [] })
    expect(() => parseCassette(undefined)).toThrow('no version')
  })
  test.each<[string, unknown]>([
    ['null', null],
    ['no request', { request: undefined }],
    ['an address that is not a URL', { request: { method: 'POST', url: 'x', headers: {} } }],
    [
      'a header that is a number',
      { request: { method: 'POST', url: 'https://a.example/', headers: { a: 1 } } },
    ],
    [
      'a body nested too deeply',
      { request: { method: 'POST', url: 'https://a.example/', headers: {}, body: deep } },
    ],
    ['a status that HTTP does not have', { response: { status: 99, headers: {}, chunks: [] } }],
    ['no chunks', { response: { status: 200, headers: {} } }],
    [
      'a chunk that is not base64',
      { response: { status: 200, headers: {}, chunks: [{ base64: '%' }] } },
    ],
    ['an error without its message', { response: { error: {} } }],
  ])('a cassette with %s in an exchange is refused, and the exchange is named', (_what, change) => {
    const whole = {
      request: { method: 'POST', url: 'https://a.example/', headers: {} },
      response: { status: 200, headers: {}, chunks: ['x', { base64: 'AA==' }] },
    }
    expect(parseCassette({ version: 1, exchanges: [whole] }).exchanges).toHaveLength(1)
    const exchanges = [whole, change && { ...whole, ...change }]
    expect(() => parseCassette({ version: 1, exchanges })).toThrow(
      'cassette: exchange 2 is damaged',
    )
  })

  test('a file that cannot be written leaves no draft', async () => {
    const taken = join(folder, 'taken')
    await mkdir(join(taken, 'a.json'), { recursive: true })
    const recording = await cassetteFetch({ path: join(taken, 'a.json'), mode: 'record' })
    await expect(recording.close()).rejects.toThrow()
    expect(await readdir(taken)).toEqual(['a.json'])
  })
})

test.each([
  ['12345678', 123456789, 999999999],
  ['-1234567', -1234567, -8888888],
  ['1234567.5', 1234567.5, 8888888.8],
])(
  'a recording whose secret is the number %s replays, and does not hold it',
  async (secret, order, masked) => {
    const reply = {
      message: { content: '', tool_calls: [{ function: { arguments: { order, key: secret } } }] },
    }
    const send = (fetch: typeof globalThis.fetch) =>
      fetch('http://127.0.0.1/api', {
        method: 'POST',
        headers: { authorization: secret },
        body: JSON.stringify({ order }),
      })
    const recorder = recordCassette({
      fetch: () => Promise.resolve(new Response(JSON.stringify(reply))),
    })
    await (await send(recorder.fetch)).text()
    const cassette = recorder.cassette()
    expect(JSON.stringify(cassette)).not.toContain(secret)
    const player = replayCassette(JSON.parse(JSON.stringify(cassette)) as Cassette)
    expect(await (await send(player as typeof globalThis.fetch)).json()).toMatchObject({
      message: { tool_calls: [{ function: { arguments: { order: masked } } }] },
    })
    player.assertAllUsed()
  },
)
