import { connect as connectPlain, type Socket } from 'node:net'
import type { buildConnector } from 'undici'

type Connect = buildConnector.connector

/**
 * Our own clocks replace undici's. With HTTP/2 all calls to a host would wait for one connection,
 * and time out one after the other.
 */
export const agentOptions = { headersTimeout: 0, bodyTimeout: 0, allowH2: false }

/**
 * Connections that are being opened, by their destination, and the requests that wait for them.
 * undici opens a connection for a pool, not for a request: without this class, an aborted request
 * would leave its connection behind until the time-out, and one to a proxy for ever.
 */
export class PendingConnects {
  readonly #connectMs: number
  readonly #waiting = new Map<string, Set<object>>()
  readonly #dropping = new Map<string, Set<() => void>>()

  constructor(connectMs: number) {
    this.#connectMs = connectMs
  }

  /**
   * A request begins to wait for a connection to `place`, which is an origin, or '' for a proxy.
   * Call the returned function once the request is sent, has failed or was aborted.
   */
  wait(place: string): () => void {
    const request = {}
    const waiting = entryOf(this.#waiting, place)
    waiting.add(request)
    return () => {
      if (!waiting.delete(request) || waiting.size) return
      this.#waiting.delete(place)
      for (const drop of this.#dropping.get(place) ?? []) drop()
    }
  }

  /**
   * Wraps a connector: it gets `connectMs` for all that it does, and drops its connection when no
   * request waits for it any more.
   */
  wrap(place: string, connect: Connect): Connect {
    return (options, callback) => {
      const controller = new AbortController()
      let socket: Partial<Socket> | undefined
      const drop = (reason: Error): void => {
        controller.abort(reason)
        socket?.destroy?.(reason)
      }
      const dropUnwanted = (): void => {
        drop(new Error('no request waits for this connection'))
      }
      const timer = setTimeout(() => {
        const message = `no connection within ${this.#connectMs} ms`
        drop(Object.assign(new Error(message), { code: 'UND_ERR_CONNECT_TIMEOUT' }))
      }, this.#connectMs)
      const dropping = entryOf(this.#dropping, place)
      dropping.add(dropUnwanted)
      const done: buildConnector.Callback = (...result) => {
        clearTimeout(timer)
        dropping.delete(dropUnwanted)
        callback(...result)
      }
      // The connector of a proxy is asynchronous, and its CONNECT is aborted by the signal. Any
      // other connector returns its socket, which undici's type does not say.
      const withSignal: buildConnector.Options & { readonly signal: AbortSignal } = {
        ...options,
        signal: controller.signal,
      }
      const open: (...parameters: Parameters<Connect>) => unknown = connect
      const opened = open(withSignal, done)
      if (typeof (opened as Partial<Socket> | undefined)?.destroy === 'function') {
        socket = opened as Socket
        // Behind a proxy no other address may be dialled.
        const isDirect = place !== ''
        if (isDirect && options.protocol === 'https:')
          dropIfPlain(opened as Socket, this.#connectMs / 10, drop)
      }
    }
  }
}

/**
 * Watches a TLS handshake. A server of plain HTTP takes the handshake for a header and waits for
 * its end, so the handshake would last until its time-out. If it is silent for `afterMs`, the same
 * address is asked in plain HTTP, without path, header or key: only a response to that drops the
 * connection.
 */
function dropIfPlain(socket: Socket, afterMs: number, drop: (reason: Error) => void): void {
  let probe: Socket | undefined
  const ask = (): void => {
    const { remoteAddress: host, remotePort: port = 0 } = socket
    if (host === undefined) return
    probe = connectPlain({ host, port }, () => probe?.write('HEAD / HTTP/1.0\r\n\r\n'))
    probe.once('data', (chunk: Buffer) => {
      probe?.destroy()
      if (!chunk.toString('latin1').startsWith('HTTP/')) return
      const message = 'the server speaks plain HTTP at this port'
      drop(Object.assign(new Error(message), { code: 'ERR_SSL_WRONG_VERSION_NUMBER' }))
    })
    probe.on('error', () => undefined)
  }
  let timer: NodeJS.Timeout | undefined
  socket.once('connect', () => {
    timer = setTimeout(ask, afterMs)
  })
  const stop = (): void => {
    clearTimeout(timer)
    probe?.destroy()
  }
  for (const event of ['secureConnect', 'close']) socket.once(event, stop)
}

function entryOf<Value>(map: Map<string, Set<Value>>, key: string): Set<Value> {
  let entry = map.get(key)
  if (!entry) map.set(key, (entry = new Set()))
  return entry
}
