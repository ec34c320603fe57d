import { type CostBound, type TokenUsage, usageCostOf } from '@modelport/core'
import { checkPrices } from '@modelport/core/settings'
import type { OwnSpending } from '../protocol/own-calls.js'
import { fieldsOf, readUsage } from './ingest-forms.js'

/** What a call outside of a run spent, by the prices that its provider has. */
export function callSpending(usage: TokenUsage | undefined, prices: unknown): OwnSpending {
  if (!usage) return {}
  if (prices === undefined) return { usage }
  try {
    checkPrices('prices', prices)
    const { total, currency, bound } = usageCostOf(usage, prices)
    return { usage, cost: total, currency, ...(bound && { costBound: bound }) }
  } catch {
    // A program may write anything: the call is shown without a cost.
    return { usage }
  }
}

/** The sum of its own calls that a program wrote. */
export function readSpending(value: unknown): OwnSpending {
  const { usage: written, cost, currency, costBound } = fieldsOf(value)
  const usage = readUsage(written)
  return {
    ...(usage && { usage }),
    ...(typeof cost === 'number' && Number.isFinite(cost) && { cost }),
    ...(typeof currency === 'string' && { currency }),
    ...(isBound(costBound) && { costBound }),
  }
}

const isBound = (value: unknown): value is CostBound => value === 'at-most' || value === 'about'
