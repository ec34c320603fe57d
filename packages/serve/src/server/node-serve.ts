import { Buffer } from 'node:buffer'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { stderr } from 'node:process'
import { createAdaptorServer, type HttpBindings, type ServerType } from '@hono/node-server'
import type { Agent } from '@modelport/agent'
import { configError } from '@modelport/core'
import { checkSettings, isLoopback } from '@modelport/core/settings'
import { isPlainReply } from '../wire/reply.js'
import { writeEvents } from './node-streams.js'
import { createReplyServer, type ReplyServer } from './server.js'
import { type AgentServer, type AgentServerOptions, serverOptionNames } from './server-options.js'

/** How a server of Node is started. */
export interface ServeOptions extends AgentServerOptions {
  /** Default 0: a free one. */
  readonly port?: number | undefined
  /** Address to listen at. Default `127.0.0.1`; others need `authentication`. */
  readonly hostname?: string | undefined
}

/** A server that listens. */
export interface ListeningServer extends AgentServer {
  /** Where it listens. */
  readonly url: string
  /** The port that it listens at. */
  readonly port: number
}

/** Tells the adapter that the response has been written. */
const written = new Response(null, { headers: { 'x-hono-already-sent': 'true' } })

/** Writes a plain reply to the socket at once; the rest goes through the adapter. */
async function respond(
  server: ReplyServer,
  request: Request,
  { outgoing }: HttpBindings,
): Promise<Response> {
  const reply = await server.reply(request)
  if (!isPlainReply(reply)) return reply
  if (typeof reply.body !== 'string') await writeEvents(reply.body, reply, outgoing)
  else {
    const length = Buffer.byteLength(reply.body)
    outgoing.writeHead(reply.status, { ...reply.headers, 'content-length': length }).end(reply.body)
  }
  return written
}

/**
 * Resolves once the listener holds the port.
 * @throws {LlmError} `config` — another program has it
 */
async function listen(listener: ServerType, port: number, hostname: string): Promise<void> {
  try {
    await once(listener.listen(port, hostname), 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    const text = `port ${port} of ${hostname} is in use by another program; choose another port, or port 0 for a free one`
    throw configError(text, { cause: error })
  }
}

/**
 * Serves agents over HTTP. Resolves once the server listens; `close` drains it.
 * @throws {LlmError} `config` — the port is in use, the address is not loopback and there is no
 * authentication, or an option is not valid.
 */
export async function serve(
  agents: readonly Agent[],
  options: ServeOptions = {},
): Promise<ListeningServer> {
  checkSettings('serve', options, [...serverOptionNames, 'port', 'hostname'])
  const { port = 0, hostname = '127.0.0.1', ...rest } = options
  let isWarned = false
  // Callers read only that the agent failed.
  const warn = (error: unknown): void => {
    if (!isWarned)
      stderr.write(`modelport: ${String(error)}; set onError to receive every failure\n`)
    isWarned = true
  }
  if (!isLoopback(hostname) && !options.authentication?.length)
    throw configError(
      `serving at ${hostname} needs authentication; set authentication, or listen at 127.0.0.1`,
    )
  let handle = (_request: Request, _env: HttpBindings): Promise<Response> =>
    Promise.resolve(new Response(null, { status: 503 }))
  const listener = createAdaptorServer({
    fetch: (request, env) => handle(request, env as HttpBindings),
    overrideGlobalObjects: false,
  })
  await listen(listener, port, hostname)
  let server: ReplyServer
  try {
    // Made once the port is held: its host begins at once to work on the tasks of the store.
    server = createReplyServer(agents, { ...rest, onError: rest.onError ?? warn })
  } catch (error) {
    listener.close()
    throw error
  }
  handle = (request, env) => respond(server, request, env)
  const address = listener.address() as AddressInfo
  const url = `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`
  if (options.url === undefined) server.setUrl(url)
  const drain = server.close.bind(server)
  const close = async (timeoutMs = 10_000): Promise<void> => {
    const stopped = new Promise((resolve) => listener.close(resolve))
    await drain(timeoutMs)
    if ('closeAllConnections' in listener) listener.closeAllConnections()
    await stopped
  }
  return Object.assign(server, { url, port: address.port, close })
}
