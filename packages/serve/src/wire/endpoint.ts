import type { Agent, AgentCard, AgentHost, TaskKey } from '@modelport/agent'
import type { JsonObject } from '@modelport/core'
import type { EventStreams } from './sse.js'

/** An agent with the addresses that it is served at. */
export interface ServedAgent {
  readonly agent: Agent
  /** Path prefix, `''` or `/a/name`. */
  readonly prefix: string
  /** Base URL without a slash at its end. */
  readonly url: string
}

/** What handlers ask of the notifications of a server. */
export interface PushPort {
  /** Refuses addresses that must not be notified. @throws {AgentError} `invalid-params` */
  checkUrl(url: string): void
  /** Follows a task. @param after number of the event before the first that is reported. Default: the newest one */
  watch(key: TaskKey, after?: number): void
}

/** What every handler of a request works with. */
export interface RequestContext {
  readonly request: Request
  readonly url: URL
  readonly served: ServedAgent
  readonly host: AgentHost
  readonly streams: EventStreams
  readonly push: PushPort | undefined
  /** Who calls: tenant and principal. */
  readonly principal: string
  readonly isAuthenticated: boolean
  /** Values of the path's placeholders. */
  readonly params: Readonly<Record<string, string>>
  /** Version of A2A that the endpoint speaks. */
  readonly version: string | undefined
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
