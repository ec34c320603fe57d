import {
  type BudgetAuthor,
  type BudgetDefinition,
  type BudgetPlace,
  type BudgetRow,
  type BudgetSettlement,
  type BudgetTable,
  type BudgetTake,
  type BudgetWindow,
  longestCallMs,
  type SharedAmounts,
  StoredBudgets,
} from '@modelport/runtime'
import type { Database, Row, SqlValue, Statement } from '../database/database.js'

/** A reservation of this age is forgotten: what it took stays spent. */
const forgottenMs = 24 * 60 * 60_000

/** What is watched under the id of a budget. */
export const keyOfBudget = (id: string): string => `budget:${id}`

const names = ['cost', 'tokens', 'calls'] as const
type Name = (typeof names)[number]

const marks = (values: readonly unknown[]): string => values.map(() => '?').join(', ')

/** A statement about the row of one budget. All writers of a transaction order these by the id. */
export interface BudgetStatement {
  readonly budget: string
  readonly statement: Statement
}

/** The budgets of a store. */
export class SqlBudgets extends StoredBudgets {
  readonly table: SqlBudgetTable

  constructor(database: Database) {
    const table = new SqlBudgetTable(database)
    super(table)
    this.table = table
  }
}

/**
 * Budgets in a database. The room of a call is taken by one UPDATE for each budget, whose condition
 * is the limit: two calls cannot both find the last of it.
 */
export class SqlBudgetTable implements BudgetTable {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  now(): number {
    return this.#database.now()
  }

