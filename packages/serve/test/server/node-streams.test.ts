import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAgent } from '@modelport/agent'
import { type ListeningServer, serve } from '@modelport/serve/node'
import { afterEach, expect, it } from 'vitest'
import { writeEvents } from '../../src/server/node-streams.js'
import type { EventStream } from '../../src/wire/event-stream.js'
import { EventStreams } from '../../src/wire/sse.js'
import { say } from './support.js'

type Context = Parameters<NonNullable<Parameters<typeof createAgent>[0]['handler']>>[0]

let server: ListeningServer | undefined
afterEach(() => server?.close(0))

const start = async (handler: (context: Context) => Promise<string>, streams = {}) => {
  server = await serve([createAgent({ card: { name: 'talker', description: 'Talks' }, handler })], {
    streams,
  })
}

/** A streamed task over a socket of its own, whose body is not read yet. */
async function stream(): Promise<IncomingMessage> {
  const outgoing = request(`${server?.url}/message:stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    agent: false,
  })
  outgoing.end(JSON.stringify(say('x')))
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  return response
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += String(chunk)
  return text
}

const taskIdIn = (text: string): string => /"id":"([^"]+)"/.exec(text)?.[1] ?? ''

it('events that are ready at once are one response with its length', async () => {
  const texts = ['größer', 'kleiner']
  const source: AsyncIterator<{ data: string }> = {
    next: () => {
      const data = texts.shift()
      return Promise.resolve(
        data === undefined ? { done: true, value: undefined } : { done: false, value: { data } },
      )
    },
  }
  const reply = new EventStreams().respond(source)
  const listener = createServer(
    (_, outgoing) => void writeEvents(reply.body as EventStream, reply, outgoing),
  )
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  const response = await fetch(`http://127.0.0.1:${(listener.address() as AddressInfo).port}`)
  const text = await response.text()
  listener.close()
  expect(text).toBe('data: größer\n\ndata: kleiner\n\n')
  expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
})

it('a task that ends at once is streamed whole', async () => {
  await start(() => Promise.resolve('größer'))
  const text = await textOf(await stream())
  expect(text.match(/^data: /gm)?.length).toBeGreaterThan(1)
  expect(text).toContain('größer')
  expect(text).toContain('TASK_STATE_COMPLETED')
})

it('a stream without an event sends its headers, and each event as soon as it is ready', async () => {
  let finish = (_text: string): void => undefined
  const pause = new Promise<string>((resolve) => {
    finish = resolve
  })
  await start(async ({ delta }) => {
    await delta('first ')
    return `first ${await pause}`
  })
  const told = await stream()
  const [head] = (await once(told.setEncoding('utf8'), 'data')) as [string]
  const quiet = await fetch(`${server?.url}/modelport/tasks/${taskIdIn(head)}/events?after=1000`)
  expect(quiet.headers.get('content-type')).toBe('text/event-stream')
  finish('second')
  expect(await textOf(told)).toContain('TASK_STATE_COMPLETED')
  await quiet.body?.cancel()
})

it('a reader that does not read is dropped, and its task ends for others', async () => {
  const piece = 'x'.repeat(200_000)
  await start(
    async ({ delta }) => {
      for (let count = 0; count < 100; count++) await delta(piece)
      return 'all'
    },
    { keepAliveMs: 1_000, stallMs: 500 },
  )
  const stalled = await stream()
  const read = await textOf(await stream())
  expect(read.length).toBeGreaterThan(100 * piece.length)
  expect(read).toContain('TASK_STATE_COMPLETED')
  await new Promise((resolve) => setTimeout(resolve, 2_100))
  await expect(textOf(stalled)).rejects.toMatchObject({ code: 'ECONNRESET' })
})
