import { isObject } from '@modelport/core'

/**
 * The amounts that a ledger has spent, as plain JSON: `new BudgetLedger(budget, { restored })`
 * continues from it.
 */
export interface BudgetSnapshot {
  /** Spent amounts by name; `cost` in billionths of the currency. */
  readonly spent: Readonly<Record<string, number>>
  /** Milliseconds of run time. The time between snapshot and restore does not count. */
  readonly elapsedMs: number
  /** The currency of `cost`. Unset: nothing with a price was spent. */
  readonly currency?: string
  /** Limits that were warned of already. */
  readonly warned: readonly string[]
}

/**
 * True for a result of {@link BudgetLedger.snapshot}: a damaged one could set limits that refuse
 * everything.
 */
export function isSnapshot(value: unknown): value is BudgetSnapshot {
  if (!isObject(value)) return false
  const { spent, elapsedMs, currency, warned } = value
  return (
    isObject(spent) &&
    Object.values(spent).every(isAmount) &&
    isAmount(elapsedMs) &&
    (currency === undefined || typeof currency === 'string') &&
    Array.isArray(warned) &&
    warned.every((one) => typeof one === 'string')
  )
}

const isAmount = (value: unknown): boolean =>
  typeof value === 'number' && value >= 0 && value < Infinity

/** The larger of both in every amount: what two records of one ledger prove together. */
export function laterSnapshot(a: BudgetSnapshot, b: BudgetSnapshot): BudgetSnapshot {
  const names = new Set([...Object.keys(a.spent), ...Object.keys(b.spent)])
  const currency = b.currency ?? a.currency
  return {
    spent: Object.fromEntries(
      [...names].map((name) => [name, Math.max(a.spent[name] ?? 0, b.spent[name] ?? 0)]),
    ),
    elapsedMs: Math.max(a.elapsedMs, b.elapsedMs),
    warned: [...new Set([...a.warned, ...b.warned])],
    ...(currency !== undefined && { currency }),
  }
}
