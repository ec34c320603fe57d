import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { isLlmError, type Provider } from '@modelport/core'
import {
  createProvider,
  type Driver,
  type ProviderSettings,
  parseJson,
  postJson,
  toProviderError,
} from '@modelport/driver'
import { afterEach } from 'vitest'

/** What a server does with a request. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** What ends with the test. */
export const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

/** A server on the loopback address; the sockets it has open and the paths it was asked for. */
export async function serve(
  handler: Handler,
): Promise<{ url: string; sockets: Set<Socket>; paths: string[] }> {
  const sockets = new Set<Socket>()
  const paths: string[] = []
  const server = createServer((request, response) => {
    paths.push(request.url ?? '')
    request.resume()
    request.on('end', () => handler(request, response))
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stops.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets, paths }
}

/** A provider of a wire with one text a line and `{"end":true}` last, on the real transport. */
export function provider(url: string, settings: Partial<ProviderSettings> = {}): Provider {
  const driver: Driver<object> = {
    name: 'p',
    framing: 'ndjson',
    request: ({ messages }) => ({ messages }),
    send: (body, io) =>
      postJson(io, `${url}/chat`, body, { authorization: 'Bearer sk-transport-0123456789' }),
    decoder: (sink) => ({
      push: ({ data }) => {
        const { text, end } = parseJson<{ text?: string; end?: boolean }>(data)
        sink.text(text ?? '')
        if (end) sink.finish('stop')
      },
    }),
    error: (failure) => toProviderError('p', failure),
  }
  return createProvider(driver, {
    model: 'm',
    cheapestModel: 'm',
    hosts: [],
    secrets: ['sk-transport-0123456789'],
    defaults: { retry: { attempts: 1 } },
    ...settings,
  })
}

/** The records of one answer. */
export const lines = ['{"text":"zwölf "}\n', '{"text":"👩‍🚀"}\n', '{"end":true}\n']
/** Its whole body. */
export const body = lines.join('')
/** The same answer as one record. */
export const whole = JSON.stringify({ text: 'zwölf 👩‍🚀', end: true })

/** All the text of a stream. */
export async function read(made: Provider): Promise<string> {
  let text = ''
  for await (const piece of await made.stream('Hi')) text += piece
  return text
}

/** The code it fails with. */
export const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => ['no failure', value],
    (error: unknown) => (isLlmError(error) ? error.code : error),
  )
