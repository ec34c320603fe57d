import type { Command } from 'commander'
import { type Start, withCommonOptions } from '../context/start.js'

/** `modelport sessions`: saved chats. */
export function addSessions(program: Command, start: Start): void {
  withCommonOptions(program.command('sessions'))
    .description('list saved chats, or delete one')
    .option('--sessions <folder>', 'where chats are saved')
    .option('--delete <id>', 'delete this chat')
    .action(start(async () => (await import('../commands/sessions.js')).sessions))
}
