import { type BudgetStatement, keyOfBudget } from '../budgets/sql-budgets.js'
import type { SqlValue, Statement } from '../database/database.js'
import { type EntryRow, insertEntries } from '../database/event-log.js'
import type { RunTable, Settlement } from './run-table.js'
import type { RunRow } from './stored-run.js'

/** Numbers of a run's row that change with its writes. */
const counters = ['journal', 'mark', 'transcript', 'events', 'checks'] as const
type Counts = Readonly<Record<(typeof counters)[number], number>>

/**
 * One transaction of a held run: the change of its row, which fails if the claim is lost, and the
 * new rows.
 */
export class RunChange {
  readonly #table: RunTable
  readonly #run: RunRow
  readonly #leaseMs: number | undefined
  readonly #counts: Counts
  readonly #sets = new Map<string, readonly SqlValue[]>()
  readonly #removed: Statement[] = []
  #rows: EntryRow[] = []
  readonly #statements: Statement[] = []
  readonly #changed = new Set<string>()
  /** What is taken from shared budgets and given back, and who asked for it. */
  readonly #charges: { readonly by: object; readonly change: BudgetStatement }[] = []
  readonly #afterCharges: Statement[] = []
  #progress = 0
  #end: Settlement | undefined

  /**
   * @param leaseMs extends the lease
   * @param counts read when the statements are made
   */
  constructor(table: RunTable, run: RunRow, leaseMs: number | undefined, counts: Counts) {
    this.#table = table
    this.#run = run
    this.#leaseMs = leaseMs
    this.#counts = counts
  }

  get changed(): ReadonlySet<string> {
    return this.#changed
  }

  get hasProgress(): boolean {
    return this.#progress > 0
  }

  /** True if the transaction ends the hold. */
  get isEnd(): boolean {
    return this.#end !== undefined
  }

  set(assignment: string, ...params: readonly SqlValue[]): void {
    this.#sets.set(assignment, params)
  }

  add(row: EntryRow): void {
    this.#rows.push(row)
  }

  /** Removes rows; those that were added before and match are not stored at all. */
  remove(statement: Statement): void {
    const [log, keep] = statement.params ?? []
    this.#rows = this.#rows.filter((row) => row.log !== log || row.seq <= Number(keep))
    this.#removed.push(statement)
  }

  run(...statements: readonly Statement[]): void {
    this.#statements.push(...statements)
  }

  /**
   * Changes shared budgets, at the end of the transaction.
   * @param by what asks for it: `refused` names it if a statement fails
   */
  charge(by: object, changes: readonly BudgetStatement[], ...after: readonly Statement[]): void {
    for (const change of changes) {
      this.#charges.push({ by, change })
      this.notify(keyOfBudget(change.budget))
    }
    this.#afterCharges.push(...after)
  }

  /** What asked for the statement with this number, if that is about a shared budget. */
  refused(failed: number, statements: readonly Statement[]): object | undefined {
    const statement = statements[failed]
    return this.#charges.find(({ change }) => change.statement === statement)?.by
  }

  notify(key: string): void {
    this.#changed.add(key)
  }

  markProgress(): void {
    this.#progress++
  }

  /** Ends the hold in this transaction. */
  settle(settlement: Settlement): void {
    this.#end = settlement
  }

  /** @param and a further condition of the row */
  statements(and: string): readonly Statement[] {
    const before = this.#run
    let set = ''
    const params: SqlValue[] = []
    const add = (assignment: string, values: readonly SqlValue[]): void => {
      set += `, ${assignment}`
      params.push(...values)
    }
    for (const [assignment, values] of this.#sets) add(assignment, values)
    for (const name of counters)
      if (this.#counts[name] !== before[name]) add(`${name} = ?`, [this.#counts[name]])
    // A hold that ends forgets its progress.
    if (this.#progress > 0 && !this.#end) add('progress = progress + ?', [this.#progress])
    const row = this.#end
      ? this.#table.settle(before, {
          ...this.#end,
          set: set + (this.#end.set ?? ''),
          params: [...params, ...(this.#end.params ?? [])],
        })
      : this.#table.fence(before, this.#leaseMs, { set, params, and })
    // Every transaction locks the rows of budgets in one order.
    const charges = this.#charges
      .map(({ change }) => change)
      .toSorted((a, b) => (a.budget < b.budget ? -1 : a.budget > b.budget ? 1 : 0))
    return [
      row,
      ...this.#removed,
      ...insertEntries(this.#rows),
      ...this.#statements,
      ...charges.map(({ statement }) => statement),
      ...this.#afterCharges,
    ]
  }
}
