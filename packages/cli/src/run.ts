import { CommanderError } from 'commander'
import { createCli, createSignal } from './cli.js'
import type { Start } from './commands/start.js'
import { exitCodes } from './exit-codes.js'
import { printFailure } from './failure.js'
import type { Io } from './io.js'
import { Printer } from './printer.js'
import { createProgram } from './program.js'
import { refuseSecretFlags } from './secret-flags.js'

/**
 * Runs the command line. Never rejects: what goes wrong is printed to the error output, and the exit code says what it was.
 * @param args the arguments after the program's name
 */
export async function run(args: readonly string[], io: Io): Promise<number> {
  let code: number = exitCodes.done
  let outputLost = (): boolean => false
  const start: Start = async (options, action, interrupts = 'abort') => {
    const own: Io = { ...io, onInterrupt: () => () => undefined }
    const life = createSignal(interrupts === 'own' ? own : io)
    outputLost = life.outputLost
    try {
      code = await action(await createCli(io, options, life.signal))
    } catch (error) {
      // What a signal ended is told by its reason, however it was put.
      throw life.signal.aborted ? life.signal.reason : error
    } finally {
      life.end()
    }
  }
  try {
    refuseSecretFlags(args)
    await createProgram(io, start).parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
    // Nobody reads on: `modelport … | head` is no failure.
    if (outputLost()) return exitCodes.done
    return printFailure(error, new Printer(io.stderr, io.environment), args.includes('--json'))
  }
}
