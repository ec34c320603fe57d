import { configError, LlmError } from '@modelport/core'
import type { Principal } from '../base/principal.js'
import { BudgetExceededError, BudgetLedger } from './budget.js'
import { costOf } from './budget-account.js'
import type {
  BudgetDefinition,
  BudgetPlace,
  BudgetRow,
  BudgetTable,
  BudgetTake,
} from './budget-table.js'
import { type BudgetWindow, spanOf, type WindowSpan } from './budget-window.js'
import {
  type BudgetCharge,
  type BudgetSettlement,
  type BudgetState,
  type ChargedOwner,
  checkAmounts,
  checkSharedLimits,
  checkWindow,
  limitNames,
  type SharedAmounts,
  type SharedLimits,
  type SomeAmounts,
  sharedNames,
  toOwner,
  toWhole,
} from './shared-budget.js'
import type { SharedBudgetOptions, SharedBudgets } from './shared-budgets.js'
import { leastOf } from './shared-room.js'

/** How long the place of a waiting call is kept if its process died, in milliseconds. */
const placeMs = 3000
/** How often a waiting call looks for room at least, in milliseconds; a change wakes it earlier. */
const lookMs = 250
/** How long a call waits that was overtaken by a change, in milliseconds. */
const retryMs = 5
const defaultWaitMs = 10_000

const nothing: SharedAmounts = { cost: 0, tokens: 0, calls: 0 }

/** The owner of limits that hold for all owners without limits of their own. */
const everybody = '*'

/** The id of a budget: an owner has one for each window. */
const idOf = (owner: string, window: BudgetWindow): string => `${window} ${owner}`

/** Shared budgets in a table. */
export class StoredBudgets implements SharedBudgets {
  readonly #table: BudgetTable

  constructor(table: BudgetTable) {
    this.#table = table
  }

  of(
    owner: string | Principal,
    limits: SharedLimits | readonly SharedLimits[] = [],
    { waitMs = defaultWaitMs, parent }: SharedBudgetOptions = {},
  ): BudgetLedger {
    const where = 'budgets.of'
    const text = toOwner(where, owner)
    if (text === everybody)
      throw configError(
        `${where}: "${everybody}" names the limits of all owners; a ledger needs one of them`,
      )
    const list = [limits].flat()
    for (const one of list) checkSharedLimits(where, one)
    if (typeof waitMs !== 'number' || !(waitMs >= 0))
      throw configError(`${where}: waitMs must be a number of at least 0, not ${String(waitMs)}`)
    const shared = { budgets: this, owner: text, limits: list, waitMs }
    return new BudgetLedger({}, { shared: [shared], parent })
  }

  async set(owner: string | Principal, limits: SharedLimits): Promise<void> {
    const where = 'budgets.set'
    const text = toOwner(where, owner)
    checkSharedLimits(where, limits)
    await this.#table.define({ ...definitionOf(text, limits), setBy: 'operator' })
  }

