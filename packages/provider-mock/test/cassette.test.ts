import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isLlmError, type StreamEvent, type ToolStreamReader } from '@modelport/core'
import { conformance, ollamaChat } from '@modelport/conformance'
import { createOllama } from '@modelport/provider-ollama'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cassette, CassetteMismatchError, parseCassette, recordCassette, replayCassette } from '../src/index.js'
import { cassetteFetch, loadCassette, saveCassette } from '../src/node.js'

const apiKey = 'sk-9Zy8Xw7Vu6Ts5Rq4Po3Nm2Lk1Ji0Hg'
const line = (content: string, more: object = { done: false }) => `${JSON.stringify({ message: { role: 'assistant', content }, ...more })}\n`
const end = { done: true, done_reason: 'stop', prompt_eval_count: 9, eval_count: 3 }
const prompt = [{ role: 'user' as const, content: 'Say zażółć' }]

/** Streams an answer in odd chunks, one of them ending inside a character, and repeats the key it was sent, cut in two. */
let server: Server
let baseUrl = ''
let hits = 0
beforeAll(async () => {
  server = createServer((request, response) => {
    hits++
    let body = ''
    request.on('data', (data: Buffer) => { body += data.toString() })
    request.on('end', () => {
      if (body.includes('fail')) {
        response.writeHead(401, { 'set-cookie': `session=${apiKey}`, 'www-authenticate': 'Bearer' })
        response.end(JSON.stringify({ error: `no such key: ${apiKey.slice(0, 20)}` }))
        return
      }
      response.writeHead(200, { 'content-type': 'application/x-ndjson', 'set-cookie': 'session=abcdefgh12345678; Path=/', 'x-request-id': 'r1' })
      const bytes = Buffer.from(line('Zażółć ') + line('gęślą') + line(`echo ${apiKey} and ${Buffer.from(apiKey).toString('base64')}`) + line('.', end))
      const cuts = [10, bytes.indexOf('ó') + 1, bytes.indexOf(apiKey) + 15, bytes.length]
      const next = (index: number, from: number): void => {
        if (index === cuts.length) response.end()
        else response.write(bytes.subarray(from, cuts[index]), () => { setTimeout(next, 5, index + 1, cuts[index]) })
      }
      if (body.includes('slow')) response.write(line('first'))
      else next(0, 0)
    })
  })
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve) })
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => { server.close(resolve) })
})

const events = async (reader: ToolStreamReader): Promise<StreamEvent[]> => {
  const all: StreamEvent[] = []
  for await (const event of reader) all.push(event)
  return all
}
const once = { retry: { attempts: 1 } }
const provider = (fetch: ReturnType<typeof replayCassette> | ReturnType<typeof recordCassette>['fetch'], key = apiKey) =>
  createOllama({ model: 'llama3', baseUrl, apiKey: key, fetch })

/** Every form in which the key might be found. */
const formsOfKey = [
  apiKey, apiKey.slice(3, 20), apiKey.slice(16), encodeURIComponent(apiKey), Buffer.from(apiKey).toString('base64'), Buffer.from(apiKey).toString('hex'),
  Buffer.from(`Bearer ${apiKey}`).toString('base64').slice(12, 40), apiKey.split('').reverse().join(''),
]
const stringsIn = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : typeof value === 'object' && value !== null ? Object.entries(value).flatMap(([key, inner]) => [key, ...stringsIn(inner)]) : []
function expectNoKey(cassette: Cassette): void {
  const inBase64 = stringsIn(cassette).map((text) => Buffer.from(text, 'base64').toString('latin1'))
  const bodies = cassette.exchanges.map(({ response }) =>
    'chunks' in response ? response.chunks.map((chunk) => (typeof chunk === 'string' ? chunk : Buffer.from(chunk.base64, 'base64').toString('latin1'))).join('') : '')
  for (const text of [JSON.stringify(cassette), ...inBase64, ...bodies]) {
    for (const form of formsOfKey) expect(text).not.toContain(form)
  }
}

