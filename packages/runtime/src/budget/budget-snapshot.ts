import { isObject } from '@modelport/core'

/**
 * The amounts that a ledger has spent, as plain JSON: `new BudgetLedger(budget, { restored })`
 * continues from it.
 */
export interface BudgetSnapshot {
  /** The sums of everything that counted against it. */
  readonly spent: SpentAmounts
  /** Milliseconds of run time. The time between snapshot and restore does not count. */
  readonly elapsedMs: number
  /** The currency of `cost`. Unset: nothing with a price was spent. */
  readonly currency?: string
  /** Limits that were warned of already. */
  readonly warned: readonly string[]
  /** The run whose own ledger this is. Unset: a ledger that runs may share. */
  readonly run?: string
  /**
   * What each run that may be resumed has spent of it, by its id: a resume of one of them adds only
   * what is missing. Unset: none.
   */
  readonly runs?: Readonly<Record<string, SpentAmounts>>
}

/** Spent amounts by name; `cost` in billionths of the currency. */
export type SpentAmounts = Readonly<Record<string, number>>

/**
 * True for a result of {@link BudgetLedger.snapshot}: a damaged one could set limits that refuse
 * everything.
 */
export function isSnapshot(value: unknown): value is BudgetSnapshot {
  if (!isObject(value)) return false
  const { spent, elapsedMs, currency, warned, run, runs } = value
  return (
    isSpent(spent) &&
    (run === undefined || typeof run === 'string') &&
    (runs === undefined || (isObject(runs) && Object.values(runs).every(isSpent))) &&
    isAmount(elapsedMs) &&
    (currency === undefined || typeof currency === 'string') &&
    Array.isArray(warned) &&
    warned.every((one) => typeof one === 'string')
  )
}

const isSpent = (value: unknown): boolean => isObject(value) && Object.values(value).every(isAmount)

const isAmount = (value: unknown): boolean =>
  typeof value === 'number' && value >= 0 && value < Infinity

/** Joins two records of one ledger. Amounts only grow, so the larger of both is the later one. */
export function laterSnapshot(a: BudgetSnapshot, b: BudgetSnapshot): BudgetSnapshot {
  const { run, runs } = { ...a, ...b }
  const currency = b.currency ?? a.currency
  return {
    spent: laterAmounts(a.spent, b.spent),
    elapsedMs: Math.max(a.elapsedMs, b.elapsedMs),
    warned: [...new Set([...a.warned, ...b.warned])],
    ...(currency !== undefined && { currency }),
    ...(run !== undefined && { run }),
    ...(runs && { runs }),
  }
}

function laterAmounts(a: SpentAmounts, b: SpentAmounts): SpentAmounts {
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return Object.fromEntries([...names].map((name) => [name, Math.max(a[name] ?? 0, b[name] ?? 0)]))
}
