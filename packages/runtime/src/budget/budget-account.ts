import { configError } from '@modelport/core'
import { suggest } from '@modelport/core/settings'
import { toObserver } from '../base/observer.js'
import { type BudgetSnapshot, isSnapshot } from './budget-snapshot.js'
import { round } from './metrics.js'
import { type BudgetDecision, BudgetExceededError, type RunBudget } from './run-budget.js'

/** What is counted; `cost` in billionths of the currency, whole, so that sums are exact. */
export type Amount = 'calls' | 'inputTokens' | 'outputTokens' | 'toolCalls' | 'steps' | 'cost'

/** Some of them. */
export type Amounts = Readonly<Partial<Record<Amount, number>>>

/** Amounts that are added up. */
type Sum = Partial<Record<Amount, number>>

const limitOf = {
  calls: 'maxCalls',
  inputTokens: 'maxInputTokens',
  outputTokens: 'maxOutputTokens',
  toolCalls: 'maxToolCalls',
  steps: 'maxSteps',
  cost: 'maxCost',
} as const satisfies Record<Amount, keyof RunBudget>

/** Names of what is counted. */
export const amountNames: readonly Amount[] = Object.keys(limitOf) as Amount[]

/** Adds amounts to a sum, or takes them off with `sign` -1. */
export function addTo(sum: Sum, amounts: Amounts, sign: 1 | -1 = 1): void {
  // One by one, in the order of their names: a loop over the names takes five times as long.
  sum.calls = (sum.calls ?? 0) + sign * (amounts.calls ?? 0)
  sum.inputTokens = (sum.inputTokens ?? 0) + sign * (amounts.inputTokens ?? 0)
  sum.outputTokens = (sum.outputTokens ?? 0) + sign * (amounts.outputTokens ?? 0)
  sum.toolCalls = (sum.toolCalls ?? 0) + sign * (amounts.toolCalls ?? 0)
  sum.steps = (sum.steps ?? 0) + sign * (amounts.steps ?? 0)
  sum.cost = (sum.cost ?? 0) + sign * (amounts.cost ?? 0)
}

/** Names of the limits of a budget. */
export const budgetLimits: readonly string[] = [...Object.values(limitOf), 'maxRuntimeMs']

/** Billionths of a currency in the currency. */
const billion = 1e9
/** From which share of a limit on it is near. */
const near = 0.8

/** Billionths as money. */
export const costOf = (billionths: number): number => billionths / billion

/** Money in billionths, rounded up except for the noise of its multiplications. */
export function toBillionths(cost: number): number {
  const exact = cost * billion
  return Math.ceil(exact - Math.max(1e-6, exact * 1e-12))
}

/** A run below an account. */
interface CountedRun {
  /** Its own account, in this process. */
  readonly account?: BudgetAccount
  /** What was counted of it and is not in its account. */
  readonly before: Amounts
}

/** One budget and the amount that was taken from it. */
export class BudgetAccount {
  readonly #budget: RunBudget
  readonly #now: () => number
  #startedAt: number
  readonly #spent: Sum = {}
  readonly #held: Sum = {}
  readonly #warned = new Set<BudgetDecision['limit']>()
  readonly #onDecision: (decision: BudgetDecision) => void
  /** The runs that spend from this account, by the id of the run. */
  readonly #runs = new Map<string, CountedRun>()
  /** The run whose own account this is. Unset: runs may share it. */
  run: string | undefined
  #currency: string | undefined

