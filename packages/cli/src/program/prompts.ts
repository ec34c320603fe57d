import { Argument, type Command } from 'commander'
import { type Start, withCommonOptions } from '../context/start.js'

/** `modelport prompts check`: everything that would go wrong in the middle of a call. */
export function addPrompts(program: Command, start: Start): void {
  withCommonOptions(program.command('prompts'))
    .description('check a folder of Markdown prompts; problems name their file')
    .addArgument(new Argument('<action>', 'what to do').choices(['check']))
    .argument('[folder]', 'where the prompts are', 'prompts')
    .action(start(async () => (await import('../commands/prompts.js')).check))
}
