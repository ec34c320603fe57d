import type { AgentError, AgentInterface } from '@modelport/agent'
import type { RequestContext } from './endpoint.js'
import type { EndpointReply } from './reply.js'

/** One row of a server's table. */
export interface Endpoint {
  /** Name of the operation. */
  readonly name: string
  /** HTTP method. */
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Path below the agent, with `{placeholders}`. */
  readonly path: string
  /** Its purpose in one sentence. */
  readonly summary: string
  /** Where the request's data is. */
  readonly source: 'none' | 'body' | 'query' | 'path'
  /** Whether it gives one reply or a stream of events. */
  readonly mode: 'response' | 'stream'
  /** Which wire it belongs to. */
  readonly wire: string
  /** Version of A2A that it speaks. Unset: the header `A2A-Version` does not matter. */
  readonly version?: string
  /** False for what anybody may read. Default true. */
  readonly authenticated?: boolean
  /** Answers a request. */
  handle(context: RequestContext): EndpointReply | Promise<EndpointReply>
  /**
   * A request that was refused before `handle` had it. Default: in the form of HTTP+JSON of A2A.
   */
  fail?(error: AgentError, failed: FailedRequest): EndpointReply | Promise<EndpointReply>
}

/** A request that was refused. */
export interface FailedRequest {
  /** The request as it came. */
  readonly request: Request
  /** Maximum bytes that may be read of its body. */
  readonly maxBodyBytes: number
  /** The HTTP status of the error. */
  readonly status: number
  /** Headers that go with the error. */
  readonly headers: Readonly<Record<string, string>>
}

/** A row of one binding's table, which gives the wire to all of its rows. */
export type BindingRow = Omit<Endpoint, 'wire' | 'version' | 'authenticated'>

/**
 * A protocol that a server speaks:
 * `createAgentServer(agents, { wires: [a2a(), chatCompletions()] })`.
 */
export interface Wire {
  /** The protocol, for people. */
  readonly name: string
  /** Its addresses. If two wires have the same path, the first wire wins. */
  readonly endpoints: readonly Endpoint[]
  /**
   * The addresses that the card of an agent names.
   * @param url where the agent is served, without a slash at its end
   */
  interfaces?(url: string): readonly AgentInterface[]
}
