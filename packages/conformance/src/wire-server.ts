import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toBytes } from './memory-server.js'
import type { ScriptTurn } from './script.js'
import type { WireFormat, WireRequest, WireResponse } from './wire-format.js'
import { toWireRequest, write } from './wire-server-http.js'
import { inChunks } from './wire-text.js'

export type { Check } from './served/judge.js'
export type { RuleGroup, RuleName } from './served/rules.js'
export type { ReportedCheck, RunReport, Tally } from './served/run.js'
export {
  type SuiteServer,
  type SuiteServerOptions,
  startSuiteServer,
} from './served/wire-server-suite.js'

/** What the model says to a request: a turn, or a response as it is sent. */
export type WireReply = (
  request: WireRequest,
  context: WireReplyContext,
) => ScriptTurn | WireResponse

/** What is known of a request besides its text. */
export interface WireReplyContext {
  /** The API of the request. */
  readonly format: WireFormat
  /** How many requests came before this one. */
  readonly index: number
}

/** How a wire server behaves. */
export interface WireServerOptions {
  /** APIs it speaks: the first that matches a request answers it, another path gets 404. */
  readonly formats: readonly WireFormat[]
  /** A function, or turns given out one a request; the last one repeats. */
  readonly reply: WireReply | readonly ScriptTurn[]
  /**
   * How a body is cut into network writes: as its events are, at once, or in pieces of this many
   * bytes.
   * @default 'events'
   */
  readonly chunking?: 'events' | 'whole' | number
  /** Wait before each write, in milliseconds. @default 0 */
  readonly delayMs?: number
  /**
   * The key to expect; a request without it in any header or in the query gets 401. Default: none
   * is asked for.
   */
  readonly apiKey?: string
  /**
   * Looks at each request before it is answered: what it returns is sent in place of the reply, as
   * a vendor refuses what breaks its rules. Default: the function at
   * `globalThis[Symbol.for('modelport.wire-check')]`, which serves every server of a process; none
   * there: no check.
   */
  readonly check?: (request: WireRequest) => WireResponse | undefined
  /** Port to listen on. @default 0: any free one */
  readonly port?: number
}

/** A running wire server. */
export interface WireServer {
  /** `http://127.0.0.1:port`; add the API's own path, for example `/v1`. */
  readonly url: string
  /** Every request so far, the refused ones included. */
  readonly requests: readonly WireRequest[]
  /** Drops all connections and stops. */
  close(): Promise<void>
}

const wireCheck: unique symbol = Symbol.for('modelport.wire-check')

/**
 * Starts an HTTP server on the loopback address that speaks any of the formats: for tests, examples
 * and demos.
 */
export async function startWireServer(options: WireServerOptions): Promise<WireServer> {
  const requests: WireRequest[] = []
  let answered = 0
  const server = createServer((incoming, outgoing) => {
    const serve = async (): Promise<void> => {
      const request = await toWireRequest(incoming)
      requests.push(request)
      const response = choose(options, request, requests.length - 1, () => answered++)
      await send(options, response, outgoing)
    }
    serve().catch((error: unknown) => {
      outgoing.destroy(error instanceof Error ? error : new Error(String(error)))
    })
  })
  await once(server.listen(options.port ?? 0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      }),
  }
}

/** A test run sets it once, for the servers of all its tests. */
const checkOfProcess = (): WireServerOptions['check'] =>
  (globalThis as { [wireCheck]?: WireServerOptions['check'] })[wireCheck]

function choose(
  options: WireServerOptions,
  request: WireRequest,
  index: number,
  next: () => number,
): WireResponse {
  const { formats, apiKey, reply } = options
  const format = formats.find((one) => one.matches(request))
  if (!format)
    return (formats[0] as WireFormat).failure(
      404,
      `no such endpoint: ${request.method} ${request.path}`,
    )
  if (apiKey !== undefined && !JSON.stringify([request.headers, request.path]).includes(apiKey))
    return format.failure(401, 'invalid API key')
  const refused = (options.check ?? checkOfProcess())?.(request)
  if (refused) return refused
  const turn =
    typeof reply === 'function'
      ? reply(request, { format, index })
      : reply[Math.min(next(), reply.length - 1)]
  if (!turn) throw new TypeError('startWireServer: reply has no turn')
  return 'pieces' in turn ? turn : format.respond(turn, request)
}

async function send(
  { chunking = 'events', delayMs = 0 }: WireServerOptions,
  response: WireResponse,
  outgoing: ServerResponse,
): Promise<void> {
  outgoing.writeHead(response.status, response.headers)
  outgoing.flushHeaders()
  for (const chunk of toChunks(response, chunking)) {
    if (delayMs) await new Promise((resolve) => setTimeout(resolve, delayMs))
    if (outgoing.destroyed) return
    await write(outgoing, chunk)
  }
  outgoing.end()
}

function toChunks(response: WireResponse, chunking: 'events' | 'whole' | number): Uint8Array[] {
  if (chunking === 'events')
    return response.pieces.map((piece) => toBytes({ ...response, pieces: [piece] }))
  const bytes = toBytes(response)
  const size = chunking === 'whole' ? Math.max(1, bytes.length) : chunking
  return inChunks(bytes, size)
}
