import { LlmError } from '@modelport/core'
import { BudgetLedger, defaultLimits, type GivenLimits, type RunBudget } from '@modelport/runtime'
import { type Command, InvalidArgumentError } from 'commander'
import type { NamedModel } from '../models/configured-models.js'
import { toCount, toNumber, toSeconds } from './call-options.js'

/** Limits of what follows one message, as the command line takes them. */
export interface LimitFlags {
  readonly toolTimeout: number
  readonly maxSteps: number
  readonly maxRepeats: number
  readonly repeatable?: readonly string[]
}

/** Adds the options for limits. */
export const withLimitFlags = (command: Command): Command =>
  command
    .option(
      '--tool-timeout <seconds>',
      'default time limit per tool call, in seconds',
      toSeconds,
      defaultLimits.toolTimeoutMs / 1000,
    )
    .option('--max-steps <count>', 'maximum number of model calls per message', toCount, defaultLimits.maxSteps)
    .option(
      '--max-repeats <count>',
      'maximum number of model calls in a row that only repeat tool calls',
      toCount,
      defaultLimits.maxRepeats,
    )
    .option('--repeatable <tools>', 'tools that may be called again with the same arguments: NAME,NAME', toNames)

/** The limits of a run. */
export const toLimits = ({ toolTimeout, maxSteps, maxRepeats, repeatable = [] }: LimitFlags): GivenLimits => ({
  // The runtime counts whole milliseconds.
  toolTimeoutMs: Math.ceil(toolTimeout * 1000),
  maxSteps,
  maxRepeats,
  repeatableTools: repeatable,
})

/** Limits of what a whole chat may spend. */
export type BudgetFlags = Pick<RunBudget, 'maxCost' | 'maxOutputTokens' | 'maxToolCalls'>

/** Adds the options for a budget. */
export const withBudgetFlags = (command: Command): Command =>
  command
    .option('--max-cost <amount>', "cost limit of the chat, in the currency of the model's prices", toAmount)
    .option('--max-output-tokens <count>', 'maximum number of tokens in all replies of the chat', toCount)
    .option('--max-tool-calls <count>', 'maximum number of tool calls in the chat', toCount)

/** The ledger of a chat; undefined if nothing is limited. @throws {LlmError} `config` — the cost is limited, and the model has no prices. */
export function toLedger(
  { maxCost, maxOutputTokens, maxToolCalls }: BudgetFlags,
  { name, profile = {} }: NamedModel,
): BudgetLedger | undefined {
  const { inputCostPerMillion, outputCostPerMillion } = profile
  if (maxCost !== undefined && (inputCostPerMillion === undefined || outputCostPerMillion === undefined))
    throw new LlmError(
      'config',
      `--max-cost needs the prices of ${name}: set input_cost_per_million and output_cost_per_million in its profile`,
    )
  const budget = { maxCost, maxOutputTokens, maxToolCalls }
  return Object.values(budget).some((limit) => limit !== undefined) ? new BudgetLedger(budget) : undefined
}

function toAmount(text: string): number {
  const amount = toNumber(text)
  if (amount <= 0) throw new InvalidArgumentError('must be above 0.')
  return amount
}

const toNames = (text: string): readonly string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
