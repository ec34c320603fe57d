import { LlmError } from '@modelport/core'
import { checkMcpSettings } from '../base/check-request.js'
import { toObserver } from '../base/observer.js'
import { untilAborted } from '../base/until-aborted.js'
import type { Tool } from '../tools/tool.js'
import type { ToolSource } from '../tools/tool-source.js'
import { hostsOf, McpConnection } from './mcp-connection.js'
import type { McpProgress, McpSettings } from './mcp-settings.js'
import { toPlainWords } from './mcp-text.js'
import { toTool } from './mcp-tool.js'

export type { McpSettings, McpTransport } from './mcp-settings.js'

/**
 * Makes a source of an MCP server's tools. It starts or connects the server when the tools are first listed, and reconnects at the next step
 * if the connection is lost. Close the source when you are done: a child process lives until then.
 * @throws {LlmError} `config` — the prefix is not valid in a tool name; `invalid-base-url` — the URL is not valid.
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
      // An aborted caller does not stop the connection or the listing: the next caller uses them.
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