  /** @throws {LlmError} `config` — a limit or the snapshot is wrong. */
  constructor(
    budget: RunBudget,
    now: () => number,
    onDecision: ((decision: BudgetDecision) => void) | undefined,
    restored?: BudgetSnapshot,
  ) {
    for (const [name, value] of Object.entries(budget) as [string, unknown][]) {
      if (!budgetLimits.includes(name))
        throw configError(
          `budget: unknown limit ${JSON.stringify(name)}${suggest(name, budgetLimits)}`,
        )
      if (value !== undefined && !(typeof value === 'number' && value >= 0)) {
        throw configError(
          `budget.${name} must be a number of at least 0, not ${JSON.stringify(value)}`,
        )
      }
    }
    if (restored !== undefined && !isSnapshot(restored))
      throw configError('restored must be a snapshot of a ledger, as it was stored')
    this.#budget = budget
    this.#now = now
    this.#startedAt = now() - (restored?.elapsedMs ?? 0)
    this.#onDecision = toObserver(onDecision)
    if (!restored) return
    this.#currency = restored.currency
    addTo(this.#spent, restored.spent)
    for (const name of restored.warned) this.#warned.add(name as keyof RunBudget)
    const { run: own, spent: sum, runs = {} } = restored
    for (const [run, spent] of Object.entries(runs)) this.#runs.set(run, { before: spent })
    if (own !== undefined) this.#runs.set(own, { before: sum })
  }

  /**
   * Opens the account of a run below this one. Called when a run begins or is resumed. Takes what
   * the run had spent before, unless this account has counted it already.
   * @throws {LlmError} `config` — the run's money is of another currency.
   */
  openRun(run: string, account: BudgetAccount): void {
    const { spent, currency, elapsedMs } = account.snapshot()
    const counted = this.#countedOf(run)
    const difference = (a: Amounts, b: Amounts): Amounts =>
      Object.fromEntries(
        amountNames.map((name) => [name, Math.max(0, (a[name] ?? 0) - (b[name] ?? 0))]),
      )
    if (currency !== undefined) this.admitCurrency(currency)
    this.spend(difference(spent, counted))
    this.#startedAt = Math.min(this.#startedAt, this.#now() - elapsedMs)
    // A record may be older than what was counted here.
    this.#runs.set(run, { account, before: difference(counted, spent) })
  }

  /** What was counted of a run. */
  #countedOf(run: string): Amounts {
    const { account, before = {} } = this.#runs.get(run) ?? {}
    const { spent = {} } = account ?? {}
    return Object.fromEntries(
      amountNames.map((name) => [name, (spent[name] ?? 0) + (before[name] ?? 0)]),
    )
  }

  /** Forgets the account of a run that is over. */
  closeRun(run: string): void {
    this.#runs.delete(run)
  }

