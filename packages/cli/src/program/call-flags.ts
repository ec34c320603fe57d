import type { Command } from 'commander'
import { toCount, toNumber, toSeconds } from './numbers.js'

/** Adds the options of one call. */
export const withCallFlags = (command: Command): Command =>
  command
    .option('-s, --system <text>', 'instructions for the model')
    .option('--max-tokens <count>', 'maximum number of tokens in the reply', toCount)
    .option('--temperature <number>', 'randomness, 0 to 2', toNumber)
    .option('--schema <file>', 'JSON Schema that the reply must fit')
    .option('--timeout <seconds>', 'time limit for the whole command, in seconds', toSeconds)
