import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  startWireServer,
  type WireServer,
  type WireServerOptions,
} from '@modelport/conformance/wire-server'

/** What goes wrong with the body of a response of status 200, after this many bytes. */
export interface BodyFault {
  /** Drops the connection. */
  readonly resetAfterBytes?: number
  /** Sends nothing more. */
  readonly stallAfterBytes?: number
}

/** A wire server that also says which connections ended before their reply. */
export interface FaultyServer extends WireServer {
  readonly requests: readonly (WireServer['requests'][number] & { readonly closedEarly: boolean })[]
}

const anyOrigin = { 'access-control-allow-origin': '*' }
const preflight = {
  ...anyOrigin,
  'access-control-allow-methods': '*',
  'access-control-allow-headers': 'authorization, *',
}

/**
 * Starts a wire server behind a proxy that breaks bodies, and lets web pages of every origin ask.
 * Preflights are not among the requests.
 */
export async function startFaultyServer(
  options: WireServerOptions & { readonly fault?: BodyFault },
): Promise<FaultyServer> {
  const { fault = {}, ...rest } = options
  const wire = await startWireServer(rest)
  const closedEarly: boolean[] = []
  const proxy = createServer((incoming, outgoing) => {
    const { method = 'GET', url = '/', headers } = incoming
    if (method === 'OPTIONS') return void outgoing.writeHead(204, preflight).end()
    const index = closedEarly.push(false) - 1
    const forwarded = request(`${wire.url}${url}`, { method, headers }, (response) =>
      forward(response, outgoing, fault),
    )
    forwarded.on('error', () => outgoing.destroy())
    outgoing.on('close', () => {
      closedEarly[index] = !outgoing.writableFinished
      forwarded.destroy()
    })
    incoming.pipe(forwarded)
  })
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    get requests() {
      return wire.requests.map((one, index) => ({
        ...one,
        closedEarly: closedEarly[index] ?? false,
      }))
    },
    close: async () => {
      proxy.close()
      proxy.closeAllConnections()
      await wire.close()
    },
  }
}

/** Writes each chunk as it comes: reading by `for await` would join the chunks that wait. */
function forward(
  response: IncomingMessage,
  outgoing: ServerResponse,
  { resetAfterBytes = Infinity, stallAfterBytes = Infinity }: BodyFault,
): void {
  outgoing.writeHead(response.statusCode ?? 502, { ...response.headers, ...anyOrigin })
  outgoing.flushHeaders()
  const limit = response.statusCode === 200 ? Math.min(resetAfterBytes, stallAfterBytes) : Infinity
  let sent = 0
  response.on('data', (chunk: Buffer) => {
    const part = chunk.subarray(0, limit - sent)
    sent += part.length
    outgoing.write(part, () => {
      if (sent >= limit && resetAfterBytes === limit) outgoing.socket?.resetAndDestroy()
    })
  })
  response.on('end', () => {
    if (sent < limit) outgoing.end()
  })
  response.on('error', () => outgoing.destroy())
}
