import { configError } from '@modelport/core'
import {
  BudgetLedger,
  defaultRunLimits,
  type GivenLimits,
  type RunBudget,
} from '@modelport/runtime'
import type { NamedModel } from '../models/configured-models.js'

/** Limits of what follows one message, as the command line takes them. */
export interface LimitFlags {
  readonly toolTimeout?: number
  readonly maxSteps?: number
  readonly maxRepeats?: number
  readonly repeatable?: readonly string[]
}

/** The limits of a run. */
export const toLimits = ({
  toolTimeout,
  maxSteps = defaultRunLimits.maxSteps,
  maxRepeats = defaultRunLimits.maxRepeats,
  repeatable = [],
}: LimitFlags): GivenLimits => ({
  // The runtime counts whole milliseconds.
  toolTimeoutMs:
    toolTimeout === undefined ? defaultRunLimits.toolTimeoutMs : Math.ceil(toolTimeout * 1000),
  maxSteps,
  maxRepeats,
  repeatableTools: repeatable,
})

/** Limits of what a whole chat may spend. */
export type BudgetFlags = Pick<RunBudget, 'maxCost' | 'maxOutputTokens' | 'maxToolCalls'>

/**
 * The ledger of a chat; undefined if nothing is limited.
 * @throws {LlmError} `config` — the cost is limited, and the model has no prices.
 */
export function toLedger(
  { maxCost, maxOutputTokens, maxToolCalls }: BudgetFlags,
  { name, profile = {} }: NamedModel,
): BudgetLedger | undefined {
  if (maxCost !== undefined && profile.prices === undefined)
    throw configError(
      `--max-cost needs the prices of ${name}: set catalog: true in its profile, or prices: {input: …, output: …}`,
    )
  const budget = { maxCost, maxOutputTokens, maxToolCalls }
  return Object.values(budget).some((limit) => limit !== undefined)
    ? new BudgetLedger(budget)
    : undefined
}
