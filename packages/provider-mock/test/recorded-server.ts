import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { StreamEvent, ToolStreamReader } from '@modelport/core'
import { createOllama } from '@modelport/provider-ollama'
import { expect } from 'vitest'
import {
  type Cassette,
  type CassettePlayer,
  type CassetteRecorder,
  recordCassette,
} from '../src/index.js'

/** The key of the tests: no cassette may hold it. */
export const apiKey = 'sk-9Zy8Xw7Vu6Ts5Rq4Po3Nm2Lk1Ji0Hg'

/** A record of the reply. */
export const line = (content: string, more: object = { done: false }) =>
  `${JSON.stringify({ message: { role: 'assistant', content }, ...more })}\n`

/** What the last record has. */
export const end = { done: true, done_reason: 'stop', prompt_eval_count: 9, eval_count: 3 }

/** What is asked. */
export const prompt = [{ role: 'user' as const, content: 'Say zażółć' }]

/** A server on the loopback address. */
export interface AnsweringServer {
  readonly baseUrl: string
  /** Requests it has had. */
  hits: number
  close(): Promise<void>
}

/**
 * Streams a reply in odd chunks, one of them ending inside a character, and repeats the key it was
 * sent, cut in two.
 */
export async function startServer(): Promise<AnsweringServer> {
  const server = createServer((request, response) => {
    started.hits++
    let body = ''
    request.on('data', (data: Buffer) => {
      body += data.toString()
    })
    request.on('end', () => {
      answer(body, response)
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const started: AnsweringServer = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    hits: 0,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
  return started
}

function answer(body: string, response: ServerResponse): void {
  if (body.includes('fail')) {
    response.writeHead(401, { 'set-cookie': `session=${apiKey}`, 'www-authenticate': 'Bearer' })
    response.end(JSON.stringify({ error: `no such key: ${apiKey.slice(0, 20)}` }))
    return
  }
  response.writeHead(200, {
    'content-type': 'application/x-ndjson',
    'set-cookie': 'session=abcdefgh12345678; Path=/',
    'x-request-id': 'r1',
  })
  const bytes = Buffer.from(
    line('Zażółć ') +
      line('gęślą') +
      line(`echo ${apiKey} and ${Buffer.from(apiKey).toString('base64')}`) +
      line('.', end),
  )
  const cuts = [10, bytes.indexOf('ó') + 1, bytes.indexOf(apiKey) + 15, bytes.length]
  const next = (index: number, from: number): void => {
    if (index === cuts.length) response.end()
    else
      response.write(bytes.subarray(from, cuts[index]), () => {
        setTimeout(next, 5, index + 1, cuts[index])
      })
  }
  if (body.includes('slow')) response.write(line('first'))
  else next(0, 0)
}

/** All that a reader gives. */
export const events = async (reader: ToolStreamReader): Promise<StreamEvent[]> => {
  const all: StreamEvent[] = []
  for await (const event of reader) all.push(event)
  return all
}

/** No second attempt. */
export const once = { retry: { attempts: 1 } }

/** A provider that sends through a recorder or a player. */
export const provider = (
  baseUrl: string,
  fetch: CassettePlayer | CassetteRecorder['fetch'],
  key = apiKey,
) => createOllama({ model: 'llama3', baseUrl, apiKey: key, fetch })

/** Every form in which the key might be found. */
const formsOfKey = [
  apiKey,
  apiKey.slice(3, 20),
  apiKey.slice(16),
  encodeURIComponent(apiKey),
  Buffer.from(apiKey).toString('base64'),
  Buffer.from(apiKey).toString('hex'),
  Buffer.from(`Bearer ${apiKey}`).toString('base64').slice(12, 40),
  apiKey.split('').reverse().join(''),
]

const stringsIn = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, inner]) => [key, ...stringsIn(inner)])
      : []

/** Fails where a cassette holds the key, in whatever form. */
export function expectNoKey(cassette: Cassette): void {
  const inBase64 = stringsIn(cassette).map((text) => Buffer.from(text, 'base64').toString('latin1'))
  const bodies = cassette.exchanges.map(({ response }) =>
    'chunks' in response
      ? response.chunks
          .map((chunk) =>
            typeof chunk === 'string'
              ? chunk
              : Buffer.from(chunk.base64, 'base64').toString('latin1'),
          )
          .join('')
      : '',
  )
  for (const text of [JSON.stringify(cassette), ...inBase64, ...bodies]) {
    for (const form of formsOfKey) expect(text).not.toContain(form)
  }
}

/** A reply of the server, recorded. */
export async function recorded(baseUrl: string): Promise<Cassette> {
  const recorder = recordCassette()
  await events(
    await provider(baseUrl, recorder.fetch).streamWithTools(prompt, [], { temperature: 0 }),
  )
  return recorder.cassette()
}
