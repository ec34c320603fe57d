import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { z } from 'zod'

/** An MCP server behind an address. */
export interface HttpMcpServer {
  readonly url: string
  close(): Promise<void>
}

/** Serves one tool over streamable HTTP, with one session for each client, on 127.0.0.1. */
export async function startMcpServer(): Promise<HttpMcpServer> {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const open = async (): Promise<StreamableHTTPServerTransport> => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    })
    const server = new McpServer({ name: 'over http', version: '1.0.0' })
    const inputSchema = { a: z.number(), b: z.number() }
    server.registerTool(
      'multiply',
      { description: 'Multiplies two numbers', inputSchema },
      ({ a, b }) => ({
        content: [{ type: 'text', text: String(a * b) }],
      }),
    )
    await server.connect(transport)
    return transport
  }
  const server = createServer((request, response) => {
    const known = sessions.get(String(request.headers['mcp-session-id']))
    void (known ? Promise.resolve(known) : open()).then((transport) =>
      transport.handleRequest(request, response),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    close: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
