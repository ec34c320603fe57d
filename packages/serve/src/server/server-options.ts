import type { AgentHost, AgentStore, Entropy } from '@modelport/agent'
import { namesOf } from '@modelport/core/settings'
import type { EventStreamOptions } from '../wire/sse.js'
import type { Wire } from '../wire/wire.js'
import type { Authentication } from './authenticate.js'
import type { EndpointDescription } from './endpoint-table.js'

/**
 * A request that was refused because of its sender, for a security log. It holds no header and no
 * body.
 */
export interface Refusal {
  /** `unauthenticated`: no valid credentials; `forbidden`: a foreign host or origin. */
  readonly reason: 'unauthenticated' | 'forbidden'
  /** The HTTP method. */
  readonly method: string
  /**
   * The path as it was encoded, at most 500 characters, without the query: it cannot hold a line
   * end.
   */
  readonly path: string
}

/** How a server of agents is set up. */
export interface AgentServerOptions {
  /**
   * Base URL that the cards name, for example `https://agents.example.com`. Never taken from a
   * request. Default: `http://127.0.0.1`; `serve` sets the address that it listens at.
   */
  readonly url?: string | undefined
  /** Default: a memory store. */
  readonly store?: AgentStore | undefined
  /** Who may call. Default: everybody on this machine, and requests from elsewhere are refused. */
  readonly authentication?: readonly Authentication[] | undefined
  /**
   * Hosts that requests may name, as `host` or `host:port`. Default: that of `url`, and loopback
   * without authentication.
   */
  readonly allowedHosts?: readonly string[] | undefined
  /** Origins of pages that may call. Default: none. */
  readonly allowedOrigins?: readonly string[] | undefined
  /** Maximum bytes of a body. Default 4 MiB. */
  readonly maxBodyBytes?: number | undefined
  /** How event streams are kept. */
  readonly streams?: EventStreamOptions | undefined
  /** The protocols that the server speaks. Default: `[a2a()]`, A2A 1.0. */
  readonly wires?: readonly Wire[] | undefined
  /**
   * Called with internal failures, without secrets of the caller. Default: they are ignored;
   * `serve` writes the first to stderr.
   */
  readonly onError?: ((error: unknown) => void) | undefined
  /** Called with each request that is refused because of its sender. Default: nothing. */
  readonly onRefusal?: ((refusal: Refusal) => void) | undefined
  /** Clock and random source. Default: those of the platform. */
  readonly entropy?: Entropy | undefined
}

/** Names of {@link AgentServerOptions}. */
export const serverOptionNames: readonly string[] = namesOf<AgentServerOptions>({
  url: true,
  store: true,
  authentication: true,
  allowedHosts: true,
  allowedOrigins: true,
  maxBodyBytes: true,
  streams: true,
  wires: true,
  onError: true,
  onRefusal: true,
  entropy: true,
})

/** A server of agents: a function from requests to responses, for any runtime. */
export interface AgentServer {
  /** Runs the tasks: for callers in the same process. */
  readonly host: AgentHost
  /** Serves one request. Never rejects. */
  fetch(request: Request): Promise<Response>
  /** The table of endpoints. */
  describeEndpoints(): readonly EndpointDescription[]
  /** Sets the base URL that the cards name. */
  setUrl(url: string): void
  /** True if callers must authenticate. */
  readonly isAuthenticated: boolean
  /** Ends streams and waits for running tasks, at most this long. Default 10,000 ms. */
  close(timeoutMs?: number): Promise<void>
}
