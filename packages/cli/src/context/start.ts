import { type Command, InvalidArgumentError } from 'commander'
import type { Cli } from './cli.js'

/** What a command does with its arguments and, last, its options. Resolves to the exit code. */
type Run = (cli: Cli, ...given: never[]) => Promise<number>

/**
 * Makes the action of a command, which is loaded when it runs. `own`: the command answers Ctrl-C
 * itself.
 */
export type Start = (
  load: () => Promise<Run>,
  interrupts?: 'abort' | 'own',
) => (...given: unknown[]) => Promise<void>

function toPath(text: string): string {
  if (!text) throw new InvalidArgumentError('it is empty.')
  return text
}

/** Adds the options of every command. */
export const withCommonOptions = (command: Command): Command =>
  command
    .option(
      '-c, --config <file>',
      "configuration (default: $MODELPORT_CONFIG, else config.yaml in the user's folder)",
      toPath,
    )
    .option('--json', 'print JSON for programs')

/** Adds the option that names a model. */
export const withModelOption = (command: Command): Command =>
  withBaseUrlOption(
    command.option(
      '-m, --model <name>',
      'a model of the configuration, or provider:model (default: the role chat)',
    ),
  )

/** Adds the option for the address of a model that is not in the configuration. */
export const withBaseUrlOption = (command: Command): Command =>
  command.option(
    '--base-url <url>',
    'base URL of the API, for provider:model; no configuration is needed',
  )
