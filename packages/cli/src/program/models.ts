import type { Command } from 'commander'
import { type Start, withCommonOptions } from '../context/start.js'

/** `modelport models`: what is configured, and what the vendors have. */
export function addModels(program: Command, start: Start): void {
  withCommonOptions(program.command('models'))
    .description('list the configured models, or those that their vendors have')
    .option('-m, --model <name>', 'only this one, or provider:model')
    .option('--remote', 'ask the vendors, or the servers, for their lists')
    .action(start(async () => (await import('../commands/models.js')).models))
}
