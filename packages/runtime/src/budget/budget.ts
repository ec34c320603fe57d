import { configError } from '@modelport/core'
import { AccountReservation } from './account-reservation.js'
import { type Amounts, amountNames, BudgetAccount, costOf } from './budget-account.js'
import type { BudgetSnapshot } from './budget-snapshot.js'
import type { CallReservation, ReservationRequest } from './call-reservation.js'
import { InputMargins } from './input-margins.js'
import type { BudgetDecision, RunBudget } from './run-budget.js'
import type { SharedBudget } from './shared-budget.js'
import { roomOf } from './shared-room.js'

export type { CallReservation, ReservationRequest } from './call-reservation.js'
export { type BudgetDecision, BudgetExceededError, type RunBudget } from './run-budget.js'

/** Amounts by what limits them; `cost` in the currency of the profiles. */
export interface BudgetAmounts {
  /** Model calls, attempts included. */
  readonly calls: number
  /** Tokens of prompts. */
  readonly inputTokens: number
  /** Generated tokens. */
  readonly outputTokens: number
  /** Executed tool calls. */
  readonly toolCalls: number
  /** Steps of runs. */
  readonly steps: number
  /** Cost, in the currency of the profile. */
  readonly cost: number
  /** Milliseconds since the ledger was made. */
  readonly runtimeMs: number
}

/** Options of a ledger. */
export interface BudgetLedgerOptions {
  /** The ledger of the run that started this one: it pays too. */
  readonly parent?: BudgetLedger | undefined
  /**
   * Called for every warning and refusal caused by a request to this ledger or to one below it. If
   * it throws, it is not called again.
   */
  readonly onDecision?: ((decision: BudgetDecision) => void) | undefined
  /**
   * What an earlier ledger of the same budget had spent; it is not taken from `parent` again.
   * Default: nothing.
   */
  readonly restored?: BudgetSnapshot | undefined
  /**
   * Budgets that other processes take from too: `SharedBudgets.of` makes a ledger with them. Each
   * model call takes its room there before it is made.
   */
  readonly shared?: readonly SharedBudget[] | undefined
  /** Milliseconds of a clock that never goes back. Default `performance.now`. */
  readonly now?: (() => number) | undefined
}

/** The shared budgets of a ledger and of those above it. */
export let sharedOf: (ledger: BudgetLedger) => readonly SharedBudget[]

/** Milliseconds that are left: the least of a ledger and those above it. */
export let remainingMsOf: (ledger: BudgetLedger) => number

/**
 * The ledger of a run, which spends from the given one, or keeps the given limits. What a resumed
 * run had spent before counts in both, once.
 */
export let openRunLedger: (
  given: RunBudget | BudgetLedger | undefined,
  run: string,
  options: Pick<BudgetLedgerOptions, 'onDecision' | 'restored'>,
) => BudgetLedger

/** Forgets the account of a run that is over, in the ledgers above the run's own. */
export let closeRunLedger: (ledger: BudgetLedger) => void

/**
 * Counts a run against its budget and refuses before anything is spent. A ledger below another
 * takes from both or from none. docs/budgets.md says what is guaranteed.
 */
export class BudgetLedger {
  /** The limits it keeps. */
  readonly budget: RunBudget
  readonly #own: BudgetAccount
  /** This ledger's account first, then those above it. */
  readonly #accounts: readonly BudgetAccount[]
  readonly #now: () => number
  readonly #shared: readonly SharedBudget[]
  /** Shared by every ledger of a tree. */
  readonly #margins: InputMargins

