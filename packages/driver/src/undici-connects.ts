import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'

type Connect = buildConnector.connector

/**
 * Connections that are being opened, by the place they lead to, and the requests that wait for them. undici opens a connection for
 * a pool, not for a request: without this, a request that is aborted would leave it behind until its time-out, and one to a proxy for ever.
 */
export class PendingConnects {
  readonly #connectMs: number
  readonly #waiting = new Map<string, Set<object>>()
  readonly #dropping = new Map<string, Set<() => void>>()

  constructor(connectMs: number) {
    this.#connectMs = connectMs
  }

  /** A request begins to wait. Call the returned function once it is sent, has failed or was aborted. */
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

  /** The connector with the whole of its time limited, which drops its connection when no request waits for it any more. */
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
      // The signal is for a CONNECT to a proxy, whose connector is asynchronous; another connector returns its socket.
      const given: buildConnector.Options & { readonly signal: AbortSignal } = { ...options, signal: controller.signal }
      const open: (...given: Parameters<Connect>) => unknown = connect
      const made = open(given, done)
      if (typeof (made as Partial<Socket> | undefined)?.destroy === 'function') socket = made as Socket
    }
  }
}

function entryOf<Value>(map: Map<string, Set<Value>>, key: string): Set<Value> {
  let entry = map.get(key)
  if (!entry) map.set(key, (entry = new Set()))
  return entry
}
