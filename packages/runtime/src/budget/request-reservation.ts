import { LlmError, type ProviderErrorDetails, type TokenUsage } from '@modelport/core'
import { accountsOf, type BudgetLedger } from './budget.js'
import type { Amounts, BudgetAccount } from './budget-account.js'

/** The most that one attempt of a request costs. */
export interface RequestPrice {
  /** Amount of money. */
  readonly cost: number
  /** Its currency. Default `USD`. */
  readonly currency?: string
}

/** Room for one request that is not a conversation, taken from a ledger and all above it until it is settled. */
export interface RequestReservation {
  /** The remaining time, for `deadlineMs`. Unset: no limit. */
  readonly deadlineMs?: number
  /**
   * An attempt failed with this error and another follows: for `retry.onRetry`.
   * @throws {BudgetExceededError} there is no room for another.
   */
  retried(error: unknown): void
  /** The request succeeded: counts it, and the tokens that the vendor counted. Later calls do nothing. */
  settle(usage: TokenUsage): void
  /** The request failed: counts its last attempt, with its cost unless it was refused or never arrived. Later calls do nothing. */
  failed(error: unknown): void
}

/**
 * Reserves a request that is not a conversation: images, speech, a transcription, a ranking. In every ledger of the chain, or in none.
 * @throws {BudgetExceededError} there is no room; nothing is taken.
 * @throws {LlmError} `config` — the price is wrong, or `maxCost` is set and there is none, or it has another currency.
 */
export const reserveRequest = (ledger: BudgetLedger, price?: RequestPrice): RequestReservation =>
  new OpenRequest(accountsOf(ledger), price)

class OpenRequest implements RequestReservation {
  readonly deadlineMs?: number
  readonly #accounts: readonly BudgetAccount[]
  readonly #attempt: Amounts
  #open = true

  constructor(accounts: readonly BudgetAccount[], price: RequestPrice | undefined) {
    if (price && !(Number.isFinite(price.cost) && price.cost >= 0))
      throw new LlmError('config', `reserveRequest: cost must be a number of at least 0, not ${price.cost}`)
    this.#accounts = accounts
    this.#attempt = { calls: 1, ...(price && { cost: Math.ceil(price.cost * 1e9 - 1e-6) }) }
    for (const account of accounts) account.admitCurrency(price && (price.currency ?? 'USD'))
    this.#hold()
    const remainingMs = Math.min(...accounts.map((account) => account.remainingMs))
    if (remainingMs < Infinity) this.deadlineMs = Math.max(1, remainingMs)
  }

  retried(error: unknown): void {
    if (!this.#open) return
    this.failed(error)
    this.#hold()
    this.#open = true
  }

  settle({ inputTokens, outputTokens }: TokenUsage): void {
    this.#spend({ ...this.#attempt, inputTokens, outputTokens })
  }

  failed(error: unknown): void {
    this.#spend(isCharged(error) ? this.#attempt : { calls: 1 })
  }

  #hold(): void {
    for (const account of this.#accounts) account.check(this.#attempt, this.#accounts)
    for (const account of this.#accounts) account.hold(this.#attempt)
    for (const account of this.#accounts) account.warn({ calls: 1 }, this.#accounts)
  }

  #spend(amounts: Amounts): void {
    if (!this.#open) return
    this.#open = false
    for (const account of this.#accounts) {
      account.release(this.#attempt)
      account.spend(amounts)
    }
    for (const account of this.#accounts) account.warn(amounts, this.#accounts)
  }
}

/** False where no server was reached, or the server refused. */
function isCharged(error: unknown): boolean {
  const { reason, status = 200, partial } = (error ?? {}) as Partial<ProviderErrorDetails>
  if (reason === 'dns' || reason === 'refused' || reason === 'tls' || reason === 'connect') return false
  return status < 400 || partial !== undefined
}
