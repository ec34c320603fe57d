import {
  configError,
  isLlmError,
  type ModelPrices,
  mostCostOf,
  type ProviderErrorDetails,
  usageCostOf,
} from '@modelport/core'
import { checkPrices } from '@modelport/core/settings'
import { type Amounts, addTo, type BudgetAccount, toBillionths } from './budget-account.js'
import type { CallReservation, ReservationRequest, SettledCall } from './call-reservation.js'
import { InputMargins } from './input-margins.js'
import type { BudgetDecision } from './run-budget.js'
import type { SharedAmounts } from './shared-budget.js'

/** How much of `maxOutputTokens` may be taken in addition. */
const extra = 0.5

/** What one attempt of a reservation takes, and what all of them have used. */
export let amountsOf: (reservation: CallReservation) => {
  readonly attempt: Amounts
  readonly used: Amounts
}

/** Room for one call in the accounts of a ledger. */
export class AccountReservation implements CallReservation {
  readonly maxOutputTokens: number
  readonly limitsReply: boolean
  readonly attempts: number
  readonly deadlineMs?: number
  readonly #accounts: readonly BudgetAccount[]
  readonly #inputTokens: number
  readonly #learn: (reported: number) => void
  readonly #prices: ModelPrices | undefined
  /**
   * Attempts of the reservation that are neither charged nor given back; the last one is still
   * running.
   */
  #left: number
  /** Output tokens taken beyond those of the attempts. */
  #grown = 0
  #retries = 0
  #open = true
  #used: Amounts = {}