  static {
    sharedOf = (ledger) => ledger.#shared
    remainingMsOf = (ledger) => ledger.#least(({ remainingMs }) => remainingMs)
    openRunLedger = (given, run, options) => {
      const ledger =
        given instanceof BudgetLedger
          ? given.child({}, options)
          : new BudgetLedger(given ?? {}, options)
      const account = ledger.#own
      account.run = run
      account.closeRun(run)
      for (const above of ledger.#accounts.slice(1)) {
        // A run that another run started: what it spent is in the other's own record.
        if (above.run !== undefined) break
        above.openRun(run, account)
      }
      return ledger
    }
    closeRunLedger = (ledger) => {
      const { run } = ledger.#own
      if (run === undefined) return
      for (const above of ledger.#accounts.slice(1)) above.closeRun(run)
    }
  }

  /** @throws {LlmError} `config` — a limit is unknown, or no number of at least 0. */
  constructor(budget: RunBudget, options: BudgetLedgerOptions = {}) {
    this.budget = budget
    this.#now =
      options.now?.bind(options) ??
      (options.parent ? options.parent.#now : (): number => performance.now())
    this.#own = new BudgetAccount(
      budget,
      this.#now,
      options.onDecision?.bind(options),
      options.restored,
    )
    this.#shared = [...(options.shared ?? []), ...(options.parent ? options.parent.#shared : [])]
    if (this.#shared.some(({ budgets }) => budgets !== this.#shared[0]?.budgets))
      throw configError('budget: the shared budgets of a ledger must be those of one store')
    this.#margins = options.parent ? options.parent.#margins : new InputMargins()
    this.#accounts = [this.#own, ...(options.parent ? options.parent.#accounts : [])]
  }

  /** A ledger for a run started by this one: its spending counts here too. */
  child(budget: RunBudget = {}, options: Omit<BudgetLedgerOptions, 'parent'> = {}): BudgetLedger {
    return new BudgetLedger(budget, { ...options, parent: this })
  }

  /**
   * Reserves a call: its prompt, its longest reply, its attempts. If earlier calls of the same
   * `model` reported more prompt tokens than estimated, the estimate is raised by that factor, at
   * most fourfold.
   * @throws {BudgetExceededError} there is none; nothing is taken.
   * @throws {LlmError} `config` — a number is wrong, or `maxCost` is set and the profile has no
   * prices or another currency.
   */
  reserveCall(request: ReservationRequest): CallReservation {
    const isShared = this.#shared.length > 0
    return new AccountReservation(this.#accounts, request, this.#margins, isShared)
  }

  /**
   * Counts one tool call.
   * @throws {BudgetExceededError} it would be one too many, or the time is over.
   */
  reserveToolCall(): void {
    this.#count({ toolCalls: 1 })
  }

  /** @throws {BudgetExceededError} the time is over. */
  checkTime(): void {
    this.#count({})
  }

  /**
   * Counts one step.
   * @throws {BudgetExceededError} it would be one too many, or the time is over.
   */
  reserveStep(): void {
    this.#count({ steps: 1 })
  }

  /** What was spent, here and below. Reservations are not in it. */
  get spent(): BudgetAmounts {
    return toAmounts(this.#own.spent, this.#own.elapsedMs)
  }

  /**
   * What was spent, as plain JSON, to be restored in another process. Reservations are not in it.
   */
  snapshot(): BudgetSnapshot {
    return this.#own.snapshot()
  }

  /**
   * What a request may still ask for: the least of this ledger and those above it, reservations
   * taken off, and of their shared budgets as the last call saw them. `Infinity` where nothing
   * limits.
   */
  remaining(): BudgetAmounts {
    const { tokens, calls, cost } = roomOf(this.#shared)
    const shared: Amounts = { calls, inputTokens: tokens, outputTokens: tokens, cost }
    const left = amountNames.map((name) => {
      const own = this.#least((account) => account.room(name))
      return [name, Math.min(own, shared[name] ?? Infinity)] as const
    })
    return toAmounts(Object.fromEntries(left), remainingMsOf(this))
  }

  /** The least of this ledger and those above it, never below 0. */
  #least(of: (account: BudgetAccount) => number): number {
    return Math.max(0, Math.min(...this.#accounts.map(of)))
  }

  #count(amounts: Amounts): void {
    for (const account of this.#accounts) account.check(amounts, this.#accounts)
    for (const account of this.#accounts) {
      account.spend(amounts)
      account.warn(amounts, this.#accounts)
    }
  }
}

const toAmounts = (amounts: Amounts, runtimeMs: number): BudgetAmounts => ({
  calls: amounts.calls ?? 0,
  inputTokens: amounts.inputTokens ?? 0,
  outputTokens: amounts.outputTokens ?? 0,
  toolCalls: amounts.toolCalls ?? 0,
  steps: amounts.steps ?? 0,
  cost: costOf(amounts.cost ?? 0),
  runtimeMs,
})
