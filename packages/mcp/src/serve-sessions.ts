import {
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { PrincipalSlots } from './principal-slots.js'
import { refuse } from './serve-guard.js'

/** Maximum sessions at once; one that was used longest ago ends for a new one. */
const mostSessions = { inAll: 1000, each: 100 }

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly principal: string
}

/**
 * Sessions over HTTP, which clients of 2025-11-25 and older open: questions to their users need
 * one. Each belongs to the principal that opened it.
 */
export class McpSessions {
  readonly #make: (principal: string) => McpServer
  readonly #sessions = new PrincipalSlots<Session>(mostSessions)

  constructor(make: (principal: string) => McpServer) {
    this.#make = make
  }

  async handle(request: Request, principal: string): Promise<Response> {
    const id = request.headers.get('mcp-session-id')
    if (id === null) return this.#open(request, principal)
    const session = this.#sessions.get(id)
    // "The server MAY terminate the session at any time, after which it MUST respond to requests
    // containing that session ID with HTTP 404 Not Found."
    if (session?.principal !== principal) return refuse(404, 'Session not found')
    this.#sessions.touch(id)
    return session.transport.handleRequest(request)
  }

  async #open(request: Request, principal: string): Promise<Response> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => {
        const dropped = this.#sessions.add(id, { transport, principal })
        if (dropped) void dropped.transport.close()
      },
    })
    const server = this.#make(principal)
    await server.connect(transport)
    const forget = transport.onclose
    transport.onclose = () => {
      if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId)
      forget?.()
    }
    const response = await transport.handleRequest(request)
    if (transport.sessionId === undefined) await server.close()
    return response
  }

  async close(): Promise<void> {
    await Promise.all(this.#sessions.values().map(({ transport }) => transport.close()))
  }
}
