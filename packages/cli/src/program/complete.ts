import type { Command } from 'commander'
import type { CompleteOptions } from '../commands/complete.js'
import { type Start, withCommonOptions, withModelOption } from '../context/start.js'
import { withCallFlags } from './call-flags.js'

/** `modelport complete`: one reply, made for pipes. */
export function addComplete(program: Command, start: Start): void {
  withCallFlags(
    withModelOption(
      withCommonOptions(
        program.command('complete').argument('[prompt...]', 'what to ask; what is piped in comes after it'),
      ),
    ),
  )
    .description('send one prompt and print the reply; reads from and writes to pipes')
    .option('--usage', 'print tokens and cost to the error output')
    .action((prompt: string[], options: CompleteOptions) =>
      start(options, async (cli) => (await import('../commands/complete.js')).complete(cli, prompt, options)),
    )
}