  async define(definition: BudgetDefinition): Promise<void> {
    const { id, owner, window, timeZone, setBy, limits } = definition
    const [cost, tokens, calls] = names.map((name) => limits[name] ?? null)
    const params = [id, owner, window, timeZone, setBy, cost, tokens, calls]
    await this.#write([
      {
        sql: `INSERT INTO budgets (id, owner, span, zone, author, cost, tokens, calls, start,
            usedcost, usedtokens, usedcalls, addcost, addtokens, addcalls, revision)
          VALUES (?, ?, ?, ?, ?, CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), 0, 0, 0, 0, 0, 0, 0, 1)
          ON CONFLICT (id) DO UPDATE SET zone = excluded.zone, author = excluded.author, cost = excluded.cost,
            tokens = excluded.tokens, calls = excluded.calls, revision = budgets.revision + 1
          WHERE excluded.author = 'operator' OR budgets.author <> 'operator'`,
        params: params as SqlValue[],
      },
    ])
    this.notify([id])
  }

  async remove(id: string): Promise<void> {
    await this.#write([
      { sql: 'DELETE FROM budgets WHERE id = ?', params: [id] },
      { sql: 'DELETE FROM reservations WHERE budget = ?', params: [id] },
    ])
    this.notify([id])
  }

  async rows(owners?: readonly string[]): Promise<readonly BudgetRow[]> {
    const now = this.now()
    const held = names.map(
      (name) =>
        `(SELECT COALESCE(SUM(r.${name}), 0) FROM reservations r
          WHERE r.budget = b.id AND r.start = b.start AND r.at > ?) AS held${name}`,
    )
    const first = ['place', 'id'].map(
      (column) =>
        `(SELECT w.${column} FROM waits w WHERE w.budget = b.id AND w.until > ?
          ORDER BY w.place, w.id LIMIT 1) AS first${column}`,
    )
    const where = owners ? `WHERE b.owner IN (${marks(owners)})` : ''
    const oldest = now - longestCallMs
    // One statement: its parts are of one moment.
    const rows = await this.#database.read(
      `SELECT b.*, ${[...held, ...first].join(', ')} FROM budgets b ${where}`,
      [...names.map(() => oldest), now, now, ...(owners ?? [])],
    )
    return rows.map(toRow).sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  async take(take: BudgetTake): Promise<boolean> {
    if (take.budgets.length === 0) return true
    const { ok } = await this.#database.write([
      ...this.takes(take).map(({ statement }) => statement),
      ...this.reservation(take),
    ])
    return ok
  }

  /** The statements that take room; each fails if there is none. */
  takes({ id, place, amounts, at, budgets }: BudgetTake): readonly BudgetStatement[] {
    const usedOf = (name: Name): string => `CASE WHEN start < ? THEN 0 ELSE used${name} END`
    const addOf = (name: Name): string => `CASE WHEN start < ? THEN 0 ELSE add${name} END`
    const sets = names.map(
      (name) => `used${name} = ${usedOf(name)} + ?, add${name} = ${addOf(name)}`,
    )
    const rooms = names.map(
      (name) => `(${name} IS NULL OR ${usedOf(name)} + ? <= ${name} + ${addOf(name)})`,
    )
    const sql = `UPDATE budgets SET start = ?, ${sets.join(', ')}
      WHERE id = ? AND revision = ? AND start <= ? AND ${rooms.join(' AND ')}
        AND NOT EXISTS (SELECT 1 FROM waits w WHERE w.budget = budgets.id AND w.until > ?
          AND (w.place < ? OR (w.place = ? AND w.id < ?)))`
    return budgets.map(({ row, start }) => {
      const each = names.flatMap((name) => [start, amounts[name], start])
      const params = [start, ...each, row.id, row.revision, start, ...each, at, place, place, id]
      return { budget: row.id, statement: { sql, params, expect: 1 } }
    })
  }

  /** The statements that note what was taken, and end the wait for it. */
  reservation({ id, amounts, at, budgets }: BudgetTake): readonly Statement[] {
    const { cost, tokens, calls } = amounts
    return [
      ...budgets.flatMap(({ row, start }) => [
        {
          sql: 'DELETE FROM reservations WHERE budget = ? AND at < ?',
          params: [row.id, at - forgottenMs],
        },
        {
          sql: 'INSERT INTO reservations (id, budget, start, cost, tokens, calls, at) VALUES (?, ?, ?, ?, ?, ?, ?)',
          params: [id, row.id, start, cost, tokens, calls, at],
        },
      ]),
      { sql: 'DELETE FROM waits WHERE id = ?', params: [id] },
    ]
  }

  async settle(settlement: BudgetSettlement): Promise<void> {
    const rows = await this.#database.read(
      'SELECT budget FROM reservations WHERE id = ? ORDER BY budget',
      [settlement.id],
    )
    const budgets = rows.map(({ budget }) => String(budget))
    if (budgets.length === 0) return
    await this.#write([
      ...this.settles(settlement, budgets).map(({ statement }) => statement),
      this.forget(settlement),
    ])
    this.notify(budgets)
  }

  /** The statements that replace a reservation by what was used. A window that is over stays. */
  settles(
    { id, amounts }: BudgetSettlement,
    budgets: readonly string[],
  ): readonly BudgetStatement[] {
    const held = 'FROM reservations r WHERE r.id = ? AND r.budget = budgets.id'
    const sets = names.map((name) => `used${name} = used${name} + ? - (SELECT r.${name} ${held})`)
    const sql = `UPDATE budgets SET ${sets.join(', ')}
      WHERE id = ? AND EXISTS (SELECT 1 ${held} AND r.start = budgets.start)`
    return budgets.map((budget) => {
      const each = names.flatMap((name) => [amounts[name] ?? 0, id])
      return { budget, statement: { sql, params: [...each, budget, id] } }
    })
  }

  /** The statement that forgets a reservation which is settled. */
  forget({ id }: BudgetSettlement): Statement {
    return { sql: 'DELETE FROM reservations WHERE id = ?', params: [id] }
  }

  async topUp(id: string, start: number, amounts: SharedAmounts): Promise<void> {
    const sets = names.map(
      (name) => `used${name} = CASE WHEN start < ? THEN 0 ELSE used${name} END,
        add${name} = CASE WHEN start < ? THEN 0 ELSE add${name} END + ?`,
    )
    const each = names.flatMap((name) => [start, start, amounts[name]])
    await this.#write([
      {
        sql: `UPDATE budgets SET start = ?, ${sets.join(', ')} WHERE id = ? AND start <= ?`,
        params: [start, ...each, id, start],
      },
    ])
    this.notify([id])
  }

  async wait({ id, place }: BudgetPlace, budgets: readonly string[], until: number): Promise<void> {
    await this.#write(
      budgets.map((budget) => ({
        sql: `INSERT INTO waits (id, budget, place, until) VALUES (?, ?, ?, ?)
          ON CONFLICT (id, budget) DO UPDATE SET until = excluded.until`,
        params: [id, budget, place, until],
      })),
    )
  }

  async leave(id: string): Promise<void> {
    const rows = await this.#database.read('SELECT budget FROM waits WHERE id = ?', [id])
    await this.#write([{ sql: 'DELETE FROM waits WHERE id = ?', params: [id] }])
    this.notify(rows.map(({ budget }) => String(budget)))
  }

  watch(ids: readonly string[], onChange: () => void): () => void {
    const all = ids.map((id) => this.#database.watch(keyOfBudget(id), onChange))
    return () => {
      for (const unwatch of all) unwatch()
    }
  }

  /** Reports that room may have come free. */
  notify(ids: readonly string[]): void {
    for (const id of ids) this.#database.notify(keyOfBudget(id))
  }

  async #write(statements: readonly Statement[]): Promise<void> {
    await this.#database.write(statements)
  }
}

function toRow(row: Row): BudgetRow {
  const amounts = (prefix: string): SharedAmounts => ({
    cost: Number(row[`${prefix}cost`]),
    tokens: Number(row[`${prefix}tokens`]),
    calls: Number(row[`${prefix}calls`]),
  })
  const limits = names.flatMap((name) => (row[name] === null ? [] : [[name, Number(row[name])]]))
  const { firstplace: place = null, firstid: id } = row
  return {
    id: String(row['id']),
    owner: String(row['owner']),
    window: String(row['span']) as BudgetWindow,
    timeZone: String(row['zone']),
    setBy: row['author'] as BudgetAuthor,
    limits: Object.fromEntries(limits) as BudgetRow['limits'],
    start: Number(row['start']),
    used: amounts('used'),
    topUp: amounts('add'),
    revision: Number(row['revision']),
    queue: {
      reserved: amounts('held'),
      ...(place !== null && { first: { place: Number(place), id: String(id) } }),
    },
  }
}
