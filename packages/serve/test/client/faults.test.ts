import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, createServer as createProxy } from 'node:net'
import { answerOf, type ClientEvent, isTerminal } from '@modelport/agent'
import { createAgentClient } from '@modelport/serve'
import { type ListeningServer, serve } from '@modelport/serve/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readEvents } from '../../src/connection/event-stream.js'
import { echoAgent } from '../server/support.js'

const closers: (() => void | Promise<void>)[] = []
afterAll(async () => {
  for (const close of closers) await close()
})

const answer = '0 1 2 3 '

/** The text that a reader of these events shows at the end. */
async function shownBy(events: AsyncIterable<ClientEvent>): Promise<string> {
  let text = ''
  for await (const event of events) {
    if (event.type === 'task') text = answerOf(event.task)
    if (event.type === 'text-delta') text = (event.first ? '' : text) + event.text
  }
  return text
}

/** What happens to the first stream after some chunks: an error, an end, or nothing any more. */
type Fault = 'cut' | 'close' | 'stall'

function breakBody(
  body: ReadableStream<Uint8Array>,
  chunks: number,
  fault: Fault,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let count = 0
  return new ReadableStream({
    pull: async (controller) => {
      if (count++ < chunks) {
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
        return
      }
      await reader.cancel()
      if (fault === 'cut') controller.error(new Error('cut'))
      if (fault === 'close') controller.close()
      if (fault === 'stall') await new Promise(() => undefined)
    },
  })
}