async function recorded(): Promise<{ cassette: Cassette; transcript: StreamEvent[] }> {
  const recorder = recordCassette()
  const transcript = await events(await provider(recorder.fetch).streamWithTools(prompt, [], { temperature: 0 }))
  return { cassette: recorder.cassette(), transcript }
}

describe('record and replay over a real server', () => {
  test('replay gives the same events, with another key and no connection', async () => {
    const recorder = recordCassette()
    const echoless = async (fetch: typeof recorder.fetch) => {
      const all = await events(await provider(fetch).streamWithTools(prompt, [], { temperature: 0 }))
      return JSON.stringify(all).replace(apiKey, '[redacted]').replace(Buffer.from(apiKey).toString('base64'), '[redacted]')
    }
    const live = await echoless(recorder.fetch)
    const before = hits
    const player = replayCassette(recorder.cassette())
    expect(player.unused).toBe(1)
    expect(await echoless(player)).toBe(live)
    player.assertAllUsed()
    const other = replayCassette(recorder.cassette())
    expect(JSON.stringify(await events(await provider(other, 'another-key-0123456789').streamWithTools(prompt, [], { temperature: 0 })))).toBe(live)
    expect(hits).toBe(before)
  })

  test('the key is in the cassette in no form, not even cut in two', async () => {
    const { cassette } = await recorded()
    expectNoKey(cassette)
    expect(cassette.exchanges[0]?.request.headers['authorization']).toBe('[redacted]')
    expect(cassette.exchanges[0]?.response).toMatchObject({ status: 200, headers: { 'set-cookie': '[redacted]', 'x-request-id': 'r1' } })
    expect(JSON.stringify(cassette)).toContain('[redacted]')
    expect(cassette.exchanges[0]?.request.body).toMatchObject({ model: 'llama3', messages: prompt })
  })

  test('a failed answer is replayed as the same error', async () => {
    const recorder = recordCassette()
    const fail = (fetch: typeof recorder.fetch) => provider(fetch).complete('fail', once).then(() => undefined, (error: unknown) => error)
    const live = await fail(recorder.fetch)
    expectNoKey(recorder.cassette())
    const replayed = await fail(replayCassette(recorder.cassette()))
    expect(replayed).toMatchObject({ code: 'auth', status: 401 })
    expect((replayed as Error).message).toBe((live as Error).message)
  })

  test('a stream that its reader leaves is stored as cut, and replays as cut', async () => {
    const recorder = recordCassette()
    const reader = await provider(recorder.fetch).stream('slow')
    expect((await reader.next()).value).toBe('first')
    await reader.close()
    const { response } = recorder.cassette().exchanges[0]!
    expect(response).toMatchObject({ cut: true, chunks: [line('first')] })
    const replayed = await provider(replayCassette(recorder.cassette())).stream('slow')
    expect((await replayed.next()).value).toBe('first')
    await expect(replayed.next()).rejects.toMatchObject({ code: 'truncated', partial: { text: 'first' } })
  })

  test('chunks pass as they come, with their boundaries', async () => {
    const pieces = [line('a'), line('b'), line('c', end)]
    let given = 0
    const stream = new ReadableStream<Uint8Array>({ pull: (controller) => {
      const piece = pieces[given++]
      if (piece) controller.enqueue(new TextEncoder().encode(piece))
      else controller.close()
    } }, { highWaterMark: 0 })
    const recorder = recordCassette({ fetch: () => Promise.resolve(new Response(stream)) })
    const reader = await provider(recorder.fetch).stream('x')
    await reader.next()
    expect(given).toBe(1)
    for await (const _text of reader);
    expect(recorder.cassette().exchanges[0]?.response).toMatchObject({ chunks: pieces })
  })

  test('a connection that fails is replayed as the same failure', async () => {
    const recorder = recordCassette({ fetch: () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })) })
    await expect(provider(recorder.fetch).complete('x', once)).rejects.toMatchObject({ code: 'network', reason: 'refused' })
    await expect(provider(replayCassette(recorder.cassette())).complete('x', once)).rejects.toMatchObject({ code: 'network', reason: 'refused' })
  })
})

