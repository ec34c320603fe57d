import { randomId } from '../base/random-id.js'
import { amountsOf } from './account-reservation.js'
import { type BudgetLedger, sharedOf } from './budget.js'
import type { Amounts } from './budget-account.js'
import type { CallReservation, ReservationRequest } from './call-reservation.js'
import type {
  BudgetCharge,
  BudgetDesk,
  BudgetSettlement,
  ChargedAmounts,
  ChargedOwner,
  SharedAmounts,
} from './shared-budget.js'
import { lookAt } from './shared-room.js'

/** What one model call takes from the shared budgets of its ledger. */
export class SharedCharge {
  readonly budgets: BudgetDesk
  readonly #owners: readonly ChargedOwner[]
  readonly #waitMs: number
  readonly #reservation: CallReservation
  readonly #hasPrice: boolean
  /** Ends a wait for room. */
  readonly signal: AbortSignal | undefined
  #id = randomId()
  /** What earlier attempts used, which is settled. */
  #settled: Amounts = {}

  private constructor(
    budgets: BudgetDesk,
    owners: readonly ChargedOwner[],
    waitMs: number,
    reservation: CallReservation,
    hasPrice: boolean,
    signal: AbortSignal | undefined,
  ) {
    this.budgets = budgets
    this.#owners = owners
    this.#waitMs = waitMs
    this.#reservation = reservation
    this.#hasPrice = hasPrice
    this.signal = signal
  }

  /** What the shared budgets of a ledger have left. Undefined, not a promise, if it has none. */
  static room(ledger: BudgetLedger): Promise<SharedAmounts> | undefined {
    return lookAt(sharedOf(ledger))
  }

  /** Undefined if the ledger has no shared budgets. */
  static of(
    ledger: BudgetLedger,
    reservation: CallReservation,
    { profile }: Pick<ReservationRequest, 'profile'>,
    signal?: AbortSignal,
  ): SharedCharge | undefined {
    const shared = sharedOf(ledger)
    const [first] = shared
    if (!first) return undefined
    const owners = shared.map(({ owner, limits }) => ({ owner, limits }))
    const waitMs = Math.max(...shared.map((one) => one.waitMs))
    const { prices } = profile ?? {}
    const hasPrice = prices !== undefined && (prices.currency ?? 'USD') === 'USD'
    return new SharedCharge(first.budgets, owners, waitMs, reservation, hasPrice, signal)
  }

  /** What the next attempt takes. */
  get charge(): BudgetCharge {
    const { attempt } = amountsOf(this.#reservation)
    return {
      id: this.#id,
      owners: this.#owners,
      amounts: this.#toCharged(attempt),
      waitMs: this.#waitMs,
    }
  }

  /** What the last attempt used, once the reservation is settled. */
  get settlement(): BudgetSettlement {
    const { used } = amountsOf(this.#reservation)
    const names = new Set([...Object.keys(used), ...Object.keys(this.#settled)]) as Set<
      keyof Amounts
    >
    const rest = [...names].map((name) => [name, (used[name] ?? 0) - (this.#settled[name] ?? 0)])
    return { id: this.#id, amounts: this.#toCharged(Object.fromEntries(rest) as Amounts) }
  }

  reserve(): Promise<void> {
    return this.budgets.reserve(this.charge, this.signal)
  }

  /** @param inFull as if the attempt had used all that it took */
  settle(inFull = false): Promise<void> {
    return this.budgets.settle(inFull ? this.charge : this.settlement)
  }

  /** Settles an attempt that failed, and takes room for the next. @throws {BudgetExceededError} */
  async retried(): Promise<void> {
    await this.settle()
    this.#settled = amountsOf(this.#reservation).used
    this.#id = randomId()
    await this.reserve()
  }

  #toCharged({ calls = 0, inputTokens = 0, outputTokens = 0, cost }: Amounts): ChargedAmounts {
    return {
      calls,
      tokens: Math.ceil(inputTokens + outputTokens),
      ...(this.#hasPrice && cost !== undefined && { cost }),
    }
  }
}
