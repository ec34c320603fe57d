import type { Transport } from '@modelcontextprotocol/server'
import type { Agent, AgentHost } from '@modelport/agent'
import { namesOf } from '@modelport/core/settings'
import type { Principal, RunContext, Tool } from '@modelport/runtime'
import type { ServedPrompt, TemplatePrompt } from './served-prompts.js'
import type { ServedResource } from './served-resources.js'

/** What an MCP server offers, and to whom. */
export interface ServeMcpOptions {
  /** Name of the server, for clients. */
  readonly name: string
  /** Its version. Default `0.0.0`. */
  readonly version?: string | undefined
  /** How to use the server; models read this. */
  readonly instructions?: string | undefined
  /** Tools of `defineTool`. */
  readonly tools?: readonly Tool[] | undefined
  /**
   * Agents, each offered as a tool of its name. A list keeps its tasks in memory; a host, for
   * example `new AgentHost(agents, { store })` or `host` of an agent server, keeps them in its
   * store.
   */
  readonly agents?: readonly Agent[] | AgentHost | undefined
  /** Prompts, also those of `definePrompt`. */
  readonly prompts?: readonly (ServedPrompt | TemplatePrompt)[] | undefined
  /** What can be read. */
  readonly resources?: readonly ServedResource[] | undefined
  /**
   * Finds whom an HTTP request proves, or the response that refuses it; `undefined` is a plain 401.
   * Tasks and sessions belong to that principal: name its issuer, unless this program itself gave
   * the name. `local`, `anonymous`, `operator` and `webhook` without an issuer are reserved.
   * Default: everybody on this machine, and requests from elsewhere are refused.
   */
  readonly authenticate?:
    | ((
        request: Request,
      ) => Principal | Response | undefined | Promise<Principal | Response | undefined>)
    | undefined
  /**
   * Hosts that HTTP requests may name, as `host` or `host:port`. Default: loopback without
   * `authenticate`, any with it.
   */
  readonly allowedHosts?: readonly string[] | undefined
  /** Makes `context.run.context` of the tools, from the text of a principal. Default: none. */
  readonly context?: ((principal: string) => RunContext['context']) | undefined
  /** Called with failures whose reason no caller is shown. Default: they are ignored. */
  readonly onError?: ((error: unknown) => void) | undefined
}

/** Names of {@link ServeMcpOptions}. */
export const serveMcpNames: readonly string[] = namesOf<ServeMcpOptions>({
  name: true,
  version: true,
  instructions: true,
  tools: true,
  agents: true,
  prompts: true,
  resources: true,
  authenticate: true,
  allowedHosts: true,
  context: true,
  onError: true,
})

/**
 * An MCP server: a function from requests to responses for any runtime, and a server of standard
 * input and output.
 */
export interface ServedMcp {
  /** Serves one HTTP request, whatever its path. Never rejects. */
  readonly fetch: (request: Request) => Promise<Response>
  /**
   * Serves the client at the other end of standard input and output; resolves when it has left.
   * Whatever else this process writes to standard output goes to standard error meanwhile. Node
   * only, unless another transport is given.
   */
  stdio(transport?: Transport): Promise<void>
  /**
   * Ends sessions, calls and clients of `stdio`, and waits for running tasks of the agents, at most
   * this long. Default 10,000 ms.
   */
  close(timeoutMs?: number): Promise<void>
}
