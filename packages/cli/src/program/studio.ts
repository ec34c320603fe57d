import type { Command } from 'commander'
import { type Start, withCommonOptions } from '../context/start.js'
import { toIntegerFrom } from './numbers.js'

/** `modelport studio`: a page on this machine that shows streams, runs, costs and hosts. */
export function addStudio(program: Command, start: Start): void {
  withCommonOptions(program.command('studio'))
    .description('open a page on this machine to chat, and to look at runs, raw requests, costs and hosts')
    .option('-m, --model <name...>', 'only these models, or provider:model (default: all of the configuration)')
    .option('-p, --port <port>', 'port on 127.0.0.1; 0 takes a free one', toIntegerFrom(0, 65_535, 'a port'), 0)
    .option('--tools <file>', 'module with the tools that models may call (default: none)')
    .option('-a, --agent <url...>', 'addresses of agents to talk to')
    .option('--token-env <name>', 'environment variable that holds the bearer token of the one agent')
    .option('--mcp <server...>', 'MCP servers whose tools models may call: an address, or a command in quotes')
    .option('--file <file>', "SQLite file that keeps the runs (default: in the user's state folder)")
    .option('--memory', 'keep runs in memory only')
    .action(start(async () => (await import('../commands/studio.js')).studio))
}
