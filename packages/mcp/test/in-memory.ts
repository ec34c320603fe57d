import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import type { McpTransport } from '@modelport/mcp'

/**
 * A transport within the process: each connection of the client is given to `connect`, which has
 * the server.
 */
export const inMemoryTo = (connect: (transport: InMemoryTransport) => unknown): McpTransport => ({
  apiHosts: [],
  create: () => {
    const [client, server] = InMemoryTransport.createLinkedPair()
    void connect(server)
    return client
  },
})
