import type { Command } from 'commander'
import { type Start, withCommonOptions } from '../context/start.js'

/** `modelport init`: a model into the configuration. */
export function addInit(program: Command, start: Start): void {
  withCommonOptions(program.command('init'))
    .description('set up a model: asks, tests the connection, writes the configuration')
    .option('-p, --provider <name>', 'provider, or provider:model')
    .option('-m, --model <name>', 'model')
    .option('-n, --name <name>', 'what to call it (default: main)')
    .option('--base-url <url>', 'address of the API')
    .option('--key-env <name>', 'variable that has the key')
    .option('--key-stdin', 'read the key from the input, and keep it in the key file')
    .option('--no-test', 'do not test the connection')
    .action(start(async () => (await import('../commands/init.js')).init))
}
