import type { Command } from 'commander'
import { withCommonOptions } from '../context/start.js'

/** Adds the options of commands that call an agent. */
export const withAgentCallOptions = (command: Command): Command =>
  withCommonOptions(command).option('--token-env <name>', 'environment variable that holds the bearer token')
