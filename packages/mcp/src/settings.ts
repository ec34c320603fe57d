import type { OAuthClientProvider, Transport } from '@modelcontextprotocol/client'
import type { LlmError } from '@modelport/core'
import type { McpChange } from './trust/difference.js'
import type { McpLock } from './trust/lock.js'

/** A server started as a child process, spoken to over its standard input and output. Node only. */
export interface McpCommand {
  /** The program to start; no shell reads it. */
  readonly command: string
  /** Its arguments. */
  readonly args?: readonly string[] | undefined
  /** Its environment, instead of the few harmless variables it gets otherwise. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Its working directory. Default: this process's own. */
  readonly cwd?: string | undefined
}

/**
 * A server reached over streamable HTTP. No other host than the URL's and those of `authHosts` is
 * contacted, redirects to others are refused.
 */
export interface McpUrl {
  /** Address of the server's endpoint. */
  readonly url: string
  /**
   * Sent with each request to the origin of `url`, for example `authorization`; never to a host of
   * `authHosts`.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Used instead of the platform's own. */
  readonly fetch?: typeof fetch | undefined
  /**
   * OAuth provider of `@modelcontextprotocol/client`. It stores the tokens, keyed by their issuer,
   * and sends the user to the browser when needed: only to a page at `https:` and a host of
   * `authHosts` or of `url`; for a server of this computer, also to one at `http:` there.
   */
  readonly authProvider?: OAuthClientProvider | undefined
  /**
   * Every `host:port` of authorization servers, besides the URL's own; other hosts are refused, and
   * so is `http:` if the URL is `https:`.
   */
  readonly authHosts?: readonly string[] | undefined
}

/** Any other transport of `@modelcontextprotocol/client`. */
export interface McpCustom {
  /** Makes a new transport for each connection. */
  create(): Transport
  /** Every `host:port` it connects to. */
  readonly apiHosts: readonly string[]
}

/** How the server is reached. */
export type McpTransport = McpCommand | McpUrl | McpCustom

/** News of a call that takes long. */
export interface McpProgress {
  /** Name of the tool as the model knows it. */
  readonly tool: string
  /** The id of the call. */
  readonly callId: string
  /** How far it is, in the server's own measure. */
  readonly progress: number
  /** How far there is to go, where the server knows. */
  readonly total?: number | undefined
  /** The server's description of it. */
  readonly message?: string | undefined
}

/** An MCP server as a source of tools. */
export interface McpSettings {
  /** Names the source in errors and events. */
  readonly name: string
  /** How the server is reached. */
  readonly transport: McpTransport
  /** Put before each tool's name, so that servers do not collide: letters, digits, `_` and `-`. */
  readonly prefix?: string | undefined
  /**
   * Only these tools, by the server's own names: each tool costs tokens in each request. Default:
   * all.
   */
  readonly only?: readonly string[] | undefined
  /** Maximum milliseconds for opening the session. Default 30,000. */
  readonly connectTimeoutMs?: number | undefined
  /** Maximum milliseconds for reading the list of tools, all its pages together. Default 30,000. */
  readonly listTimeoutMs?: number | undefined
  /** Maximum milliseconds for one call. Default 120,000. */
  readonly timeoutMs?: number | undefined
  /**
   * Maximum characters of one result, pictures and files as base64 included. Default 10,000,000.
   */
  readonly maxResultLength?: number | undefined
  /**
   * Pins the tools: the path of the file, by habit `modelport.lock` next to the lock of your
   * packages, or a store of your own. The first list of a server is pinned as it is. A tool that is
   * new or changed later is left out until somebody accepts it; the rest stay. Default: nothing is
   * pinned.
   */
  readonly lock?: string | McpLock | undefined
  /**
   * Asked about each difference from the lock, once. True pins what the server lists now. Unset, or
   * false: what changed stays left out, `onWarning` gets the difference, and `modelport mcp trust`
   * or `reviewLock` accepts it. `tools()` rejects with `permission` if neither callback is set and
   * a pinned tool changed.
   */
  readonly onChange?: ((change: McpChange) => boolean | Promise<boolean>) | undefined
  /**
   * Called for each tool that is left out because it has no name, the name of another, is not as
   * the protocol has tools, or differs from the lock; once for each place in which hidden
   * characters were found; and for each schema that only the server checks: it has an unknown
   * keyword, or a pattern that may take very long. If it throws, it is not called again.
   */
  readonly onWarning?: ((warning: LlmError) => void) | undefined
  /**
   * True believes the server's `readOnlyHint` and `idempotentHint`: after a crash, calls of such
   * tools are repeated. Default false, since a hint is a claim of the server's author.
   */
  readonly trustHints?: boolean | undefined
  /**
   * True lets the server ask the user during a call, by a form or by an address that the user
   * opens; the run is suspended until there is an answer. Default false, since a program has to
   * handle suspended runs: the server then knows that it cannot ask.
   */
  readonly elicitation?: boolean | undefined
  /**
   * True adds two tools, `list_resources` and `read_resource`, if the server has resources. Default
   * false.
   */
  readonly resourceTools?: boolean | undefined
  /** Called when the server reports progress of a call. If it throws, it is not called again. */
  readonly onProgress?: ((progress: McpProgress) => void) | undefined
}
