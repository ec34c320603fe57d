import { createAgentClient } from '@modelport/agent'
import { LlmError } from '@modelport/core'
import type { ToolSource } from '@modelport/runtime'
import type { McpTransport } from '@modelport/runtime/mcp'
import type { StudioAgent } from '@modelport/studio'
import { tokenOf } from '../agents/agent-client.js'
import { UsageError } from '../errors/exit-codes.js'
import type { Cli } from '../context/cli.js'

/**
 * The agents at these addresses, for the studio.
 * @throws {UsageError} a token is given for more than one agent, or its variable is not set; {LlmError} `invalid-base-url`
 */
export function toStudioAgents(urls: readonly string[], tokenEnv: string | undefined, cli: Cli): StudioAgent[] {
  if (tokenEnv !== undefined && urls.length !== 1)
    throw new UsageError('--token-env needs exactly one --agent: a token goes only to the agent it was given for')
  const token = tokenEnv === undefined ? undefined : tokenOf(cli, tokenEnv)
  const auth = token === undefined ? {} : { auth: { type: 'bearer', token } as const }
  return urls.map((url) => ({
    url,
    hosts: createAgentClient(url).hosts(),
    open: (fetch) => createAgentClient(url, { fetch, ...auth }),
    ...(token !== undefined && { secrets: [token] }),
  }))
}

/**
 * The MCP servers that the user names: an address, or a command with its arguments, which no shell reads.
 * @throws {UsageError} one is empty; {LlmError} `config` — the package of MCP is not installed
 */
export async function toMcpSources(servers: readonly string[]): Promise<ToolSource[]> {
  if (servers.length === 0) return []
  const { mcpTools } = await import('@modelport/runtime/mcp').catch((cause: unknown) => {
    throw new LlmError(
      'config',
      '--mcp needs the package @modelcontextprotocol/sdk; install it next to @modelport/cli',
      {
        cause,
      },
    )
  })
  return servers.map((server, index) => {
    const isRepeated = servers.indexOf(server) < index
    return mcpTools({ name: isRepeated ? `${server} (${index + 1})` : server, transport: toTransport(server) })
  })
}

function toTransport(server: string): McpTransport {
  if (/^https?:\/\//i.test(server)) return { url: server }
  const [command, ...args] = server.trim().split(/\s+/)
  if (!command) throw new UsageError('--mcp is empty; give an address, or a command in quotes')
  return { command, args }
}
