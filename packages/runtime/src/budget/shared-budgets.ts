import type { Principal } from '../base/principal.js'
import type { BudgetLedger } from './budget.js'
import type { BudgetWindow } from './budget-window.js'
import type { BudgetDesk, BudgetState, SharedLimits, SomeAmounts } from './shared-budget.js'

/** How a ledger takes from shared budgets. */
export interface SharedBudgetOptions {
  /**
   * How long a call waits for room that others hold, or for a window that begins, in milliseconds.
   * Default 10,000; 0 waits for nothing.
   */
  readonly waitMs?: number | undefined
  /** A ledger that pays too, for example that of a team. Default: none. */
  readonly parent?: BudgetLedger | undefined
}

/**
 * Budgets of owners, which hold for every process that opens the same store. `store.budgets` of a
 * durable store keeps them; `createMemoryBudgets` keeps them in one process.
 */
export interface SharedBudgets extends BudgetDesk {
  /**
   * A ledger that takes from the budgets of an owner: for `limits.budget`, and wherever a ledger
   * goes. An operator's limits for the same window win over the given ones.
   *
   * @param owner a principal, a team, a key: any text that is not empty
   * @param limits of the program; a list has several windows. Default: only those of an operator
   * @throws {LlmError} `config` — the owner, a window, a time zone or a limit is wrong.
   */
  of(
    owner: string | Principal,
    limits?: SharedLimits | readonly SharedLimits[],
    options?: SharedBudgetOptions,
  ): BudgetLedger
  /**
   * Sets an operator's limits of an owner for their window; they stay until `remove`. The owner `*`
   * stands for each owner that has no limits of its own from an operator: limits without a number
   * except one from it.
   */
  set(owner: string | Principal, limits: SharedLimits): Promise<void>
  /**
   * Adds to the limits of an owner, until the current window ends.
   * @throws {LlmError} `not-found` — the owner has no budget with this window.
   */
  topUp(owner: string | Principal, window: BudgetWindow, amounts: SomeAmounts): Promise<void>
  /**
   * Forgets the budget of an owner with this window, and what was spent. That of the program begins
   * anew.
   */
  remove(owner: string | Principal, window: BudgetWindow): Promise<void>
  /** All budgets, or those of one owner, ordered by owner. */
  list(owner?: string | Principal): Promise<readonly BudgetState[]>
}
