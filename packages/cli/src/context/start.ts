import { type Command, InvalidArgumentError } from 'commander'
import type { Cli, CommonOptions } from './cli.js'

/** Runs a command; its number is the exit code. */
export type Action = (cli: Cli) => Promise<number>

/** Sets up what a command works with, and runs it. `own`: the command answers Ctrl-C itself. */
export type Start = (options: CommonOptions, action: Action, interrupts?: 'abort' | 'own') => Promise<void>

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
    command.option('-m, --model <name>', 'a model of the configuration, or provider:model (default: the role chat)'),
  )

/** Adds the option for the address of a model that is not in the configuration. */
export const withBaseUrlOption = (command: Command): Command =>
  command.option('--base-url <url>', 'base URL of the API, for provider:model; no configuration is needed')
