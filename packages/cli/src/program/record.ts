import type { Command } from 'commander'
import { type Start, withCommonOptions, withModelOption } from '../context/start.js'
import { withOneCallFlags } from './call-flags.js'
import { withLimitFlags } from './limit-flags.js'

/** `modelport record`: asks a real model and keeps the exchange. */
export function addRecord(program: Command, start: Start): void {
  const command = program
    .command('record')
    .argument('<file>', 'cassette to write')
    .argument('[prompt...]', 'what to ask; what is piped in comes after it')
  withLimitFlags(withOneCallFlags(withModelOption(withCommonOptions(command))))
    .description('send one prompt and record the exchange in a cassette, without keys')
    .option('-t, --tools <file>', 'module with tools; each call is shown and asked for')
    .option('--allow-tools', 'run tools without asking')
    .action(start(async () => (await import('../commands/record.js')).record))
}
