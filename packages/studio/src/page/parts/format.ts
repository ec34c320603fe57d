import type { CostBound } from '@modelport/core'
import type { RunStatus, RunSummary } from '../../protocol/protocol.js'
import { visible } from './visible.js'

/** Milliseconds for people: `340 ms`, `1.2 s`, `2 min 5 s`. */
export function formatMs(ms: number | undefined): string {
  if (ms === undefined) return '–'
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`
}

/** A count with separators. */
export const formatCount = (count: number | undefined): string =>
  count === undefined ? '–' : count.toLocaleString('en')

/** What a price that is not known makes of a cost. */
export const boundText: Readonly<Record<CostBound, string>> = {
  'at-most': 'at most',
  about: 'about',
}

/** The digits of an amount: small ones have more. */
function digitsOf(cost: number): number {
  if (cost >= 1) return 2
  return cost >= 0.01 ? 4 : 6
}

/**
 * A cost; small ones with more digits. Dollars have their sign, other currencies their code.
 * @param bound how it relates to what the vendor charges
 */
export function formatCost(
  cost: number | undefined,
  currency: string = 'USD',
  bound?: CostBound,
): string {
  if (cost === undefined) return '–'
  const amount = cost.toFixed(digitsOf(cost))
  const price = currency === 'USD' ? `$${amount}` : `${amount} ${currency}`
  return bound ? `${boundText[bound]} ${price}` : price
}

/** The status of a run in a list, or the code of its error if that says more. */
export const stateOf = ({ status, error }: Pick<RunSummary, 'status' | 'error'>): string =>
  error === undefined || error.code === status
    ? statusText[status]
    : `${statusText[status]}: ${error.code}`

/** A time of day, with the date when it is not today. */
export function formatTime(at: number): string {
  const date = new Date(at)
  const isToday = date.toDateString() === new Date().toDateString()
  return isToday
    ? date.toLocaleTimeString('en', { timeStyle: 'medium' })
    : date.toLocaleString('en')
}

/** The page's word for the status of a run. */
export const statusText: Readonly<Record<RunStatus, string>> = {
  running: 'running',
  waiting: 'needs your decision',
  final: 'finished',
  limit: 'limit reached',
  budget: 'budget spent',
  suspended: 'waits',
  cancelled: 'stopped',
  failed: 'failed',
}

/**
 * A value as text for people: JSON with indentation, text as it is; characters that cannot be seen
 * as escapes.
 */
export function pretty(value: unknown): string {
  if (typeof value === 'string') return visible(value)
  return value === undefined ? '' : visible(JSON.stringify(value, undefined, 2))
}

/** The cost of a run with all runs in it, in each currency. */
export function costOf({
  tree,
  cost,
  currency,
  costBound,
}: Pick<RunSummary, 'tree' | 'cost' | 'currency' | 'costBound'>): string {
  if (!tree) return formatCost(cost, currency, costBound)
  const costs = Object.entries(tree.costs).map(([of, sum]) => formatCost(sum, of, tree.costBound))
  return costs.length > 0 ? costs.join(' + ') : formatCost(undefined)
}
