import { type Command, CommanderError } from 'commander'
import { createCli, createLife } from './context/cli.js'
import type { Start } from './context/start.js'
import { exitCodes, UsageError } from './errors/exit-codes.js'
import { printFailure } from './errors/failure.js'
import type { Io } from './terminal/io.js'
import { Printer } from './terminal/printer.js'
import { createProgram, toUsageMessage } from './program.js'
import { refuseSecretFlags } from './secrets/secret-flags.js'

/**
 * Runs the command line. Never rejects: what goes wrong is printed to the error output, and the exit code says what it was.
 * @param args the arguments after the program's name
 */
export async function run(args: readonly string[], io: Io): Promise<number> {
  let code: number = exitCodes.done
  const json = args.includes('--json')
  let readerIsGone = (): boolean => false
  const start: Start = async (options, action, interrupts = 'abort') => {
    const own: Io = { ...io, onInterrupt: () => () => undefined }
    const life = createLife(interrupts === 'own' ? own : io)
    readerIsGone = () => life.readerIsGone()
    try {
      code = await action(await createCli(io, options, life.signal))
      await life.flush()
    } catch (error) {
      // What a signal ended is told by its reason, however it was put.
      throw life.signal.aborted ? life.signal.reason : error
    } finally {
      life.end()
    }
  }
  try {
    refuseSecretFlags(args)
    const program = createProgram(io, start, json)
    await program.parseAsync(withoutHelp(program, args), { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return exitCodes.done
      if (json)
        printFailure(
          new UsageError(toUsageMessage(error.message.replace(/^error: /, ''))),
          new Printer(io.stderr, io.environment),
          json,
        )
      return exitCodes.usage
    }
    // The reader closed the pipe, as in `modelport … | head`: not a failure.
    if (readerIsGone()) return exitCodes.done
    return printFailure(error, new Printer(io.stderr, io.environment), json)
  }
}

/** Reports `help nothing` as an unknown command, like `nothing`: commander would print the general help. */
function withoutHelp({ commands }: Command, args: readonly string[]): readonly string[] {
  const [help, name = '-'] = args
  const isKnown = name.startsWith('-') || commands.some((command) => command.name() === name)
  return help === 'help' && !isKnown ? args.slice(1) : args
}
