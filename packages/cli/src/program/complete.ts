import type { Command } from 'commander'
import { type Start, withCommonOptions, withModelOption } from '../context/start.js'
import { withOneCallFlags, withToolFlags, withViewFlags } from './call-flags.js'
import { withLimitFlags } from './limit-flags.js'
import { collect } from './numbers.js'

/** `modelport complete`: one reply, made for pipes. */
export function addComplete(program: Command, start: Start): void {
  const command = program.command('complete').argument('[prompt...]', 'what to ask; what is piped in comes after it')
  withModelOption(withCommonOptions(command))
    .description('send one prompt and print the reply; reads from and writes to pipes')
    .option('-i, --image <file>', 'image to send, a file or a URL; may be given several times', collect)
    .option('-C, --continue', 'continue the saved chat that was used last, and save the reply in it')
    .option('--save', 'save the prompt and the reply as a chat, to be continued')
    .option('--sessions <folder>', 'where chats are saved')
  withLimitFlags(withToolFlags(withOneCallFlags(withViewFlags(command))))
    .option('--usage', 'print tokens and cost to the error output')
    .action(start(async () => (await import('../commands/complete.js')).complete))
}
