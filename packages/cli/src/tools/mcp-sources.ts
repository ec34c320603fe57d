import { access, mkdir } from 'node:fs/promises'
import { delimiter, dirname, join, resolve } from 'node:path'
import { configError, type LlmError } from '@modelport/core'
import type { McpSettings, McpTransport } from '@modelport/mcp'
import type { ToolSource } from '@modelport/runtime'
import type { Cli } from '../context/cli.js'
import { UsageError } from '../errors/exit-codes.js'

/** Which MCP servers, and where their tools are pinned. */
export interface McpFlags {
  readonly mcp?: readonly string[]
  readonly lock?: string
}

/**
 * The package of MCP, which needs another one.
 * @throws {LlmError} `config` — that is not installed.
 */
export const loadMcp = (): Promise<typeof import('@modelport/mcp')> =>
  import('@modelport/mcp').catch((cause: unknown) => {
    throw configError(
      'MCP needs the package @modelcontextprotocol/client; install it next to @modelport/cli',
      {
        cause,
      },
    )
  })

/**
 * The MCP servers that the user names: an address, or a command with its arguments, which no shell
 * reads. None is started here. Their tools are pinned in the user's lock, or in the given one;
 * without `onChange`, what changed is left out with a warning.
 * @throws {UsageError} one is empty, or its command does not exist; {LlmError} `config` — the
 * package of MCP is not installed
 */
export async function toMcpSources(
  { mcp: servers = [], lock }: McpFlags,
  cli: Cli,
  onChange?: McpSettings['onChange'],
): Promise<ToolSource[]> {
  if (servers.length === 0) return []
  const { mcpTools } = await loadMcp()
  const { err, json, locations } = cli
  const onWarning = ({ message }: LlmError): void => {
    if (json) err.json({ warning: message })
    else err.line(err.style('yellow', `warning: ${err.foreign(message)}`))
  }
  if (lock === undefined) await mkdir(dirname(locations.lock), { recursive: true, mode: 0o700 })
  const pinned = { lock: lock === undefined ? locations.lock : resolve(lock), onWarning, onChange }
  const transports = await Promise.all(servers.map((server) => toTransport(server, cli)))
  return transports.map((transport, index) => {
    const server = servers[index] ?? ''
    const isRepeated = servers.indexOf(server) < index
    return mcpTools({
      name: isRepeated ? `${server} (${index + 1})` : server,
      transport,
      ...pinned,
      elicitation: onChange !== undefined,
    })
  })
}

/** How a server is reached that the user names. @param token bearer token for an address */
export async function toTransport(server: string, cli: Cli, token?: string): Promise<McpTransport> {
  if (/^https?:\/\//i.test(server))
    return {
      url: server,
      ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
    }
  const [command, ...args] = server.trim().split(/\s+/)
  if (!command) throw new UsageError('--mcp is empty; give an address, or a command in quotes')
  if (!(await isCommand(command, cli)))
    throw new UsageError(
      `--mcp: there is no command ${JSON.stringify(command)}; install it, give its path, or give an address that begins with http:// or https://`,
    )
  return { command, args }
}

/**
 * True if the command is a file, or is found in a folder of PATH. Windows also tries endings, so
 * the start itself reports it there.
 */
async function isCommand(command: string, { context: { environment } }: Cli): Promise<boolean> {
  if (process.platform === 'win32') return true
  const folders = (environment?.('PATH') ?? '/usr/local/bin:/usr/bin:/bin').split(delimiter)
  const paths = command.includes('/') ? [command] : folders.map((folder) => join(folder, command))
  const found = await Promise.allSettled(paths.map((path) => access(path)))
  return found.some(({ status }) => status === 'fulfilled')
}
