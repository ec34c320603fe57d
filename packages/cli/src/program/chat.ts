import type { Command } from 'commander'
import { type Start, withCommonOptions, withModelOption } from '../context/start.js'
import { withCallFlags, withToolFlags, withViewFlags } from './call-flags.js'
import { withBudgetFlags, withLimitFlags } from './limit-flags.js'

/** `modelport chat`: a conversation. */
export function addChat(program: Command, start: Start): void {
  const command = withModelOption(withCommonOptions(program.command('chat')))
  withBudgetFlags(withLimitFlags(withToolFlags(withCallFlags(withViewFlags(command)))))
    .description('talk with a model; lines of a pipe are messages too')
    .option('--record <file>', 'record the exchanges in a cassette, without keys; "modelport replay" plays it back')
    .option('-r, --resume [id]', 'continue a saved chat; without an id, the latest')
    .option('--no-save', 'keep nothing: neither the chat nor the history of the input')
    .option('--no-history', 'keep nothing of what is typed for the next chat')
    .option('--sessions <folder>', 'where chats are saved')
    .action(start(async () => (await import('../commands/chat.js')).chat, 'own'))
}
