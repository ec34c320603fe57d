import type { JsonObject } from '@modelport/core'
import type { AgentCard } from '../models/card.js'
import type { Agent } from '../run/agent.js'
import type { AgentHost } from '../run/host.js'
import type { PushService } from './push.js'
import type { Reply } from './reply.js'
import type { EventStreams } from './sse.js'

/** An agent with the addresses that it is served at. */
export interface ServedAgent {
  readonly agent: Agent
  /** Path prefix, `''` or `/a/name`. */
  readonly prefix: string
  /** Base URL without a slash at its end. */
  readonly url: string
}

/** What every handler of a request works with. */
export interface RequestContext {
  readonly request: Request
  readonly url: URL
  readonly served: ServedAgent
  readonly host: AgentHost
  readonly streams: EventStreams
  readonly push: PushService | undefined
  /** Who calls: tenant and principal. */
  readonly principal: string
  readonly isAuthenticated: boolean
  /** Values of the path's placeholders. */
  readonly params: Readonly<Record<string, string>>
  /** Version of A2A that the caller speaks. */
  readonly version: string
  /** URIs of the extensions that the caller named. */
  readonly extensions: readonly string[]
  readonly tenant?: string
  readonly maxBodyBytes: number
  /** The same request, for another tenant. */
  withTenant(tenant: string | undefined): RequestContext
  /** The card of the agent, in the inner model. */
  card(): AgentCard
  /** Signs a card in A2A's form, if the server signs cards. */
  sign(card: JsonObject): Promise<JsonObject>
}

/** One row of the server's table. */
export interface Endpoint {
  readonly name: string
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Path below the agent, with `{placeholders}`. */
  readonly path: string
  /** What it does, in one sentence. */
  readonly summary: string
  /** Where the request's data is. */
  readonly source: 'none' | 'body' | 'query' | 'path'
  readonly mode: 'response' | 'stream'
  /** Which wire it belongs to. */
  readonly wire: 'A2A 1.0' | 'A2A 0.3' | 'Protolink' | 'Chat Completions' | 'modelport'
  /** False for what anybody may read. Default true. */
  readonly authenticated?: boolean
  handle(context: RequestContext): Reply | Promise<Reply>
}

/** A row of one binding's table, which gives the wire to all of its rows. */
export type BindingRow = Omit<Endpoint, 'wire' | 'authenticated'>
