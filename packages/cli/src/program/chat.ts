import type { Command } from 'commander'
import type { ChatOptions } from '../commands/chat.js'
import { type Start, withCommonOptions, withModelOption } from '../context/start.js'
import { withBudgetFlags, withLimitFlags } from './limit-flags.js'

/** `modelport chat`: a conversation. */
export function addChat(program: Command, start: Start): void {
  withBudgetFlags(withLimitFlags(withModelOption(withCommonOptions(program.command('chat')))))
    .description('talk with a model; lines of a pipe are messages too')
    .option('-s, --system <text>', 'instructions for the model')
    .option('-t, --tools <file>', 'module with tools; each call is shown and asked for')
    .option('--allow-tools', 'run tools without asking')
    .option('--record <file>', 'record the exchanges in a cassette, without keys; "modelport replay" plays it back')
    .option('-r, --resume [id]', 'continue a saved chat; without an id, the latest')
    .option('--no-save', 'keep nothing')
    .option('--sessions <folder>', 'where chats are saved')
    .option('--reasoning', "show the model's reasoning")
    .option('--no-markdown', 'show Markdown as it was written')
    .action((options: ChatOptions) =>
      start(options, async (cli) => (await import('../commands/chat.js')).chat(cli, options), 'own'),
    )
}
