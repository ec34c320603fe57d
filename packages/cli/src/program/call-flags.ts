import { optionForms } from '@modelport/core/settings'
import { type Command, Option } from 'commander'
import { collect, toCount, toInteger, toNumberFrom, toPositive } from './numbers.js'

/** Adds the options of each call: those of the library, with its names. */
export const withCallFlags = (command: Command): Command =>
  command
    .option('-s, --system <text>', 'instructions for the model')
    .option('--max-tokens <count>', 'maximum number of tokens in the reply', toCount)
    .option('--temperature <number>', 'randomness, 0 to 2', toNumberFrom(0, 2))
    .option(
      '--top-p <share>',
      'sample from the likeliest tokens with this share of the probability',
      toNumberFrom(0, 1),
    )
    .option('--top-k <count>', 'sample from this many of the likeliest tokens', toCount)
    .option('--seed <number>', 'seed of the sampling, for vendors that take one', toInteger)
    .option('--stop <text>', 'text at which the reply stops; may be given several times', collect)
    .addOption(
      new Option('--reasoning <effort>', 'how much the model thinks first').choices([
        ...optionForms.reasoning.values,
      ]),
    )

/** Adds the options of a command that makes one call. */
export const withOneCallFlags = (command: Command): Command =>
  withCallFlags(command)
    .option('--schema <file>', 'JSON Schema that the reply must fit')
    .option('--timeout <seconds>', 'time limit for the whole command, in seconds', toPositive)

/** Adds the options that say which tools the model may call. */
export const withToolFlags = (command: Command): Command =>
  command
    .option('-t, --tools <file>', 'module with tools; each call is shown and asked for')
    .option(
      '--mcp <server>',
      'MCP server with tools: an address, or a command in quotes; may be repeated',
      collect,
    )
    .option(
      '--lock <file>',
      "lock with the tools of MCP servers (default: in the user's state folder)",
    )
    .option('--allow-tools', 'run tools without asking')

/** Adds the options for how a reply is shown. */
export const withViewFlags = (command: Command): Command =>
  command
    .option('--show-reasoning', "show the model's reasoning")
    .option('--raw', 'show the reply as the model wrote it, without rendering Markdown')
