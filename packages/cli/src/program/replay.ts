import type { Command } from 'commander'
import { type Start, withCommonOptions } from '../context/start.js'

/** `modelport replay`: the reply of a cassette, without a network. */
export function addReplay(program: Command, start: Start): void {
  withCommonOptions(
    program
      .command('replay')
      .argument('<file>', 'cassette that "modelport record" wrote')
      .argument('[prompt...]', 'ask this instead of what was asked'),
  )
    .description('reply from a cassette; nothing is sent')
    .option('--lenient', 'compare method and path of requests only')
    .action(start(async () => (await import('../commands/replay.js')).replay))
}