  async topUp(
    owner: string | Principal,
    window: BudgetWindow,
    amounts: SomeAmounts,
  ): Promise<void> {
    const where = 'budgets.topUp'
    const text = toOwner(where, owner)
    checkWindow(where, window)
    checkAmounts(where, amounts)
    if (text === everybody)
      throw configError(`${where}: "${everybody}" has no amounts of its own; top up an owner`)
    const id = idOf(text, window)
    const row = (await this.#table.rows([text])).find((one) => one.id === id)
    if (!row)
      throw new LlmError(
        'not-found',
        `${where}: ${JSON.stringify(text)} has no budget with the window ${window}; set one first`,
      )
    await this.#table.topUp(id, this.#spanOf(row).start, toWhole(amounts))
  }

  async remove(owner: string | Principal, window: BudgetWindow): Promise<void> {
    const where = 'budgets.remove'
    checkWindow(where, window)
    await this.#table.remove(idOf(toOwner(where, owner), window))
  }

  async list(owner?: string | Principal): Promise<readonly BudgetState[]> {
    const owners = owner === undefined ? undefined : [toOwner('budgets.list', owner)]
    const rows = await this.#table.rows(owners)
    const states = rows.map((row) => this.#stateOf(row))
    return states.sort((a, b) => compareTexts(a.owner, b.owner))
  }

  /**
   * Takes room for a call, and waits for it if there is none: see `BudgetDesk.reserve`.
   * @param take takes the amounts; default: in a transaction of their own
   */
  async reserve(
    charge: BudgetCharge,
    signal?: AbortSignal,
    take: (take: BudgetTake) => Promise<boolean> = (one) => this.#table.take(one),
  ): Promise<void> {
    const { id, waitMs, amounts } = charge
    const askedAt = this.#table.now()
    const until = askedAt + waitMs
    let isWaiting = false
    try {
      for (;;) {
        signal?.throwIfAborted()
        const budgets = await this.#budgetsOf(charge.owners)
        checkPrice(budgets, charge)

        const now = this.#table.now()
        const charged = { ...amounts, cost: amounts.cost ?? 0 }
        // The last try of a call goes before all others, so that it is not refused for its place
        // while its budget has room. The first try may be the last: it may take longer than
        // `waitMs`.
        const isLastTry = waitMs > 0 && now >= until
        const request = { id, place: isLastTry ? 0 : askedAt, amounts: charged, at: now, budgets }

        const ids = budgets.map(({ row }) => row.id)
        const change = new ChangeSignal(this.#table, ids)
        try {
          const block = blockOf(request)
          if (!block && (await take(request))) {
            isWaiting = false
            return
          }
          // There will be no room within the time of the call.
          if (block && (now >= until || block.until > until)) throw refusalOf(request, block)
          if (!block) {
            // The limits changed, or another call was faster.
            await change.wait(retryMs, signal)
            continue
          }

          isWaiting = true
          await this.#table.wait({ id, place: askedAt }, ids, now + placeMs)
          await change.wait(Math.min(lookMs, until - now), signal)
        } finally {
          change.close()
        }
      }
    } finally {
      if (isWaiting) await this.#table.leave(id)
    }
  }

  async room(owner: ChargedOwner): Promise<SharedAmounts> {
    const budgets = await this.#budgetsOf([owner])
    const left = budgets.map(({ row, start }): SharedAmounts => {
      const { used, topUp } = amountsAt(row, start)
      const { reserved } = row.start === start ? row.queue : { reserved: nothing }
      const amounts = sharedNames.map((name) => {
        const limit = row.limits[name] ?? Infinity
        return [name, Math.max(0, limit + topUp[name] - used[name] + reserved[name])]
      })
      return Object.fromEntries(amounts) as SharedAmounts
    })
    return leastOf(left)
  }

  settle(settlement: BudgetSettlement): Promise<void> {
    return this.#table.settle(settlement)
  }

  /**
   * The budgets of these owners, each in its current window; those of the program are made or
   * changed.
   */
  async #budgetsOf(owners: readonly ChargedOwner[]): Promise<BudgetTake['budgets']> {
    const names = [...new Set(owners.map(({ owner }) => owner))]
    let rows = await this.#table.rows([...names, everybody])
    const changes = changesOf(owners, rows)
    for (const definition of changes) await this.#table.define(definition)
    if (changes.length > 0) rows = await this.#table.rows([...names, everybody])
    return rows
      .filter(({ owner }) => owner !== everybody)
      .map((row) => ({ row, start: this.#spanOf(row).start }))
  }

  /** The current window of a row; another process may have begun it already. */
  #spanOf({ window, timeZone, start }: BudgetRow): WindowSpan {
    return spanOf(window, timeZone, Math.max(this.#table.now(), start))
  }

  #stateOf(row: BudgetRow): BudgetState {
    const { owner, window, timeZone, setBy, limits, queue } = row
    const { start, end } = this.#spanOf(row)
    const { used, topUp } = amountsAt(row, start)
    const limitEntries = sharedNames.flatMap((name) => {
      const limit = limits[name]
      return limit === undefined ? [] : [[limitNames[name], toPublicAmount(name, limit)] as const]
    })
    return {
      owner,
      window,
      timeZone,
      setBy,
      ...Object.fromEntries(limitEntries),
      used: toPublicAmounts(used),
      reserved: toPublicAmounts(row.start === start ? queue.reserved : nothing),
      topUp: toPublicAmounts(topUp),
      ...(end < Infinity && { endsAt: new Date(end).toISOString() }),
    }
  }
}

/** Rows of these owners that have to be made or changed before they can be charged. */
function changesOf(
  owners: readonly ChargedOwner[],
  rows: readonly BudgetRow[],
): readonly BudgetDefinition[] {
  const defaults = rows.filter(({ owner }) => owner === everybody)
  return owners.flatMap(({ owner, limits }) => {
    const own = new Map(rows.filter((row) => row.owner === owner).map((row) => [row.id, row]))
    const definitions = new Map<string, BudgetDefinition>()
    // A row that came from the limits of everybody has none, unless they still hold: see below.
    for (const row of own.values())
      if (row.setBy === 'default') definitions.set(row.id, { ...row, setBy: 'program', limits: {} })

    for (const one of limits) {
      const definition = definitionOf(owner, one)
      definitions.set(definition.id, { ...definition, setBy: 'program' })
    }

    for (const { window, timeZone, limits: defaultLimits } of defaults) {
      const id = idOf(owner, window)
      definitions.set(id, { id, owner, window, timeZone, limits: defaultLimits, setBy: 'default' })
    }
    return [...definitions.values()].filter((one) => !isDefined(own.get(one.id), one))
  })
}

function definitionOf(owner: string, limits: SharedLimits): Omit<BudgetDefinition, 'setBy'> {
  const { window = 'none', timeZone = 'UTC', maxCost, maxTokens, maxCalls } = limits
  const whole = toWhole({ cost: maxCost ?? 0, tokens: maxTokens ?? 0, calls: maxCalls ?? 0 })
  return {
    id: idOf(owner, window),
    owner,
    window,
    timeZone,
    limits: {
      ...(maxCost !== undefined && { cost: whole.cost }),
      ...(maxTokens !== undefined && { tokens: whole.tokens }),
      ...(maxCalls !== undefined && { calls: whole.calls }),
    },
  }
}

/** True if the row need not change: an operator set it for its owner, or it has the same limits. */
function isDefined(
  row: BudgetRow | undefined,
  { timeZone, limits, setBy }: BudgetDefinition,
): boolean {
  if (row === undefined) return false
  if (row.setBy === 'operator') return true

  const hasLimits = sharedNames.every((name) => row.limits[name] === limits[name])
  return row.setBy === setBy && row.timeZone === timeZone && hasLimits
}

/** @throws {LlmError} `config` — money is limited, and nobody knows what the call costs */
function checkPrice(budgets: BudgetTake['budgets'], { amounts }: BudgetCharge): void {
  if (amounts.cost !== undefined) return
  const moneyBudget = budgets.find(({ row }) => row.limits.cost !== undefined)
  if (!moneyBudget) return
  throw configError(
    `the budget of ${JSON.stringify(moneyBudget.row.owner)} limits money, and the call has no known price in US dollars; give a profile with prices: { input, output }`,
  )
}

/** Why a call cannot take its amounts now. */
interface Block {
  readonly row: BudgetRow
  readonly start: number
  readonly name: keyof SharedAmounts
  readonly reserved: number
  /**
   * From when on the call may fit. 0: from any moment, once another call ends. `Infinity`: never,
   * since it takes more than a whole window has.
   */
  readonly until: number
}

/** The first budget that has no room, or where another call is next. */
function blockOf({ id, place, amounts, budgets }: BudgetTake): Block | undefined {
  for (const { row, start } of budgets) {
    const { used, topUp } = amountsAt(row, start)
    const { queue } = row
    for (const name of sharedNames) {
      const limit = row.limits[name]
      if (limit === undefined) continue
      const excess = used[name] + amounts[name] - limit - topUp[name]
      if (excess <= 0) continue

      // It fits if open calls give back what they reserved.
      const reserved = row.start === start ? queue.reserved[name] : 0
      if (excess <= reserved) return { row, start, name, reserved, until: 0 }

      const { end } = spanOf(row.window, row.timeZone, start)
      return { row, start, name, reserved: 0, until: amounts[name] <= limit ? end : Infinity }
    }

    const name = sharedNames.find((one) => row.limits[one] !== undefined)
    if (name && isBehind({ id, place }, queue.first))
      return { row, start, name, reserved: queue.reserved[name], until: 0 }
  }
  return undefined
}

const isBehind = (call: BudgetPlace, first: BudgetPlace | undefined): boolean =>
  first !== undefined &&
  (first.place < call.place || (first.place === call.place && first.id < call.id))

const compareTexts = (a: string, b: string): number => {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** The amounts of a row in a window: those of an earlier one are over. */
const amountsAt = (row: BudgetRow, start: number): Pick<BudgetRow, 'used' | 'topUp'> =>
  row.start === start ? row : { used: nothing, topUp: nothing }

function refusalOf({ amounts }: BudgetTake, block: Block): BudgetExceededError {
  const { row, start, name, reserved } = block
  const { used, topUp } = amountsAt(row, start)
  const { end } = spanOf(row.window, row.timeZone, start)
  return new BudgetExceededError({
    limit: limitNames[name],
    effect: 'deny',
    observed: toPublicAmount(name, used[name] + amounts[name]),
    maximum: toPublicAmount(name, (row.limits[name] ?? 0) + topUp[name]),
    budget: {
      owner: row.owner,
      window: row.window,
      ...(end < Infinity && { endsAt: new Date(end).toISOString() }),
      ...(reserved > 0 && { reserved: toPublicAmount(name, reserved) }),
    },
  })
}

/** An amount as the API has it: money in US dollars. */
const toPublicAmount = (name: keyof SharedAmounts, amount: number): number =>
  name === 'cost' ? costOf(amount) : amount

const toPublicAmounts = ({ cost, ...rest }: SharedAmounts): SharedAmounts => ({
  cost: costOf(cost),
  ...rest,
})

/** Remembers whether something changed since it was made. */
class ChangeSignal {
  #isChanged = false
  #onChange: (() => void) | undefined
  readonly #unwatch: () => void

  constructor(table: BudgetTable, ids: readonly string[]) {
    this.#unwatch = table.watch(ids, () => {
      this.#isChanged = true
      this.#onChange?.()
    })
  }

  /** Waits for a change, the time, or the signal. */
  wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.#isChanged || signal?.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, Math.max(0, ms))
      signal?.addEventListener('abort', end)
      this.#onChange = end
    })
  }

  close(): void {
    this.#unwatch()
  }
}
