// The tools of docs/guides/vendor-endpoints.md, as the page has them, against doubles of the three
// APIs that refuse what their documentation does not have.
import { rmSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JsonObject } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { infer, type ToolSource } from '@modelport/runtime'
import type { ImageGenerateParams } from 'openai/resources/images'
import { afterAll, afterEach, expect, test } from 'vitest'
import { pageFolder, writePage } from './support/doc-blocks.js'

const page = 'docs/guides/vendor-endpoints.md'
const kind = `vendor-endpoints-${process.pid}`
const [file = ''] = writePage(kind, page)
const { mediaTools } = (await import(file)) as {
  readonly mediaTools: (settings: object) => ToolSource
}
afterAll(() => rmSync(pageFolder(kind, page), { recursive: true, force: true }))

const keys = { openai: 'sk-openai-0123', deepgram: 'dg-key-4567', cohere: 'co-key-8901' }
type Body = Readonly<Record<string, unknown>>

/** What each API documents: the fields that it takes, those it needs, and what it responds. */
interface Double {
  readonly authorization: string
  readonly path: string
  readonly query: readonly string[]
  readonly fields: readonly string[]
  readonly needed: readonly string[]
  readonly reply: (body: Body) => object
}

/** The fields of a picture, by the vendor's own types; `gpt-image-1` takes no `response_format`. */
const pictureFields = {
  prompt: true,
  model: true,
  n: true,
  size: true,
  quality: true,
  background: true,
  moderation: true,
  output_compression: true,
  output_format: true,
  partial_images: true,
  stream: true,
  user: true,
} satisfies Partial<Record<keyof ImageGenerateParams, true>>

const png = 'iVBORw0KGgo='
const doubles: Readonly<Record<keyof typeof keys, Double>> = {
  openai: {
    authorization: `Bearer ${keys.openai}`,
    path: '/v1/images/generations',
    query: [],
    fields: Object.keys(pictureFields),
    needed: ['prompt'],
    reply: () => ({ created: 1, data: [{ b64_json: png }] }),
  },
  // https://developers.deepgram.com/docs/getting-started-with-pre-recorded-audio (read 2026-11-30)
  deepgram: {
    authorization: `Token ${keys.deepgram}`,
    path: '/v1/listen',
    query: ['model', 'language', 'smart_format', 'punctuate', 'diarize'],
    fields: ['url'],
    needed: ['url'],
    reply: () => ({
      metadata: { channels: 1 },
      results: { channels: [{ alternatives: [{ transcript: 'It is warm.', confidence: 0.9 }] }] },
    }),
  },
  // The fields that clients of Apache Airflow and LiteLLM send (read 2026-11-30).
  cohere: {
    authorization: `Bearer ${keys.cohere}`,
    path: '/v2/rerank',
    query: [],
    fields: ['model', 'query', 'documents', 'top_n', 'max_tokens_per_doc'],
    needed: ['model', 'query', 'documents'],
    reply: ({ documents }) => ({
      id: 'r1',
      results: (documents as readonly string[])
        .map((text, index) => ({ index, relevance_score: text.includes('warm') ? 0.9 : 0.1 }))
        .sort((a, b) => b.relevance_score - a.relevance_score),
    }),
  },
}

/** What an API refuses of a request. */
function problemOf(double: Double, { url = '', headers }: IncomingMessage, body: Body): string {
  const { pathname, searchParams } = new URL(url, 'http://double')
  if (headers.authorization !== double.authorization) return 'the key is wrong'
  if (pathname !== double.path) return `there is no ${pathname}`
  const unknown = [
    ...[...searchParams.keys()].filter((name) => !double.query.includes(name)),
    ...Object.keys(body).filter((name) => !double.fields.includes(name)),
  ]
  if (unknown.length) return `unknown: ${unknown.join(', ')}`
  const missing = double.needed.filter((name) => body[name] === undefined)
  return missing.length ? `missing: ${missing.join(', ')}` : ''
}

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

/** Starts the double of an API. `failures` are the statuses of its first responses. */
async function startDouble(name: keyof typeof keys, failures: readonly number[]) {
  const requests: string[] = []
  const left = [...failures]
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (part: string) => (text += part))
    request.on('end', () => {
      requests.push(request.url ?? '')
      const body = JSON.parse(text) as Body
      const status = left.shift()
      const problem =
        status === undefined
          ? problemOf(doubles[name], request, body)
          : `key ${request.headers.authorization}`
      const location = status === 302 ? { location: 'http://127.0.0.1:1/' } : {}
      response
        .writeHead(status ?? (problem ? 400 : 200), {
          'content-type': 'application/json',
          ...location,
        })
        .end(JSON.stringify(problem ? { message: problem } : doubles[name].reply(body)))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ends.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return { host, requests, url: `http://${host}${name === 'cohere' ? '/v2' : '/v1'}` }
}

/** Runs a model that calls one of the tools; `failures` are of the API behind it. */
async function call(
  name: keyof typeof keys,
  tool: string,
  args: JsonObject,
  failures: readonly number[] = [],
) {
  const double = await startDouble(name, failures)
  const nowhere = 'http://127.0.0.1:1/v1'
  const urls = { openai: nowhere, deepgram: nowhere, cohere: nowhere, [name]: double.url }
  const source = mediaTools({ keys, urls })
  const provider = createMock({
    responses: [{ toolCalls: [{ name: tool, arguments: args }] }, 'Done.'],
  })
  const result = await infer(provider, { query: 'Go.', sources: [source] })
  const read = result.transcript.find(({ role }) => role === 'tool')?.content
  return { double, source, result, read }
}

test('the hosts of the three APIs are on the list before anything is contacted', () => {
  const { apiHosts } = mediaTools({ keys })
  expect(apiHosts).toEqual(['api.openai.com:443', 'api.deepgram.com:443', 'api.cohere.com:443'])
  expect(() => mediaTools({ keys: { ...keys, cohere: '' } })).toThrow(
    'the key of cohere is not set',
  )
})

test('the model gets the picture, the transcript and the ranking that the APIs give', async () => {
  const picture = await call('openai', 'draw', { prompt: 'Rome at noon' })
  expect(picture.read).toEqual([
    { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: png } },
  ])
  expect(picture.source.apiHosts).toContain(picture.double.host)
  const transcript = await call('deepgram', 'transcribe', { url: 'https://a.example/a.mp3' })
  expect(transcript.read).toBe('It is warm.')
  const ranking = await call('cohere', 'rank', { question: 'Warm?', texts: ['cold', 'warm'] })
  expect(JSON.parse(ranking.read as string)).toEqual([
    { text: 'warm', score: 0.9 },
    { text: 'cold', score: 0.1 },
  ])
})

test('a busy API is asked again for what changes nothing, and once for what costs', async () => {
  const transcript = await call('deepgram', 'transcribe', { url: 'https://a.example/a' }, [503])
  expect([transcript.double.requests.length, transcript.read]).toEqual([2, 'It is warm.'])
  const picture = await call('openai', 'draw', { prompt: 'Rome' }, [503])
  expect(picture.double.requests).toHaveLength(1)
  expect(picture.read).toContain('overloaded')
})

test.each([302, 401, 500])(
  'no tool follows a redirect, and no error of status %i shows a key',
  async (status) => {
    const { double, result, read } = await call('openai', 'draw', { prompt: 'Rome' }, [status])
    expect(double.requests).toHaveLength(1)
    expect(read).toMatch(/openai/)
    expect(JSON.stringify(result)).not.toContain(keys.openai)
  },
)