describe('what is taken out', () => {
  const recordOne = async (url: string, init: RequestInit, secrets: readonly string[] = [], answer = 'ok') => {
    const recorder = recordCassette({ secrets, fetch: () => Promise.resolve(new Response(answer, { headers: { 'x-ratelimit-remaining-tokens': '7' } })) })
    await (await recorder.fetch(url, init)).text()
    return recorder.cassette()
  }
  test.each(['authorization', 'x-api-key', 'api-key', 'x-goog-api-key', 'cookie', 'proxy-authorization'])('the header %s', async (name) => {
    const cassette = await recordOne('https://host.example/a', { method: 'POST', headers: { [name]: `x=${apiKey}` }, body: `{"echo":"${apiKey}"}` }, [], `your key ${apiKey}`)
    expect(cassette.exchanges[0]?.request).toMatchObject({ headers: { [name]: '[redacted]' }, body: { echo: '[redacted]' } })
    expectNoKey(cassette)
  })
  test('keys in the URL', async () => {
    const cassette = await recordOne(`https://user:${apiKey}@host.example/a?key=${apiKey}&alt=sse&api_key=short`, { method: 'GET' })
    expect(cassette.exchanges[0]?.request.url).toBe('https://host.example/a?key=redacted&alt=sse&api_key=redacted')
    expectNoKey(cassette)
  })
  test('given secrets, beyond ASCII too, wherever they are; counts of rate limits stay', async () => {
    const cassette = await recordOne('https://host.example/żółw', { method: 'POST', body: '{"user":"Zażółć","n":1}' }, ['Zażółć', '/%C5%BC'], 'Hello Zażółć')
    expect(JSON.stringify(cassette)).not.toContain('Zażółć')
    expect(cassette.exchanges[0]).toMatchObject({ request: { body: { user: '[redacted]', n: 1 } }, response: { chunks: ['Hello [redacted]'], headers: { 'x-ratelimit-remaining-tokens': '7' } } })
  })
  test('a secret too short to look for is refused', () => {
    expect(() => recordCassette({ secrets: ['abc'] })).toThrow(/fewer than 4/)
  })
})

