/* oxlint-disable typescript/require-await -- the interface is asynchronous; memory never waits */
import type {
  BudgetDefinition,
  BudgetPlace,
  BudgetQueue,
  BudgetRow,
  BudgetTable,
  BudgetTake,
} from './budget-table.js'
import { longestCallMs } from './budget-table.js'
import type { BudgetSettlement, SharedAmounts } from './shared-budget.js'
import { sharedNames } from './shared-budget.js'
import type { SharedBudgets } from './shared-budgets.js'
import { StoredBudgets } from './stored-budgets.js'

/** Shared budgets of one process, which end with it. */
export const createMemoryBudgets = (): SharedBudgets => new StoredBudgets(new MemoryTable())

interface Reservation {
  readonly budgets: readonly { readonly id: string; readonly start: number }[]
  readonly amounts: SharedAmounts
  readonly at: number
}

interface Wait extends BudgetPlace {
  readonly budgets: readonly string[]
  readonly until: number
}

const nothing: SharedAmounts = { cost: 0, tokens: 0, calls: 0 }

const sumOf = (a: SharedAmounts, b: SharedAmounts, sign: 1 | -1 = 1): SharedAmounts => ({
  cost: a.cost + sign * b.cost,
  tokens: a.tokens + sign * b.tokens,
  calls: a.calls + sign * b.calls,
})

const isBefore = (a: BudgetPlace, b: BudgetPlace): boolean =>
  a.place < b.place || (a.place === b.place && a.id < b.id)

class MemoryTable implements BudgetTable {
  readonly #rows = new Map<string, BudgetRow>()
  readonly #reservations = new Map<string, Reservation>()
  readonly #waits = new Map<string, Wait>()
  readonly #watchers = new Set<() => void>()

  now(): number {
    return Date.now()
  }

  async define(definition: BudgetDefinition): Promise<void> {
    const {
      start = 0,
      used = nothing,
      topUp = nothing,
      revision = 0,
    } = this.#rows.get(definition.id) ?? {}
    const queue = { reserved: nothing }
    const row = { ...definition, start, used, topUp, revision: revision + 1, queue }
    this.#rows.set(definition.id, row)
    this.#notify()
  }

  async remove(id: string): Promise<void> {
    this.#rows.delete(id)
    this.#notify()
  }

  async rows(owners?: readonly string[]): Promise<readonly BudgetRow[]> {
    return [...this.#rows.values()]
      .filter(({ owner }) => owners?.includes(owner) ?? true)
      .map((row) => ({ ...row, queue: this.#queueOf(row.id) }))
      .sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  async take(take: BudgetTake): Promise<boolean> {
    const { id, amounts, at, budgets } = take
    if (!budgets.every(({ row, start }) => this.#hasRoom(take, row, start))) return false
    for (const { row: read, start } of budgets) {
      const row = this.#rows.get(read.id) ?? read
      const { used, topUp } = row.start === start ? row : { used: nothing, topUp: nothing }
      this.#rows.set(row.id, { ...row, start, used: sumOf(used, amounts), topUp })
    }
    const taken = budgets.map(({ row, start }) => ({ id: row.id, start }))
    this.#reservations.set(id, { budgets: taken, amounts, at })
    await this.leave(id)
    return true
  }

  async settle({ id, amounts }: BudgetSettlement): Promise<void> {
    const reservation = this.#reservations.get(id)
    if (!reservation) return
    this.#reservations.delete(id)
    const change = sumOf({ ...nothing, ...amounts }, reservation.amounts, -1)
    for (const { id: budget, start } of reservation.budgets) {
      const row = this.#rows.get(budget)
      if (row?.start === start) this.#rows.set(budget, { ...row, used: sumOf(row.used, change) })
    }
    this.#notify()
  }

  async topUp(id: string, start: number, amounts: SharedAmounts): Promise<void> {
    const row = this.#rows.get(id)
    if (!row) return
    const { used, topUp } = row.start === start ? row : { used: nothing, topUp: nothing }
    this.#rows.set(id, { ...row, start, used, topUp: sumOf(topUp, amounts) })
    this.#notify()
  }

  async wait(call: BudgetPlace, budgets: readonly string[], until: number): Promise<void> {
    this.#waits.set(call.id, { ...call, budgets, until })
  }

  async leave(id: string): Promise<void> {
    if (this.#waits.delete(id)) this.#notify()
  }

  watch(_ids: readonly string[], onChange: () => void): () => void {
    // Two calls may pass one function.
    const watcher = (): void => {
      onChange()
    }
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  #hasRoom(take: BudgetTake, { id, revision }: BudgetRow, start: number): boolean {
    const row = this.#rows.get(id)
    if (row?.revision !== revision || row.start > start) return false
    const { used, topUp } = row.start === start ? row : { used: nothing, topUp: nothing }
    const { first } = this.#queueOf(id)
    if (first && isBefore(first, take)) return false
    return sharedNames.every(
      (name) => used[name] + take.amounts[name] <= (row.limits[name] ?? Infinity) + topUp[name],
    )
  }

  #queueOf(budget: string): BudgetQueue {
    const now = this.now()
    const { start } = this.#rows.get(budget) ?? {}
    const reserved = [...this.#reservations.values()]
      .filter(
        ({ budgets, at }) =>
          at > now - longestCallMs &&
          budgets.some((one) => one.id === budget && one.start === start),
      )
      .reduce((sum, { amounts }) => sumOf(sum, amounts), nothing)
    const [first] = [...this.#waits.values()]
      .filter(({ budgets, until }) => until > now && budgets.includes(budget))
      .sort((a, b) => (isBefore(a, b) ? -1 : 1))
    return { reserved, ...(first && { first }) }
  }

  #notify(): void {
    for (const watcher of [...this.#watchers]) watcher()
  }
}
