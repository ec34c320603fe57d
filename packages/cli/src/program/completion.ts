import { Argument, type Command } from 'commander'
import { type Start, withCommonOptions } from '../context/start.js'
import { exitCodes } from '../errors/exit-codes.js'
import { completionScript, type Shell, shells } from './completion-script.js'

/** `modelport completion`: a script for the shell. */
export function addCompletion(program: Command, start: Start): void {
  withCommonOptions(program.command('completion').addArgument(new Argument('<shell>', 'which shell').choices(shells)))
    .description('print a script that completes commands and options in a shell')
    .action((shell: Shell, options: { readonly json?: boolean }) =>
      start(options, ({ out, json }) => {
        const script = completionScript(program, shell)
        if (json) out.json({ shell, script })
        else out.write(script)
        return Promise.resolve(exitCodes.done)
      }),
    )
}