describe('a request that differs', () => {
  const mismatch = async (sent: RequestInit & { url?: string }, options = {}): Promise<CassetteMismatchError> => {
    const cassette: Cassette = { version: 1, exchanges: [{
      request: { method: 'POST', url: 'https://host.example/v1/chat', headers: { 'content-type': 'application/json' }, body: { model: 'a', messages: [{ role: 'user', content: 'What is the weather in Paris today, and in Rome?' }], 'a/b': 1 } },
      response: { status: 200, headers: {}, chunks: ['ok'] },
    }] }
    const { url = 'https://host.example/v1/chat', ...init } = sent
    const error = await replayCassette(cassette, options)(url, { method: 'POST', headers: { 'content-type': 'application/json' }, ...init }).then(() => undefined, (thrown: unknown) => thrown)
    if (!(error instanceof CassetteMismatchError)) throw new Error(`expected a mismatch, not ${String(error)}`)
    return error
  }
  const body = (change: object) => JSON.stringify({ model: 'a', messages: [{ role: 'user', content: 'What is the weather in Paris today, and in Rome?' }], 'a/b': 1, ...change })

  test('is told where and how', async () => {
    const error = await mismatch({ url: 'https://host.example/v2/chat', headers: { 'content-type': 'text/plain' }, body: body({ model: 'b', temperature: 0, 'a/b': undefined, messages: [{ role: 'user', content: 'What is the weather in Paris tomorrow, and in Rome?' }] }) })
    expect(error.code).toBe('invalid-request')
    expect(error.message).toMatchInlineSnapshot(`
      "cassette: the request is not the recorded one
        url: expected https://host.example/v1/chat, sent https://host.example/v2/chat
        header content-type: expected "application/json", sent "text/plain"
        /model: expected "a", sent "b"
        /messages/0/content: expected … in Paris today, and in Rome?", sent … in Paris tomorrow, and in Rome?"
        /a~1b: expected 1, sent nothing
        /temperature: expected nothing, sent 0"
    `)
  })
  test('in a hundred places is told in twenty lines', async () => {
    const error = await mismatch({ body: body(Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`f${index}`, index]))) })
    expect(error.diff).toHaveLength(100)
    expect(error.message.split('\n')).toHaveLength(21)
    expect(error.message).toContain('… and 81 more')
  })
  test('reaches the caller of a provider as a typed error, untried', async () => {
    const { cassette } = await recorded()
    const player = replayCassette(cassette)
    const error = await provider(player).streamWithTools(prompt, [], { temperature: 1 }).then(() => undefined, (thrown: unknown) => thrown)
    expect(isLlmError(error, 'invalid-request')).toBe(true)
    expect((error as Error).message).toContain('/options/temperature: expected 0, sent 1')
    expect(player.unused).toBe(1)
    expect(() => { player.assertAllUsed() }).toThrow(/1 exchanges were not asked for\n {2}POST http/)
  })
  test('passes when it is lenient, unless the path differs', async () => {
    const { cassette } = await recorded()
    const answer = await provider(replayCassette(cassette, { mode: 'lenient' })).stream('something else')
    expect((await answer.next()).value).toBe('Zażółć ')
    const error = await replayCassette(cassette, { mode: 'lenient' })('https://host.example/other', { method: 'POST' }).then(() => undefined, (thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(CassetteMismatchError)
  })
  test('in any order each finds its own; then there is nothing left', async () => {
    const exchange = (text: string) => ({ request: { method: 'POST', url: 'https://host.example/', headers: {}, body: { text } }, response: { status: 200, headers: {}, chunks: [`answer ${text}`] } })
    const player = replayCassette({ version: 1, exchanges: ['a', 'b', 'b'].map(exchange) }, { order: 'any' })
    const ask = async (text: string) => (await player('https://host.example/', { method: 'POST', body: JSON.stringify({ text }) })).text()
    expect([await ask('b'), await ask('a'), await ask('b')]).toEqual(['answer b', 'answer a', 'answer b'])
    await expect(ask('a')).rejects.toThrow('no exchange is left')
  })
})

const node = !('Deno' in globalThis) && process.versions['bun'] === undefined

