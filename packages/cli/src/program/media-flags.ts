import type { Command } from 'commander'
import { withBaseUrlOption, withCommonOptions } from '../context/start.js'
import { toSeconds } from './numbers.js'

/** Adds them; a model that is not named is that of the role. */
export const withMediaOptions = (command: Command, role: string): Command =>
  withBaseUrlOption(
    withCommonOptions(command).option(
      '-m, --model <name>',
      `a model of the configuration, or provider:model (default: the role ${role})`,
    ),
  ).option('--timeout <seconds>', 'time limit for the whole command, in seconds', toSeconds)
