import type { Agent } from '@modelport/agent'
import { errorText } from '@modelport/core/text'
import { a2a, chatCompletions } from '@modelport/serve'
import { type ListeningServer, serve } from '@modelport/serve/node'
import { toAuthentication } from '../agents/agent-client.js'
import { readAgents } from '../agents/agent-config.js'
import { loadAgents } from '../agents/agent-module.js'
import { type Cli, untilAborted } from '../context/cli.js'
import { exitCodes } from '../errors/exit-codes.js'
import { hasStore, openStore, type StoreCommandOptions } from './agent-store.js'

/** Options of `modelport agent serve`. */
export interface ServeCommandOptions extends StoreCommandOptions {
  readonly port: number
  readonly host: string
  readonly url?: string
  readonly tokenEnv?: string
}

/** Serves the agents of a module or of a YAML or JSON file until Ctrl-C. */
export async function serveAgents(
  cli: Cli,
  file: string,
  options: ServeCommandOptions,
): Promise<number> {
  const { err, signal } = cli
  // `serve` refuses this too, but its message names an option of the library.
  const authentication = toAuthentication(cli, options)
  const isConfig = /\.(ya?ml|json)$/i.test(file)
  const agents: readonly Agent[] = isConfig ? await readAgents(cli, file) : await loadAgents(file)
  const store = hasStore(options) ? await openStore(cli, options, true) : undefined
  try {
    const server = await serve(agents, {
      wires: [a2a(), chatCompletions()],
      ...(store && { store }),
      port: options.port,
      hostname: options.host,
      ...(options.url !== undefined && { url: options.url }),
      ...(authentication && { authentication }),
      onError: (error) => {
        err.line(err.foreign(`error: ${errorText(error)}`))
      },
    })
    announce(cli, agents, server)
    await untilAborted(signal)
    await server.close()
  } finally {
    await store?.close()
  }
  return exitCodes.done
}

function announce({ out, json }: Cli, agents: readonly Agent[], server: ListeningServer): void {
  const paths = agents.map(({ name }) => ({ name, path: agents.length === 1 ? '' : `/a/${name}/` }))
  if (json)
    out.json({
      url: server.url,
      port: server.port,
      agents: paths.map(({ name, path }) => ({ name, url: server.url + path })),
    })
  else for (const { name, path } of paths) out.line(`${out.foreign(name)}: ${server.url}${path}`)
}