describe.runIf(node)('through a proxy with a password', () => {
  const asked: string[] = []
  const proxy = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.end(line(`you are ${request.headers['proxy-authorization'] ?? 'nobody'}, p%40ss-of-tests or p@ss-of-tests`, end))
  })
  let address = ''
  beforeAll(async () => {
    await new Promise<void>((resolve) => { proxy.listen(0, '127.0.0.1', resolve) })
    address = `http://me:p%40ss-of-tests@127.0.0.1:${(proxy.address() as AddressInfo).port}`
  })
  afterAll(() => { proxy.close().closeAllConnections() })

  test('the recorder sends through it, and stores no password', async () => {
    const recorder = recordCassette({ proxy: address })
    expect(await provider(recorder.fetch).complete('Hi')).toContain(`Basic ${btoa('me:p@ss-of-tests')}`)
    expect(asked.splice(0)).toEqual([`${baseUrl.replace('/v1', '')}/api/chat`])
    const stored = JSON.stringify(recorder.cassette())
    expect(stored).toContain('you are Basic')
    expect(stored).not.toMatch(/p(@|%40)ss-of|QHNzLW9mLXRlc3/)
  })

  test('so does one with a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'modelport-cassette-'))
    const fetch = await cassetteFetch({ path: join(folder, 'a.json'), proxy: address })
    await provider(fetch).complete('Hi')
    expect(asked.splice(0)).toHaveLength(1)
    await fetch.close()
    expect(await readFile(join(folder, 'a.json'), 'utf8')).not.toMatch(/p(@|%40)ss-of|QHNzLW9mLXRlc3/)
    await rm(folder, { recursive: true })
  })

  test('of a proxy that is not there the reason is stored, without its password', async () => {
    const recorder = recordCassette({ proxy: 'http://me:p%40ss-of-tests@127.0.0.1:1' })
    await expect(provider(recorder.fetch).complete('Hi', once)).rejects.toMatchObject({ code: 'network', reason: 'refused' })
    const [exchange] = recorder.cassette().exchanges
    expect(exchange?.response).toEqual({ error: { message: expect.stringContaining('127.0.0.1:1') as string, code: 'ECONNREFUSED' } })
    expect(JSON.stringify(exchange)).not.toMatch(/p(@|%40)ss-of/)
  })
})

test('a key in a header of any name is taken out where the server repeats it', async () => {
  const key = 'pk0123456789abcdefghijkl'
  const recorder = recordCassette({ fetch: () => Promise.resolve(new Response(`{"error":"${key} and ${btoa(key)}"}`, { status: 400 })) })
  await recorder.fetch('https://host.example/', { method: 'POST', headers: { 'x-team': key }, body: '{}' }).then((response) => response.text())
  expect(JSON.stringify(recorder.cassette())).not.toMatch(/pk012345|cGswMTIz/)
})

describe('files', () => {
  let folder = ''
  beforeAll(async () => { folder = await mkdtemp(join(tmpdir(), 'modelport-cassette-')) })
  afterAll(() => rm(folder, { recursive: true }))

  test('auto records once, then replays; only the owner may read the file', async () => {
    const path = join(folder, 'deep', 'a.json')
    const transcript: string[] = []
    for (const mode of ['record', 'replay']) {
      const fetch = await cassetteFetch({ path })
      expect(fetch.mode).toBe(mode)
      const before = hits
      const reader = await provider(fetch).stream('Hi')
      for await (const _text of reader);
      transcript.push(reader.fullText().replace(apiKey, '[redacted]').replace(Buffer.from(apiKey).toString('base64'), '[redacted]'))
      await fetch.close()
      expect(hits).toBe(before + (mode === 'record' ? 1 : 0))
    }
    expect(transcript[0]).toBe(transcript[1])
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    const unused = await cassetteFetch({ path, mode: 'replay' })
    await expect(unused.close()).rejects.toMatchObject({ code: 'config' })
  })
  test('a file that is missing, broken or of another version is a config error', async () => {
    await expect(cassetteFetch({ path: join(folder, 'none.json'), mode: 'replay' })).rejects.toMatchObject({ code: 'config', message: expect.stringContaining('record it first') as string })
    const path = join(folder, 'broken.json')
    await writeFile(path, '{')
    await expect(loadCassette(path)).rejects.toMatchObject({ code: 'config' })
    await saveCassette(path, { version: 2, exchanges: [] } as unknown as Cassette)
    await expect(loadCassette(path)).rejects.toThrow('version 2; this package reads version 1')
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ version: 2, exchanges: [] })
    expect(() => parseCassette(undefined)).toThrow('no version')
  })
})

// A recorder changes nothing for the provider behind it: whatever holds without it holds with it.
conformance({ describe, test }, {
  name: 'ollama behind a recorder',
  format: ollamaChat,
  apiKey,
  create: ({ fetch, ...config }) => createOllama({ model: 'llama3', baseUrl: 'https://ollama.example', apiKey, ...config, fetch: recordCassette({ fetch }).fetch }),
})
