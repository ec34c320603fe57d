import type { Agent, AgentCard, AgentHost } from '@modelport/agent'
import type { EventStreams } from './sse.js'

/** An agent with the addresses that it is served at. */
export interface ServedAgent {
  /** The agent. */
  readonly agent: Agent
  /** Path prefix, `''` or `/a/name`. */
  readonly prefix: string
  /** Base URL without a slash at its end. */
  readonly url: string
}

/** The context of every handler of a request. */
export interface RequestContext {
  /** The request as it came. */
  readonly request: Request
  /** Its address. */
  readonly url: URL
  /** The agent that it asks for. */
  readonly served: ServedAgent
  /** Runs the tasks. */
  readonly host: AgentHost
  /** Makes replies of events. */
  readonly streams: EventStreams
  /** Who calls, with the tenant: the text of a `Principal`, as it is in keys of the store. */
  readonly principal: string
  /** False for a caller who gave no credentials. */
  readonly isAuthenticated: boolean
  /** Values of the path's placeholders. */
  readonly params: Readonly<Record<string, string>>
  /** URIs of the extensions that the caller named. */
  readonly extensions: readonly string[]
  /** The tenant of the path or of the request. */
  readonly tenant?: string
  /** Maximum bytes of a body. */
  readonly maxBodyBytes: number
  /** The same request, for another tenant. */
  withTenant(tenant: string | undefined): RequestContext
  /** The card of the agent, in the inner model. */
  card(): AgentCard
}
