import type { Command } from 'commander'
import { type Start, withCommonOptions } from '../context/start.js'

/** `modelport mcp trust`: what changed at MCP servers since their tools were pinned. */
export function addMcpTrust(program: Command, start: Start): void {
  const mcp =
    program.commands.find((command) => command.name() === 'mcp') ??
    program.command('mcp').description('MCP servers: accept what they changed')
  withCommonOptions(mcp.command('trust [server...]'))
    .description('show how the tools of servers differ from the lock, and accept the difference; contacts nothing')
    .option('--lock <file>', "the lock (default: modelport.lock in the user's state folder)")
    .option('-y, --yes', 'accept without asking')
    .action(start(async () => (await import('../commands/mcp-trust.js')).trust))
}
