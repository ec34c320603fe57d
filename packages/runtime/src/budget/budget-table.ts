import type { BudgetWindow } from './budget-window.js'
import type { BudgetAuthor, BudgetSettlement, SharedAmounts } from './shared-budget.js'

/** A budget as a table has it. Amounts are whole: `cost` in billionths of a US dollar. */
export interface BudgetRow {
  /** Names the budget: an owner has one for each window. */
  readonly id: string
  /** Whose it is. */
  readonly owner: string
  /** How long its limits hold. */
  readonly window: BudgetWindow
  /** Whose midnight begins a day or a month, as IANA names it. */
  readonly timeZone: string
  /** Who set the limits. */
  readonly setBy: BudgetAuthor
  /** The limits; what is not set is not limited. */
  readonly limits: Partial<SharedAmounts>
  /** The window that the amounts below belong to. */
  readonly start: number
  /** What was spent and is reserved in that window. */
  readonly used: SharedAmounts
  /** What was added to the limits for it. */
  readonly topUp: SharedAmounts
  /** Changes with the limits. */
  readonly revision: number
  /** Who else takes from it, at the same moment as the amounts. */
  readonly queue: BudgetQueue
}

/** The limits of a new row, or of one that changes. */
export type BudgetDefinition = Omit<BudgetRow, 'start' | 'used' | 'topUp' | 'revision' | 'queue'>

/** Who else takes from a budget. */
export interface BudgetQueue {
  /** What calls hold that are not over, in the current window of the row. */
  readonly reserved: SharedAmounts
  /** The call that waits and is next. Unset: none waits. */
  readonly first?: BudgetPlace
}

/** The place of a call that waits: the earlier one is next, then the smaller id. */
export interface BudgetPlace {
  /** When it began to wait, in milliseconds since 1970. */
  readonly place: number
  /** Names its reservation. */
  readonly id: string
}

/** What is taken from several budgets, or from none of them. */
export interface BudgetTake extends BudgetPlace {
  /** What the call takes. */
  readonly amounts: SharedAmounts
  /** When, in milliseconds since 1970. */
  readonly at: number
  /** The budgets, ordered by id: all writers lock them in this order. */
  readonly budgets: readonly { readonly row: BudgetRow; readonly start: number }[]
}

/** A reservation whose call is not over after so many milliseconds counts as spent. */
export const longestCallMs: number = 15 * 60_000

/** What keeps budgets; each function is one transaction. */
export interface BudgetTable {
  /** Milliseconds since 1970, the same for all processes. */
  now(): number
  /**
   * Makes a row, or changes its limits; what was used stays. Only an operator changes the row of an
   * operator.
   */
  define(definition: BudgetDefinition): Promise<void>
  /** Removes a row; one that is absent is ignored. */
  remove(id: string): Promise<void>
  /** The rows of these owners, or all, ordered by id. */
  rows(owners?: readonly string[]): Promise<readonly BudgetRow[]>
  /**
   * Takes the amounts if every budget has room, was not changed, and nobody waits before this call;
   * ends its wait. False: nothing was taken.
   */
  take(take: BudgetTake): Promise<boolean>
  /** Replaces a reservation by what was used; a window that is over is not changed. */
  settle(settlement: BudgetSettlement): Promise<void>
  /** Adds to the limits of the window that begins at `start`. */
  topUp(id: string, start: number, amounts: SharedAmounts): Promise<void>
  /** Lets a call wait, or wait on, until then. */
  wait(call: BudgetPlace, budgets: readonly string[], until: number): Promise<void>
  /** Ends the wait of a call. */
  leave(id: string): Promise<void>
  /** Calls back when room may have come free. */
  watch(ids: readonly string[], onChange: () => void): () => void
}
