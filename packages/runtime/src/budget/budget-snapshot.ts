/** What a ledger has spent, as plain JSON: `new BudgetLedger(budget, { restored })` continues from it. */
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