  static {
    amountsOf = (reservation) => {
      if (!(reservation instanceof AccountReservation))
        throw new TypeError('the reservation was not made by a ledger')
      const { maxOutputTokens } = reservation
      return { attempt: reservation.#amounts(1, maxOutputTokens), used: reservation.#used }
    }
  }

  /** @param isShared budgets elsewhere limit the reply too */
  constructor(
    accounts: readonly BudgetAccount[],
    request: ReservationRequest,
    margins: InputMargins = new InputMargins(),
    isShared = false,
  ) {
    const {
      inputTokens,
      maxOutputTokens,
      fewestOutputTokens = 1,
      attempts = 1,
      profile,
      model,
      room,
    } = request
    if (
      !(inputTokens >= 0) ||
      !(maxOutputTokens >= 1) ||
      !(attempts >= 1) ||
      ![inputTokens, maxOutputTokens, attempts].every(Number.isFinite)
    ) {
      throw configError(
        'reserveCall: inputTokens must be at least 0, maxOutputTokens and attempts at least 1',
      )
    }
    this.#accounts = accounts
    this.limitsReply = isShared || accounts.some(({ limitsReplies }) => limitsReplies)
    this.#learn = (reported) => {
      margins.learn(inputTokens, reported, model)
    }
    this.#inputTokens = margins.raise(inputTokens, model)
    const prices = profile?.prices
    if (prices !== undefined) checkPrices('profile.prices', prices)
    this.#prices = prices
    const currency = prices === undefined ? undefined : (prices.currency ?? 'USD')
    for (const account of accounts) account.admitCurrency(currency)
    // A call without room for the shortest reply that can be requested is refused.
    const fewest = Math.max(1, Math.min(fewestOutputTokens, Math.floor(maxOutputTokens)))
    for (const account of accounts) account.check(this.#amounts(1, fewest), accounts)
    this.maxOutputTokens = Math.max(fewest, this.#longest(Math.floor(maxOutputTokens), room))
    this.attempts = this.#affordable(Math.floor(attempts))
    this.#left = this.attempts
    const remainingMs = Math.min(...accounts.map((account) => account.remainingMs))
    if (remainingMs < Infinity) this.deadlineMs = Math.max(1, remainingMs)
    for (const account of accounts) account.hold(this.#amounts(this.attempts, this.maxOutputTokens))
    for (const account of accounts) account.warn({ calls: 1 }, accounts)
  }

  admits(outputTokens: number): boolean {
    if (!this.#open) return false
    const missing = Math.ceil(outputTokens) - this.maxOutputTokens - this.#grown
    if (missing <= 0) return true
    if (outputTokens > this.maxOutputTokens * (1 + extra)) return false
    const more = this.#further(this.#grown + missing)
    if (!this.#fits(more)) return false
    for (const account of this.#accounts) account.hold(more)
    this.#grown += missing
    return true
  }

  refusalOf(outputTokens: number): BudgetDecision {
    const more = this.#further(Math.ceil(outputTokens) - this.maxOutputTokens)
    const refusal = firstOf(this.#accounts, (account) => account.refusalOf(more))
    const { maxOutputTokens: maximum } = this
    return refusal ?? { limit: 'maxOutputTokens', effect: 'deny', observed: outputTokens, maximum }
  }

  retried(error?: unknown): void {
    if (!this.#open || this.#left === 0) return
    this.#retries++
    const whole = this.maxOutputTokens + this.#grown
    this.#charge(this.#mostOf(failedTokens(error, this.#inputTokens, whole)))
    if (this.#left > 0) return
    const next = this.#amounts(1, this.maxOutputTokens)
    for (const account of this.#accounts) account.check(next, this.#accounts)
    for (const account of this.#accounts) account.hold(next)
    this.#left = 1
    for (const account of this.#accounts) account.warn({ calls: 1 }, this.#accounts)
  }

  settle(actual: SettledCall): BudgetDecision | undefined {
    if (!this.#open) return undefined
    const full = this.#mostOf({ input: this.#inputTokens, output: this.maxOutputTokens })
    const cost = this.#costOf(actual)
    const isOver =
      (actual.inputTokens ?? 0) > this.#inputTokens ||
      (actual.outputTokens ?? 0) > this.maxOutputTokens + this.#grown ||
      (cost ?? 0) > (this.#cost(this.#inputTokens, this.maxOutputTokens + this.#grown) ?? 0)
    const unreported = Math.max(0, Math.floor(actual.attempts ?? 0) - this.#retries - 1)
    for (let attempt = 0; attempt < unreported; attempt++) this.#charge(full)
    if (this.#left > 0 || unreported > 0) {
      const whole = this.maxOutputTokens + this.#grown
      const failed =
        isLlmError(actual.error) && actual.error.code !== 'budget-exceeded'
          ? failedTokens(actual.error, this.#inputTokens, whole)
          : undefined
      const input = failed?.input ?? this.#inputTokens
      const output = Math.max(
        count(actual.outputTokens) ?? (failed ? 0 : whole),
        failed?.output ?? 0,
      )
      const most = this.#mostOf({ input: Math.max(count(actual.inputTokens) ?? 0, input), output })
      this.#charge({ ...most, ...(cost !== undefined && !failed && { cost }) })
    }
    this.release()
    // The deadline of the call was what the budget had left.
    if (isLlmError(actual.error, 'timeout'))
      return firstOf(this.#accounts, (account) => account.timeOver(this.#accounts))
    if (!actual.reported || actual.error !== undefined) return undefined
    if (actual.inputTokens !== undefined) this.#learn(actual.inputTokens)
    return isOver ? firstOf(this.#accounts, (account) => account.overrun()) : undefined
  }

  release(): void {
    if (!this.#open) return
    this.#open = false
    const held = add(this.#amounts(this.#left, this.maxOutputTokens), this.#grownAmounts())
    this.#left = 0
    for (const account of this.#accounts) account.release(held)
  }

  /** Replaces the room of one attempt by its cost. */
  #charge(amounts: Amounts): void {
    const held = add(
      this.#left > 0 ? this.#amounts(1, this.maxOutputTokens) : {},
      this.#grownAmounts(),
    )
    this.#left = Math.max(0, this.#left - 1)
    this.#grown = 0
    const spent = { calls: 1, ...amounts }
    this.#used = add(this.#used, spent)
    for (const account of this.#accounts) {
      account.release(held)
      account.spend(spent)
    }
    for (const account of this.#accounts) account.warn(spent, this.#accounts)
  }

  /** The most that these tokens cost, in billionths. Unset: no prices are known. */
  #cost(input: number, output: number): number | undefined {
    const tokens = { inputTokens: input, outputTokens: output }
    return this.#prices && toBillionths(mostCostOf(tokens, this.#prices))
  }

  /** What the call cost, in billionths. Unset: no prices are known, or nobody counted. */
  #costOf({ usage }: SettledCall): number | undefined {
    return this.#prices && usage && toBillionths(usageCostOf(usage, this.#prices).total)
  }

  #mostOf({ input, output }: { readonly input: number; readonly output: number }): Amounts {
    const cost = this.#cost(input, output)
    return { inputTokens: input, outputTokens: output, ...(cost !== undefined && { cost }) }
  }

  /** What the tokens cost that were taken beyond those of the attempts. */
  #grownAmounts(): Amounts {
    return this.#outputs(this.#grown)
  }

  /** What is missing to take so many tokens beyond those of the attempts. */
  #further(grown: number): Amounts {
    const { outputTokens = 0, cost } = this.#outputs(grown)
    const { outputTokens: taken = 0, cost: paid = 0 } = this.#grownAmounts()
    return { outputTokens: outputTokens - taken, ...(cost !== undefined && { cost: cost - paid }) }
  }

  /** So many output tokens more than an attempt has. */
  #outputs(tokens: number): Amounts {
    const cost = this.#cost(this.#inputTokens, this.maxOutputTokens + tokens)
    const paid = this.#cost(this.#inputTokens, this.maxOutputTokens) ?? 0
    return { outputTokens: tokens, ...(cost !== undefined && { cost: cost - paid }) }
  }

  #amounts(attempts: number, outputTokens: number): Amounts {
    const cost = this.#cost(this.#inputTokens, outputTokens)
    return {
      calls: attempts,
      inputTokens: attempts * this.#inputTokens,
      outputTokens: attempts * outputTokens,
      ...(cost !== undefined && { cost: attempts * cost }),
    }
  }

  /** The longest reply up to this length that fits; room for one token was checked before. */
  #longest(asked: number, shared: SharedAmounts | undefined): number {
    const rooms = this.#accounts.map((account) => Math.floor(account.room('outputTokens')))
    let most = Math.max(1, Math.min(asked, ...rooms))
    let least = 1
    const isShort = (length: number): boolean => {
      const amounts = this.#amounts(1, length)
      return this.#fits(amounts) && (!shared || fitsShared(shared, amounts))
    }
    if (isShort(most)) return most
    while (least < most) {
      const middle = Math.ceil((least + most) / 2)
      if (isShort(middle)) least = middle
      else most = middle - 1
    }
    return least
  }

  #affordable(attempts: number): number {
    let most = attempts
    while (most > 1 && !this.#fits(this.#amounts(most, this.maxOutputTokens))) most--
    return most
  }

  #fits(amounts: Amounts): boolean {
    return this.#accounts.every((account) => fits(account, amounts))
  }
}

/** The first result that is not undefined. */
function firstOf<T, R>(items: readonly T[], of: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const result = of(item)
    if (result !== undefined) return result
  }
  return undefined
}

const fits = (account: BudgetAccount, amounts: Amounts): boolean =>
  (['calls', 'inputTokens', 'outputTokens', 'cost'] as const).every(
    (name) => (amounts[name] ?? 0) <= account.room(name),
  )

const fitsShared = (room: SharedAmounts, amounts: Amounts): boolean =>
  (amounts.inputTokens ?? 0) + (amounts.outputTokens ?? 0) <= room.tokens &&
  (amounts.cost ?? 0) <= room.cost

function add(a: Amounts, b: Amounts): Amounts {
  const sum = {}
  addTo(sum, a)
  addTo(sum, b)
  return sum
}

/** A count of tokens a server may have made up. */
const count = (value: number | undefined): number | undefined =>
  value !== undefined && Number.isFinite(value) && value >= 0 ? Math.ceil(value) : undefined

/**
 * What a failed attempt may have cost: nothing if no server was reached, no reply if it was
 * refused, else everything.
 */
function failedTokens(
  error: unknown,
  input: number,
  output: number,
): { input: number; output: number } {
  const { reason, status = 200, partial } = (error ?? {}) as Partial<ProviderErrorDetails>
  if (reason === 'dns' || reason === 'refused' || reason === 'tls' || reason === 'connect')
    return { input: 0, output: 0 }
  return { input, output: status >= 400 && !partial ? 0 : output }
}
