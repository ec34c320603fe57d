import { type Command, CommanderError } from 'commander'
import type { CommonOptions } from './context/cli.js'
import type { Start } from './context/start.js'
import { exitCodes, UsageError } from './errors/exit-codes.js'
import { createProgram } from './program.js'
import { refuseSecretFlags } from './secrets/secret-flags.js'
import type { Io } from './terminal/io.js'

/** What the arguments need; the rest of what a command works with is loaded when one runs. */
export type Outputs = Pick<Io, 'stdout' | 'stderr'>

/**
 * Runs the command line. Never rejects: what goes wrong is printed to the error output, and the
 * exit code says what it was.
 * @param args the arguments after the program's name
 */
export const run = (args: readonly string[], io: Io): Promise<number> =>
  runWith(args, io, () => Promise.resolve(io))

/**
 * The same, with the environment, the input and the signals loaded only for a command that runs.
 */
export async function runWith(
  args: readonly string[],
  outputs: Outputs,
  loadIo: () => Promise<Io>,
): Promise<number> {
  let code: number = exitCodes.done
  const json = args.includes('--json')
  let readerIsGone = (): boolean => false
  const print = async (error: unknown): Promise<number> => {
    const [{ printFailure }, { Printer }, io] = await Promise.all([
      import('./errors/failure.js'),
      import('./terminal/printer.js'),
      loadIo(),
    ])
    return printFailure(error, new Printer(io.stderr, io.environment), json)
  }
  const start: Start =
    (load, interrupts) =>
    async (...given) => {
      const [io, { createCli, createLife }] = await Promise.all([
        loadIo(),
        import('./context/cli.js'),
      ])
      const own: Io = { ...io, onInterrupt: () => () => undefined }
      const life = createLife(interrupts === 'own' ? own : io)
      readerIsGone = () => life.readerIsGone()
      try {
        // Commander adds the command itself after the options.
        const options = given.at(-2) as CommonOptions
        // What stands before the command holds for it too.
        const cli = await createCli(io, { ...program.opts(), ...options }, life.signal)
        const run = await load()
        code = await run(cli, ...(given.slice(0, -1) as never[]))
        await life.flush()
      } catch (error) {
        // If a signal ended the command, its reason is what the user reads, whatever error it
        // caused.
        throw life.signal.aborted ? life.signal.reason : error
      } finally {
        life.end()
      }
    }
  const { program, problem } = createProgram(outputs, start, json)
  try {
    refuseSecretFlags(args)
    await program.parseAsync(withoutHelp(program, args), { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return exitCodes.done
      if (!json) return exitCodes.usage
      return print(new UsageError(problem()))
    }
    // The reader closed the pipe, as in `modelport … | head`: not a failure.
    if (readerIsGone()) return exitCodes.done
    return print(error)
  }
}

/**
 * Reports `help nothing` as an unknown command, like `nothing`: commander would print the general
 * help.
 */
function withoutHelp({ commands }: Command, args: readonly string[]): readonly string[] {
  const [help, name = '-'] = args
  const isKnown = name.startsWith('-') || commands.some((command) => command.name() === name)
  return help === 'help' && !isKnown ? args.slice(1) : args
}
