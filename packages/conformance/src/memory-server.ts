import type { Fetch } from '@modelport/driver'
import { parseJsonOrText } from './json-text.js'
import type { VirtualClock } from './virtual-clock.js'
import type { WireRequest, WireResponse } from './wire-format.js'

/**
 * One step of a body: bytes, a wait in virtual time, an endless wait, or the connection's reset.
 */
export type ReplyStep = Uint8Array | { readonly waitMs: number } | 'stall' | 'reset'

/**
 * A reply with full control over when each byte comes. The body ends cleanly after the last step.
 */
export interface ServerReply {
  /** Status of the response. */
  readonly status: number
  /** Headers of the response. */
  readonly headers: Readonly<Record<string, string>>
  /** What comes on the wire, and when. */
  readonly steps: readonly ReplyStep[]
  /** No headers ever. */
  readonly stallHeaders?: boolean
  /** What `fetch` rejects with instead of answering. */
  readonly reject?: unknown
}

/** A request the server got, and what became of it. */
export interface LoggedRequest extends WireRequest {
  /** The whole address. */
  readonly url: string
  /** Virtual time of its arrival. */
  readonly at: number
  /** How redirects were to be handled. */
  readonly redirect: string
  /** Chunks given out. */
  delivered: number
  /** True while a read waits for a byte that does not come. */
  stalled: boolean
  /** True once nothing holds the connection: read to its end, aborted or cancelled. */
  closed: boolean
}

/** The server's response to its nth request, counted from 0. */
export type ServerPlan = (request: WireRequest, index: number) => ServerReply

/** A server without a network: a `fetch` and the log of what it got. */
export interface MemoryServer {
  /** The transport to give to a provider. */
  readonly fetch: Fetch
  /** Every request so far, in order. */
  readonly requests: readonly LoggedRequest[]
}

const encoder = new TextEncoder()

const bytesOf = (text: string, binary = false): Uint8Array =>
  binary ? Uint8Array.from(text, (character) => character.charCodeAt(0)) : encoder.encode(text)

/** The bytes of a reply. */
export const toBytes = ({ pieces, binary }: WireResponse): Uint8Array =>
  bytesOf(pieces.join(''), binary)

/** The reply, with one chunk for each piece of its body; `more` follows the last one. */
export const toReply = (
  { status, headers, pieces, binary }: WireResponse,
  ...more: readonly ReplyStep[]
): ServerReply => ({
  status,
  headers,
  steps: [...pieces.map((piece) => bytesOf(piece, binary)), ...more],
})

/** The reply with a body of these bytes. */
export const withBody = (
  { status, headers }: WireResponse,
  steps: readonly ReplyStep[],
): ServerReply => ({
  status,
  headers,
  steps,
})

/**
 * Serves from memory.
 * @param plan called at each request, since a rule may replace the plan between two
 */
export function createMemoryServer(plan: () => ServerPlan, clock: VirtualClock): MemoryServer {
  const requests: LoggedRequest[] = []
  const fetch: Fetch = async (input, init = {}) => {
    const request = await toLogged(input, init, clock)
    init.signal?.throwIfAborted()
    requests.push(request)

    const respond = plan()
    const reply = respond(request, requests.length - 1)
    const signal = init.signal ?? (input instanceof Request ? input.signal : undefined)
    if (reply.reject !== undefined) {
      request.closed = true
      throw reply.reject as Error
    }
    if (reply.stallHeaders) await untilAborted(signal, request)

    return new Response(toStream(reply.steps, request, signal, clock), {
      status: reply.status,
      headers: reply.headers,
    })
  }
  return { fetch, requests }
}

async function toLogged(
  input: string | URL | Request,
  init: RequestInit,
  clock: VirtualClock,
): Promise<LoggedRequest> {
  // As in `fetch`, the fields of `init` win over those of a `Request`.
  const base = input instanceof Request ? input : undefined
  const url = new URL(input instanceof Request ? input.url : input)
  const headers = new Headers(init.headers ?? base?.headers)
  const text =
    init.body === undefined && base
      ? await base.text()
      : await new Response(init.body ?? null).text()
  return {
    method: init.method ?? base?.method ?? 'GET',
    path: url.pathname + url.search,
    url: url.href,
    headers: Object.fromEntries(headers),
    body: text ? parseJsonOrText(text) : undefined,
    at: clock.now(),
    redirect: init.redirect ?? 'follow',
    delivered: 0,
    stalled: false,
    closed: false,
  }
}

function untilAborted(
  signal: AbortSignal | null | undefined,
  request: LoggedRequest,
): Promise<never> {
  request.stalled = true
  return new Promise((_, reject) => {
    const onAbort = (): void => {
      request.closed = true
      reject(signal?.reason as Error)
    }
    if (signal?.aborted) onAbort()
    else signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/** A body that gives one chunk a read and nothing ahead of it. */
function toStream(
  steps: readonly ReplyStep[],
  request: LoggedRequest,
  signal: AbortSignal | null | undefined,
  clock: VirtualClock,
): ReadableStream<Uint8Array> {
  let position = 0
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  let wake: (() => void) | undefined

  /** Waits for a virtual time, or without an end. */
  const wait = (ms?: number): Promise<void> => {
    request.stalled = ms === undefined
    return new Promise((resolve) => {
      const cancel = ms === undefined ? undefined : clock.after(ms, resolve)
      wake = () => {
        cancel?.()
        resolve()
      }
    })
  }

  const closeConnection = (): void => {
    request.closed = true
    signal?.removeEventListener('abort', onAbort)
    request.stalled = false
    wake?.()
  }
  const onAbort = (): void => {
    closeConnection()
    controller?.error(signal?.reason)
  }

  /** Plays steps until one of them gives a chunk or ends the body. */
  const pull = async (): Promise<void> => {
    while (!request.closed) {
      const step = steps[position++]
      if (step === undefined) {
        closeConnection()
        controller?.close()
      } else if (step === 'reset') {
        closeConnection()
        controller?.error(Object.assign(new TypeError('terminated'), { code: 'ECONNRESET' }))
      } else if (step === 'stall') {
        await wait()
      } else if ('waitMs' in step) {
        await wait(step.waitMs)
      } else if (step.length) {
        request.delivered++
        controller?.enqueue(step.slice())
        return
      }
    }
  }

  const start = (streamController: ReadableStreamDefaultController<Uint8Array>): void => {
    controller = streamController
    signal?.addEventListener('abort', onAbort)
  }
  return new ReadableStream<Uint8Array>(
    { start, pull, cancel: closeConnection },
    { highWaterMark: 0 },
  )
}
