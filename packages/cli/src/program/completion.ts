import { Argument, type Command } from 'commander'
import type { Cli } from '../context/cli.js'
import { type Start, withCommonOptions } from '../context/start.js'
import { exitCodes } from '../errors/exit-codes.js'
import { completionScript, type Shell, shells } from './completion-script.js'

/** `modelport completion`: a script for the shell. */
export function addCompletion(program: Command, start: Start): void {
  const print = ({ out, json }: Cli, shell: Shell): Promise<number> => {
    const script = completionScript(program, shell)
    if (json) out.json({ shell, script })
    else out.write(script)
    return Promise.resolve(exitCodes.done)
  }
  withCommonOptions(program.command('completion').addArgument(new Argument('<shell>', 'which shell').choices(shells)))
    .description('print a script that completes commands and options in a shell')
    .action(start(() => Promise.resolve(print)))
}
