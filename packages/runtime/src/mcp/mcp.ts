import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { LlmError } from '@modelport/core'
import { checkMcpSettings } from '../base/check-request.js'
import { hostsOf, McpConnection } from './mcp-connection.js'
import { toPlainWords } from './mcp-text.js'
import { toTool } from './mcp-tool.js'
import { toObserver } from '../base/observer.js'
import type { Tool } from '../tools/tool.js'
import type { ToolSource } from '../tools/tool-source.js'
import { untilAborted } from '../base/until-aborted.js'

/** A server started as a child process, spoken to over its standard input and output. Node only. */
export interface McpCommand {
  /** The program to start; no shell reads it. */
  readonly command: string
  /** Its arguments. */
  readonly args?: readonly string[]
  /** Its environment, instead of the few harmless variables it gets otherwise. */
  readonly env?: Readonly<Record<string, string>>
  /** Its working directory. Default: this process's own. */
  readonly cwd?: string
}

/** A server reached over streamable HTTP. No other host than the URL's and those of `authHosts` is contacted, redirects to others are refused. */
export interface McpUrl {
  /** Address of the server's endpoint. */
  readonly url: string
  /** Sent with each request, for example `authorization`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Used instead of the platform's own. */
  readonly fetch?: typeof fetch
  /**
   * OAuth: a provider of the MCP SDK, handed to it as it is, which keeps the tokens and sends the user to the browser where that is needed.
   * Nothing of it is done here.
   */
  readonly authProvider?: OAuthClientProvider
  /** Every `host:port` of authorization servers, beside the URL's own; others are refused. */
  readonly authHosts?: readonly string[]
}

/** Any other transport of the MCP SDK. */
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
  /** What the server says of it. */
  readonly message?: string | undefined
}

/** An MCP server as a source of tools. */
export interface McpSettings {
  /** Names the source in errors and events. */
  readonly name: string
  /** How the server is reached. */
  readonly transport: McpTransport
  /** Put before each tool's name, so that servers do not collide: letters, digits, `_` and `-`. */
  readonly prefix?: string
  /** Only these tools, by the server's own names: each tool costs tokens in each request. Default: all. */
  readonly only?: readonly string[]
  /** Most milliseconds for opening the session. Default 30,000. */
  readonly connectTimeoutMs?: number
  /** Most milliseconds for reading the list of tools, all its pages together. Default 30,000. */
  readonly listTimeoutMs?: number
  /** Most milliseconds for one call. Default 120,000. */
  readonly timeoutMs?: number
  /** Most characters of one result, pictures and files as base64 included. Default 10,000,000. */
  readonly maxResultLength?: number
  /**
   * Called for each tool that is left out because it has no name, and for each schema that only the server checks, because it has a keyword that is not
   * understood or a pattern that may take very long. If it throws, it is not called again.
   */
  onWarning?(warning: LlmError): void
  /** Told when the server reports progress of a call. What it throws switches it off. */
  onProgress?(progress: McpProgress): void
}

/**
 * The tools of an MCP server. Nothing is started or connected before they are first asked for; a connection that is lost is opened again
 * at the next step. Close the source in the end: a child process lives until then.
 * @throws {LlmError} `config` — the prefix is no part of a tool name; `invalid-base-url` — the URL is none.
 */
export function mcpTools(settings: McpSettings): ToolSource {
  checkMcpSettings(settings)
  const { name, transport, prefix = '' } = settings
  if (!/^[\w-]{0,40}$/.test(prefix))
    throw new LlmError('config', `MCP server "${name}": the prefix must be at most 40 letters, digits, "_" or "-"`)
  const connection = new McpConnection(settings)
  const guarded: McpSettings = {
    ...settings,
    onWarning: toObserver((warning: LlmError) => settings.onWarning?.(warning)),
    ...(settings.onProgress && { onProgress: toObserver((progress: McpProgress) => settings.onProgress?.(progress)) }),
  }
  let made: { readonly from: readonly unknown[]; readonly tools: readonly Tool[] } | undefined
  const read = async (): Promise<readonly Tool[]> => {
    const listed = await connection.list()
    if (made?.from === listed) return made.tools
    const taken = new Set<string>()
    const named = listed.filter((tool) => tool.name !== '')
    if (named.length < listed.length)
      guarded.onWarning?.(new LlmError('protocol', `MCP server "${name}": a tool without a name is left out`))
    const wanted = named.filter((tool) => settings.only?.includes(tool.name) ?? true)
    const missing = settings.only?.filter((one) => !wanted.some((tool) => tool.name === one)) ?? []
    if (missing.length)
      throw new LlmError(
        'config',
        `MCP server "${name}": it has no tool ${missing.join(', ')}; it has ${toPlainWords(connection.redact(listed.map((tool) => tool.name).join(', ')))}`,
      )
    made = {
      from: listed,
      tools: wanted.map((tool) => toTool(tool, toolName(prefix + tool.name, taken), connection, guarded)),
    }
    return made.tools
  }
  return {
    name,
    apiHosts: hostsOf(transport),
    tools: async (signal) => {
      signal?.throwIfAborted()
      // What is opened and read goes on for whoever asks next.
      return untilAborted(read(), signal)
    },
    close: () => connection.close(),
  }
}

/** A name every vendor takes; different names stay different. */
function toolName(wanted: string, taken: Set<string>): string {
  const clean = wanted.replace(/[^\w-]/g, '_').slice(0, 64)
  let name = clean
  for (let number = 2; taken.has(name); number++) name = `${clean.slice(0, 60)}_${number}`
  taken.add(name)
  return name
}
