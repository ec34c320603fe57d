import type { JsonObject } from '@modelport/core'
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
  /**
   * Called with each card of the agent as JSON, as it was received, before it is used: before the
   * first call, when the card has changed, and for an extended card. If it throws or rejects, no
   * call is sent, and each one fails with `invalid-agent-response` and that error as its `cause`.
   * Default: cards are not verified; TLS proves the origin.
   */
  readonly verifyCard?: ((card: JsonObject) => unknown) | undefined
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
  verifyCard: true,
  allowedOrigins: true,
})
