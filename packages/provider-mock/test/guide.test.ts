// The code of docs/testing.md, word for word; the first test holds the two together.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMock } from '@modelport/provider-mock'
import { cassetteFetch } from '@modelport/provider-mock/node'
import { createOllama } from '@modelport/provider-ollama'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withoutLayout } from '../../../test/support/same-code.js'

let server: Server
let folder = ''
let baseUrl = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelport-guide-'))
  server = createServer((_, response) =>
    response.end(
      JSON.stringify({ message: { content: 'It is cold.' }, done: true, done_reason: 'stop' }),
    ),
  )
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  if (server.listening)
    await new Promise((resolve) => {
      server.close(resolve)
    })
  await rm(folder, { recursive: true, maxRetries: 5 })
})

test('every code block of docs/testing.md is in this file', async () => {
  const here = await readFile(new URL(import.meta.url), 'utf8')
  const guide = await readFile(new URL('../../../docs/testing.md', import.meta.url), 'utf8')
  const blocks = guide.match(/(?<=^```ts\n)[^]*?(?=^```$)/gm) ?? []
  expect(blocks).toHaveLength(5)
  for (const block of blocks) expect(withoutLayout(here)).toContain(withoutLayout(block))
})

test('the mock gives a reply', async () => {
  const mock = createMock({
    responses: ['Hello World', ({ messages }) => `${messages.length} messages`],
  })
  expect(await mock.complete('Hi')).toBe('Hello World')
  expect(await mock.complete('Hi')).toBe('1 messages')
  expect(mock.requests[0]?.messages).toEqual([{ role: 'user', content: 'Hi' }])
})

test('a tool is called', async () => {
  const mock = createMock({
    responses: [
      { toolCalls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }] },
      'It is cold.',
    ],
  })
  const tools = [{ name: 'get_weather', description: 'The weather of a city' }]
  const reader = await mock.streamWithTools([{ role: 'user', content: 'How is Oslo?' }], tools)
  for await (const event of reader) {
    if (event.type === 'tool-call-complete')
      await reader.sendToolResults([{ callId: event.toolCall.id, content: '-4 °C' }])
  }
  expect(reader.fullText()).toBe('It is cold.')
  expect(mock.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: '-4 °C' })
})

test('a reply that stops half-way rejects timeout', async () => {
  const forever = new Promise<never>(() => undefined)
  const mock = createMock({
    responses: [
      async function* () {
        yield { text: 'One, ' }
        await forever
      },
    ],
  })
  const reader = await mock.stream('Count', { deadlineMs: 50 })
  const read = async (): Promise<void> => {
    for await (const _text of reader);
  }
  await expect(read()).rejects.toMatchObject({ code: 'timeout' })
  expect(reader.fullText()).toBe('One, ')
})

test('a server that fails rejects with a typed error', async () => {
  const refusing = createMock({ responses: [{ error: 'auth' }] })
  await expect(refusing.complete('Hi')).rejects.toMatchObject({ code: 'auth' })
  const breaking = await createMock({ responses: [{ text: 'Half an ans', cut: true }] }).stream(
    'Hi',
  )
  const read = async (): Promise<void> => {
    for await (const _text of breaking);
  }
  await expect(read()).rejects.toMatchObject({
    code: 'truncated',
    partial: { text: 'Half an ans' },
  })
})

test('a cassette is recorded once and replayed afterwards', async () => {
  // records if the file is missing
  const fetch = await cassetteFetch({ path: join(folder, 'weather.json') })
  const provider = createOllama({ model: 'llama3.2', baseUrl, apiKey: 'key-0123456789', fetch })
  expect(await provider.complete('How is Oslo?')).toBe('It is cold.')
  await fetch.close() // writes the file; after a replay checks that every exchange was asked for
})

test('a cassette replays the same without the server', async () => {
  server.closeAllConnections()
  await new Promise((resolve) => {
    server.close(resolve)
  })
  const fetch = await cassetteFetch({ path: join(folder, 'weather.json'), mode: 'replay' })
  expect(
    await createOllama({ model: 'llama3.2', baseUrl, apiKey: 'another-key', fetch }).complete(
      'How is Oslo?',
    ),
  ).toBe('It is cold.')
  await fetch.close()
})