describe('a stream that is lost', () => {
  let server: ListeningServer
  beforeAll(async () => {
    const handler = async ({ delta }: { delta(text: string): Promise<void> }) => {
      for (const piece of ['0 ', '1 ', '2 ', '3 ']) {
        await delta(piece)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      return answer
    }
    server = await serve([echoAgent({ handler })])
    closers.push(() => server.close(0))
  })

  const cases = (['cut', 'close', 'stall'] as const).flatMap((fault) =>
    (['modelport', 'another implementation'] as const).flatMap((peer) =>
      (['JSONRPC', 'HTTP+JSON'] as const).map((binding) => [fault, peer, binding] as const),
    ),
  )
  it.each(cases)(
    'a stream that is lost is read to its end after a %s, with %s over %s, wherever it is lost',
    async (fault, peer, binding) => {
      const shown = [0, 1, 2, 3, 4, 5].map((chunks) => {
        let isBroken = false
        const client = createAgentClient(server.url, {
          binding,
          reconnectMs: 1,
          idleMs: fault === 'stall' ? 150 : 10_000,
          maxReconnects: 50,
          fetch: async (input, init) => {
            const headers = new Headers(init?.headers)
            // Without our extension events have no numbers, as with other implementations.
            if (peer !== 'modelport') headers.delete('a2a-extensions')
            const response = await fetch(input, { ...init, headers })
            if (isBroken || !response.headers.get('content-type')?.startsWith('text/event-stream'))
              return response
            isBroken = true
            return new Response(
              breakBody(response.body as ReadableStream<Uint8Array>, Math.max(1, chunks), fault),
              response,
            )
          },
        })
        return shownBy(client.stream('go'))
      })
      expect(await Promise.all(shown)).toEqual(shown.map(() => answer))
    },
  )

  it('a task that ended while its stream was lost has its end as a status, too', async () => {
    const witness = createAgentClient(server.url)
    let isBroken = false
    const client = createAgentClient(server.url, {
      reconnectMs: 1,
      fetch: async (input, init) => {
        if (isBroken)
          await expect
            .poll(async () => (await witness.list()).tasks.every(({ state }) => isTerminal(state)))
            .toBe(true)
        const response = await fetch(input, init)
        if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response
        isBroken = true
        return new Response(
          breakBody(response.body as ReadableStream<Uint8Array>, 1, 'cut'),
          response,
        )
      },
    })
    const events: string[] = []
    for await (const event of client.stream('go'))
      events.push(event.type === 'status' ? event.state : event.type)
    expect(events.slice(-2)).toEqual(['completed', 'task'])
  })

  it('a task that cannot be fetched at the end of its stream has the answer as it was streamed', async () => {
    const client = createAgentClient(server.url, {
      fetch: (input, init) =>
        (init?.body as string | undefined)?.includes('GetTask')
          ? Promise.reject(new TypeError('fetch failed'))
          : fetch(input, init),
    })
    const answers: string[] = []
    for await (const event of client.stream('go'))
      if (event.type === 'task') answers.push(answerOf(event.task))
    expect(answers.at(-1)).toBe(answer)
  })

  it('a stream that is lost is read to its end after a connection reset', async () => {
    let resets = 3
    const proxy = createProxy((inner) => {
      const outer = connect(server.port, '127.0.0.1')
      inner.on('error', () => outer.destroy())
      outer.on('error', () => inner.destroy())
      inner.pipe(outer)
      outer.on('data', (bytes) => {
        if (bytes.includes('text/event-stream') && resets-- > 0) {
          inner.write(bytes)
          setImmediate(() => inner.resetAndDestroy())
        } else inner.write(bytes)
      })
      outer.on('end', () => inner.end())
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => proxy.once('listening', resolve))
    closers.push(() => void proxy.close())
    const { port } = proxy.address() as AddressInfo
    const client = createAgentClient(`http://127.0.0.1:${port}`, {
      allowedOrigins: [server.url],
      reconnectMs: 1,
      maxReconnects: 50,
      fetch: (input, init) =>
        fetch((input as string).replace(server.url, `http://127.0.0.1:${port}`), init),
    })
    // The request itself may be lost with the connection: then nothing was shown, and the caller
    // sends it again.
    const shown = await shownBy(client.stream('go')).catch(() => shownBy(client.stream('go')))
    expect(shown).toBe(answer)
  })
})

describe('the events of a stream', () => {
  it.each(['\n', '\r\n', '\r'])(
    'the events of a stream are the same however the bytes are split, with line ends %j',
    async (end) => {
      const text = [
        'data: 1',
        'id: 7',
        '',
        ': comment',
        '',
        'event: error',
        'data: a',
        'data: b',
        '',
        '',
      ].join(end)
      const bytes = new TextEncoder().encode(text)
      for (let size = 1; size <= bytes.length; size++) {
        const body = new ReadableStream<Uint8Array>({
          start: (controller) => {
            for (let at = 0; at < bytes.length; at += size)
              controller.enqueue(bytes.slice(at, at + size))
            controller.close()
          },
        })
        const events = []
        for await (const event of readEvents(body, 10_000)) events.push(event)
        expect(events, `pieces of ${size}`).toEqual([
          { data: '1', id: '7' },
          { data: 'a\nb', event: 'error' },
        ])
      }
    },
  )
})

describe('a server that misbehaves', () => {
  /** A server that gives a card, and then whatever the test says. */
  async function serverOf(handle: Parameters<typeof createServer>[1]): Promise<string> {
    const server: Server = createServer((request, response) => {
      if (request.url?.endsWith('agent-card.json')) {
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
        const card = {
          name: 'x',
          description: 'x',
          version: '1',
          capabilities: { streaming: true },
          supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
        }
        response.setHeader('content-type', 'application/json').end(JSON.stringify(card))
      } else handle?.(request, response)
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    closers.push(() => {
      server.closeAllConnections()
      server.close()
    })
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const sse = { 'content-type': 'text/event-stream' }

  it('a response that never ends is refused at the limit', async () => {
    const url = await serverOf((_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(' '.repeat(65_536)));
      }
      response.writeHead(200, { 'content-type': 'application/json' }).on('drain', more)
      more()
    })
    const client = createAgentClient(url, { maxBytes: 1_000_000 })
    await expect(client.send('hi')).rejects.toMatchObject({ code: 'limit-exceeded' })
  })

  it('an event that never ends is refused at the limit', async () => {
    const url = await serverOf((_, response) => {
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(1_048_576)));
      }
      response.writeHead(200, sse).on('drain', more).write('data: ')
      more()
    })
    await expect(shownBy(createAgentClient(url).stream('hi'))).rejects.toMatchObject({
      code: 'limit-exceeded',
    })
  })

  it.each([
    ['text that is not JSON', 'data: {\n\n'],
    ['an event that A2A does not have', 'data: {"jsonrpc":"2.0","id":1,"result":{"news":{}}}\n\n'],
    ['an error', 'data: {"jsonrpc":"2.0","id":1,"error":{"code":-32004,"message":"no"}}\n\n'],
  ])('a server that sends %s is reported as a typed error', async (_, text) => {
    const url = await serverOf((_request, response) => void response.writeHead(200, sse).end(text))
    await expect(shownBy(createAgentClient(url).stream('hi'))).rejects.toMatchObject({
      name: 'AgentError',
    })
  })

  it('a server that closes the connection in the middle of a response is a network error with the host', async () => {
    const url = await serverOf((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
      response.write('{"name":', () => response.destroy())
    })
    await expect(createAgentClient(url).get('task')).rejects.toMatchObject({
      code: 'network',
      message: expect.stringContaining('broke in the middle of a response') as string,
    })
  })
})
