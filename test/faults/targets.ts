import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, Server, Socket } from 'node:net'
import type { ScriptTurn, WireFormat, WireRequest } from '@modelport/conformance'
import type { ChatMessage, Provider } from '@modelport/core'
import { afterEach } from 'vitest'
import { apiKey, type SuiteSettings, testedApis } from '../providers.js'

/** An API with the provider that speaks it. */
export interface Target {
  readonly name: string
  readonly format: WireFormat
  /** A provider of it at this address. */
  create(baseUrl: string, settings?: SuiteSettings): Provider
}

export { apiKey }

export const targets: readonly Target[] = testedApis.map(({ name, format, create }) => ({
  name,
  format,
  create: (baseUrl, settings = {}) => create(settings, baseUrl),
}))

/** One attempt a call. */
export const once = { retry: { attempts: 1 } }

export const question: readonly ChatMessage[] = [{ role: 'user', content: 'What is the weather?' }]

export const tools = [
  {
    name: 'get_weather',
    description: 'The weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
  {
    name: 'get_time',
    description: 'The time',
    parameters: { type: 'object', properties: { zone: { type: 'string' } } },
  },
]

/** A reply with everything that can be cut: letters of four bytes, text, two calls. */
export const richTurn: ScriptTurn = {
  text: ['Zażółć ', '👩‍🚀 gęślą ', 'jaźń.'],
  toolCalls: [
    { id: 'call_a', name: 'get_weather', arguments: { city: 'Łódź 🏭' } },
    { id: 'call_b', name: 'get_time', arguments: { zone: 'UTC' } },
  ],
  finish: 'tool-calls',
  usage: { inputTokens: 21, outputTokens: 7 },
}

export const textTurn: ScriptTurn = {
  text: ['Hel', 'lo, ', 'wörld ', '👩‍🚀'],
  finish: 'stop',
  usage: { inputTokens: 3, outputTokens: 4 },
}

/** A request for a stream, as the provider makes it. */
export async function requestOf({ create }: Target): Promise<WireRequest> {
  let request: WireRequest | undefined
  const provider = create('http://target.test', {
    fetch: async (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input)
      const text =
        init?.body === undefined
          ? await (input as Request).text()
          : await new Response(init.body).text()
      request = {
        method: 'POST',
        path: url.pathname + url.search,
        headers: {},
        body: JSON.parse(text),
      }
      return new Response('', { status: 400 })
    },
  })
  await provider.streamWithTools(question, tools, once).catch(() => undefined)
  return request!
}

/** Pieces of a reply as they are sent: those of a binary format have a character for each byte. */
export const bytesOf = ({ format }: Target, text: string): Uint8Array<ArrayBuffer> =>
  format.supports.binary
    ? Uint8Array.from(Buffer.from(text, 'latin1'))
    : new TextEncoder().encode(text)

/** All bytes and headers of the streamed reply to a turn. */
export async function answerTo(
  target: Target,
  turn: ScriptTurn,
): Promise<{
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly headers: Record<string, string>
  readonly pieces: readonly string[]
}> {
  const { headers, pieces } = target.format.respond(turn, await requestOf(target))
  return { bytes: bytesOf(target, pieces.join('')), headers: { ...headers }, pieces }
}

/** Reads a stream with tools to its end, leaving its calls open; `text` is what its events said. */
export async function read(
  provider: Provider,
  signal?: AbortSignal,
): Promise<{ readonly text: string; readonly calls: number }> {
  const reader = await provider.streamWithTools(question, tools, {
    ...once,
    ...(signal && { signal }),
  })
  let text = ''
  let calls = 0
  for await (const event of reader) {
    if (event.type === 'text-delta') text += event.text
    if (event.type === 'tool-call-complete') calls++
  }
  return { text, calls }
}

const running: { readonly server: Server; readonly sockets: Set<Socket> }[] = []

/**
 * Listens on the loopback address until the end of the test; gives the port and the sockets that
 * are open.
 */
export async function listen(
  server: Server,
): Promise<{ readonly port: number; readonly sockets: Set<Socket> }> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  running.push({ server, sockets })
  return { port: (server.address() as AddressInfo).port, sockets }
}

/**
 * An HTTP server on the loopback address until the end of the test; the handler is called once the
 * request is read.
 */
export async function serve(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{
  readonly url: string
  readonly port: number
  readonly sockets: Set<Socket>
  readonly paths: string[]
}> {
  const paths: string[] = []
  const server = createHttpServer((request, response) => {
    paths.push(request.url ?? '')
    request.resume()
    request.on('end', () => handler(request, response))
  })
  const { port, sockets } = await listen(server)
  return { url: `http://127.0.0.1:${port}`, port, sockets, paths }
}

afterEach(() => {
  for (const { server, sockets } of running.splice(0)) {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
})
