import type { AgentCard, AgentClient } from '@modelport/agent'
import type { JsonObject } from '@modelport/core'
import type { Connection } from './connection.js'

/** What a protocol can do for a client. */
export type ProtocolClient = Pick<AgentClient, 'send' | 'stream' | 'cancel' | 'compactHistory'>

/** Another protocol than A2A that a client speaks. */
export interface ClientProtocol {
  /** The protocol, for people. */
  readonly name: string
  /** Where agents have their card, for example `/.well-known/agent.json`. */
  readonly cardPath: string
  /** Reads a card. @throws {AgentError} `invalid-params` */
  readCard(wire: JsonObject): AgentCard
  /** A client of the agent at a connection. */
  connect(connection: Connection): ProtocolClient
}
