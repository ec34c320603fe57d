import type { Command } from 'commander'
import { toCount, toPositive } from './numbers.js'

/**
 * Adds the options for limits. The defaults are those of the runtime, which is loaded only when a
 * command runs.
 */
export const withLimitFlags = (command: Command): Command =>
  command
    .option(
      '--tool-timeout <seconds>',
      'time limit per tool call, in seconds (default: 120)',
      toPositive,
    )
    .option(
      '--max-steps <count>',
      'maximum number of model calls per message (default: 10)',
      toCount,
    )
    .option(
      '--max-repeats <count>',
      'maximum number of model calls in a row that only repeat tool calls (default: 3)',
      toCount,
    )
    .option(
      '--repeatable <tools>',
      'tools that may be called again with the same arguments: NAME,NAME',
      toNames,
    )

/** Adds the options for a budget. */
export const withBudgetFlags = (command: Command): Command =>
  command
    .option(
      '--max-cost <amount>',
      "cost limit of the chat, in the currency of the model's prices",
      toPositive,
    )
    .option(
      '--max-output-tokens <count>',
      'maximum number of tokens in all replies of the chat',
      toCount,
    )
    .option('--max-tool-calls <count>', 'maximum number of tool calls in the chat', toCount)

const toNames = (text: string): readonly string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
