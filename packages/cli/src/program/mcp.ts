import type { Command } from 'commander'
import { type Start, withCommonOptions } from '../context/start.js'
import { withStoreOptions } from './agent-flags.js'
import { addArg } from './named-value.js'
import { toIntegerFrom } from './numbers.js'

/**
 * `modelport mcp`: serves tools and agents to MCP clients, calls MCP servers, and shows what they
 * changed since their tools were pinned.
 */
export function addMcp(program: Command, start: Start): void {
  const mcp = program
    .command('mcp')
    .description(
      'serve tools and agents to MCP clients, call MCP servers, and accept what they changed',
    )
  withStoreOptions(mcp.command('serve <file>'))
    .description(
      'serve the tools and agents of a module, or the agents of a YAML or JSON file, over stdio or HTTP',
    )
    .option('-n, --name <name>', 'name of the server (default: that of the file)')
    .option(
      '-p, --port <port>',
      'listen for HTTP at this port; 0 takes a free one',
      toIntegerFrom(0, 65_535, 'a port'),
    )
    .option(
      '--host <address>',
      'address to listen at; others than loopback need --token-env',
      '127.0.0.1',
    )
    .option('--token-env <name>', 'environment variable that holds the bearer token of callers')
    .action(start(async () => (await import('../commands/mcp-serve.js')).serveMcpFile))
  withServerOptions(mcp.command('list <server>'))
    .description('list what a server has: an address, or a command in quotes')
    .action(start(async () => (await import('../commands/mcp-call.js')).listMcp))
  withServerOptions(mcp.command('call <server> <tool> [json]'))
    .description('call a tool of a server with arguments as a JSON object, or one by one')
    .option('--arg <name=value>', 'an argument; may be given several times', addArg)
    .action(start(async () => (await import('../commands/mcp-call.js')).callMcp))
  withCommonOptions(mcp.command('trust [server...]'))
    .description(
      'show how the tools of servers differ from the lock, and accept the difference; contacts nothing',
    )
    .option('--lock <file>', "the lock (default: modelport.lock in the user's state folder)")
    .option('-y, --yes', 'accept without asking')
    .action(start(async () => (await import('../commands/mcp-trust.js')).trust))
}

const withServerOptions = (command: Command): Command =>
  withCommonOptions(command).option(
    '--token-env <name>',
    'environment variable that holds the bearer token',
  )
