import { once } from 'node:events'
import { basename } from 'node:path'
import { createAdaptorServer } from '@hono/node-server'
import { AgentHost } from '@modelport/agent'
import { configError, isObject } from '@modelport/core'
import { errorText } from '@modelport/core/text'
import type { ServedMcp, ServeMcpOptions } from '@modelport/mcp/server'
import { createAuthenticator } from '@modelport/serve'
import { toAuthentication } from '../agents/agent-client.js'
import { readAgents } from '../agents/agent-config.js'
import { isAgent } from '../agents/agent-module.js'
import { type Cli, untilAborted } from '../context/cli.js'
import { exitCodes } from '../errors/exit-codes.js'
import { loadUserModule } from '../files/user-module.js'
import { toTools } from '../tools/tool-module.js'
import { hasStore, openStore, type StoreCommandOptions } from './agent-store.js'

/** Options of `modelport mcp serve`. */
export interface McpServeOptions extends StoreCommandOptions {
  readonly name?: string
  readonly port?: number
  readonly host: string
  readonly tokenEnv?: string
}

/**
 * Serves what a file offers to MCP clients: to the one at the other end of stdio until it leaves,
 * or over HTTP until Ctrl-C.
 */
export async function serveMcpFile(
  cli: Cli,
  file: string,
  options: McpServeOptions,
): Promise<number> {
  const { err, signal } = cli
  const authentication = toAuthentication(cli, options)
  // Standard output is the protocol's.
  if (options.port === undefined)
    Object.assign(console, { log: console.error, info: console.error })
  const offered = await readOffer(cli, file)
  const { serveMcp } = await import('@modelport/mcp/server').catch((cause: unknown) => {
    throw configError(
      'mcp serve needs the package @modelcontextprotocol/server; install it next to @modelport/cli',
      {
        cause,
      },
    )
  })
  const store = hasStore(options) ? await openStore(cli, options, true) : undefined
  try {
    const { agents = [] } = offered
    const served = serveMcp({
      ...offered,
      ...(options.name !== undefined && { name: options.name }),
      ...(store &&
        !('send' in agents) &&
        agents.length && { agents: new AgentHost(agents, { store }) }),
      ...(authentication && { authenticate: createAuthenticator(authentication).authenticate }),
      onError: (error) => {
        err.line(err.foreign(`error: ${errorText(error)}`))
      },
    })
    if (options.port === undefined) await Promise.race([served.stdio(), untilAborted(signal)])
    else await listen(cli, served, options.port, options.host)
    await served.close()
  } finally {
    await store?.close()
  }
  return exitCodes.done
}

/** What a file offers: a list of tools and agents, an agent, or the options of `serveMcp`. */
async function readOffer(cli: Cli, file: string): Promise<ServeMcpOptions> {
  const name = basename(file).replace(/\.[^.]*$/, '')
  if (/\.(ya?ml|json)$/i.test(file)) return { name, agents: await readAgents(cli, file) }
  const found = await loadUserModule(file, 'tools')
  if (isObject(found) && !Array.isArray(found) && !isAgent(found)) return { name, ...found }
  const list: readonly unknown[] = Array.isArray(found) ? found : [found]
  const tools = list.filter((entry) => !isAgent(entry))
  return { name, tools: tools.length ? toTools(tools, file) : [], agents: list.filter(isAgent) }
}

async function listen(
  { out, json, signal }: Cli,
  { fetch }: ServedMcp,
  port: number,
  host: string,
): Promise<void> {
  const listener = createAdaptorServer({ fetch, overrideGlobalObjects: false })
  await once(listener.listen(port, host), 'listening')
  const address = listener.address()
  const bound = typeof address === 'object' && address ? address.port : port
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${bound}/mcp`
  if (json) out.json({ url, port: bound })
  else out.line(url)
  await untilAborted(signal)
  listener.close()
  if ('closeAllConnections' in listener) listener.closeAllConnections()
}
