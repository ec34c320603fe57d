import { namesOf } from '@modelport/core/settings'
import type { ConnectionOptions } from '../connection/connection.js'

/** How a client talks to an agent. */
export interface AgentClientOptions extends ConnectionOptions {
  /** Reconnects of a stream in a row without an event. Default 5. */
  readonly maxReconnects?: number | undefined
  /** Milliseconds before the first reconnect; they double each time. Default 250. */
  readonly reconnectMs?: number | undefined
  /** Which binding of A2A is spoken. Default: the first of the card. */
  readonly binding?: 'JSONRPC' | 'HTTP+JSON' | undefined
}

/** Names of {@link AgentClientOptions}. */
export const clientOptionNames: readonly string[] = namesOf<AgentClientOptions>({
  auth: true,
  fetch: true,
  idleMs: true,
  maxReconnects: true,
  reconnectMs: true,
  maxBytes: true,
  binding: true,
  allowedOrigins: true,
})