  get spent(): Amounts {
    return { ...this.#spent }
  }

  snapshot(): BudgetSnapshot {
    const runs = [...this.#runs.keys()].map((run) => [run, this.#countedOf(run)] as const)
    return {
      spent: this.spent,
      elapsedMs: this.elapsedMs,
      warned: [...this.#warned],
      ...(this.#currency !== undefined && { currency: this.#currency }),
      ...(this.run !== undefined && { run: this.run }),
      ...(runs.length > 0 && { runs: Object.fromEntries(runs) }),
    }
  }

  get elapsedMs(): number {
    return round(this.#now() - this.#startedAt, 2)
  }

  /** In whole milliseconds, never fewer than a limit that is passed. */
  #runtimeDecision(effect: BudgetDecision['effect'], maximum: number): BudgetDecision {
    return { limit: 'maxRuntimeMs', effect, observed: Math.ceil(this.elapsedMs), maximum }
  }

  get remainingMs(): number {
    return (this.#budget.maxRuntimeMs ?? Infinity) - this.elapsedMs
  }

  /** True if the length of a reply counts: output tokens or money have a limit. */
  get limitsReplies(): boolean {
    return this.#maximum('outputTokens') < Infinity || this.#maximum('cost') < Infinity
  }

  /** The amount that may still be taken. */
  room(name: Amount): number {
    return this.#maximum(name) - this.#used(name)
  }

  /**
   * Says which currency a call costs; undefined when it has no prices.
   * @throws {LlmError} `config` — cost is limited and there are none, or they are in another
   * currency than those before.
   */
  admitCurrency(currency: string | undefined): void {
    if (this.#budget.maxCost === undefined) return
    if (currency === undefined)
      throw configError(
        'budget.maxCost needs a profile with prices: { input, output }, or the price of the capability',
      )
    this.#currency ??= currency
    if (this.#currency !== currency)
      throw configError(`budget.maxCost counts ${this.#currency}; this call costs ${currency}`)
  }

  /** Refuses what does not fit. @throws {BudgetExceededError} */
  check(amounts: Amounts, accounts: readonly BudgetAccount[]): void {
    const elapsed = this.elapsedMs
    const { maxRuntimeMs } = this.#budget
    if (maxRuntimeMs !== undefined && elapsed > maxRuntimeMs)
      this.#deny(this.#runtimeDecision('deny', maxRuntimeMs), accounts)
    const refusal = this.refusalOf(amounts)
    if (refusal) this.#deny(refusal, accounts)
  }

  /** The first limit that these amounts would pass; undefined if they fit. */
  refusalOf(amounts: Amounts): BudgetDecision | undefined {
    const over = amountNames.find((name) => {
      const asked = amounts[name] ?? 0
      return asked > 0 && asked > this.room(name)
    })
    return over && this.#decide(over, 'deny', this.#used(over) + (amounts[over] ?? 0))
  }

  /** The decision that the time is over, also within the millisecond by which timers are early. */
  timeOver(accounts: readonly BudgetAccount[]): BudgetDecision | undefined {
    const { maxRuntimeMs } = this.#budget
    if (maxRuntimeMs === undefined || this.remainingMs > 1) return undefined
    const decision = this.#runtimeDecision('deny', maxRuntimeMs)
    this.#notify(decision, accounts)
    return decision
  }

  /**
   * The first limit of tokens or cost that is passed. Reached only if a server reports more than
   * was reserved.
   */
  overrun(): BudgetDecision | undefined {
    const over = (['inputTokens', 'outputTokens', 'cost'] as const).find(
      (name) => (this.#spent[name] ?? 0) > this.#maximum(name),
    )
    return over && this.#decide(over, 'deny', this.#spent[over] ?? 0)
  }

  /** Warns once of each limit that is near; `asked` says what to look at. */
  warn(asked: Amounts, accounts: readonly BudgetAccount[]): void {
    const { maxRuntimeMs } = this.#budget
    const elapsed = this.elapsedMs
    if (maxRuntimeMs !== undefined && elapsed >= near * maxRuntimeMs)
      this.#warnOnce(this.#runtimeDecision('warn', maxRuntimeMs), accounts)
    for (const name of amountNames) {
      const observed = asked[name]
      if (observed === undefined || this.#maximum(name) === Infinity) continue
      const used = (this.#spent[name] ?? 0) + (name === 'calls' ? (this.#held[name] ?? 0) : 0)
      if (used >= near * this.#maximum(name))
        this.#warnOnce(this.#decide(name, 'warn', used), accounts)
    }
  }

  hold(amounts: Amounts): void {
    addTo(this.#held, amounts)
  }

  release(amounts: Amounts): void {
    addTo(this.#held, amounts, -1)
  }

  spend(amounts: Amounts): void {
    addTo(this.#spent, amounts)
  }

  #used(name: Amount): number {
    return (this.#spent[name] ?? 0) + (this.#held[name] ?? 0)
  }

  #maximum(name: Amount): number {
    const maximum = this.#budget[limitOf[name]] ?? Infinity
    return name === 'cost' ? Math.round(maximum * billion) : maximum
  }

  #decide(name: Amount, effect: BudgetDecision['effect'], observed: number): BudgetDecision {
    const scale = name === 'cost' ? costOf : (value: number): number => value
    return {
      limit: limitOf[name],
      effect,
      observed: scale(observed),
      maximum: scale(this.#maximum(name)),
    }
  }

  #deny(decision: BudgetDecision, accounts: readonly BudgetAccount[]): never {
    this.#notify(decision, accounts)
    throw new BudgetExceededError(decision)
  }

  #warnOnce(decision: BudgetDecision, accounts: readonly BudgetAccount[]): void {
    if (this.#warned.has(decision.limit)) return
    this.#warned.add(decision.limit)
    this.#notify(decision, accounts)
  }

  /** Notifies the account that asked, this one, and every account between them. */
  #notify(decision: BudgetDecision, accounts: readonly BudgetAccount[]): void {
    for (const account of accounts.slice(0, accounts.indexOf(this) + 1))
      account.#onDecision(decision)
  }
}
