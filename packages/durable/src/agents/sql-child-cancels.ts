import type { ChildCancel, ChildCancels } from '@modelport/agent'
import type { BodyCodec, BodyPlace } from '../database/body-codec.js'
import type { Database, Row, SqlValue } from '../database/database.js'
import { nameOfTask } from './sql-inbox.js'

const idOf = ({ forget, tool, key, target, taskId }: ChildCancel): string =>
  JSON.stringify(
    tool
      ? ['work', target, taskId, nameOfTask(key)]
      : [forget ? 'forget' : 'cancel', target, taskId],
  )

const placeOf = (id: string): BodyPlace => ['outbox', id]

/** The stream of a task's cancels, which have no order. */
export const cancelsOf = (owner: string): string => `cancels:${owner}`

/** What an agent was asked to forget and has not. */
export interface UnforgottenRow {
  readonly row: ChildCancel
  /** True if it refused, or could not be reached for too long. */
  readonly isDead: boolean
}

/** What other agents have to be asked for: the rows of the outbox. */
export class SqlChildCancels implements ChildCancels {
  readonly #database: Database
  readonly #codec: BodyCodec

  constructor(database: Database, codec: BodyCodec) {
    this.#database = database
    this.#codec = codec
  }

  async put(row: ChildCancel): Promise<void> {
    const { key, agent, attempts, dueAt } = row
    await this.#database.write([
      {
        sql: `INSERT INTO outbox (id, stream, seq, body, due, tries, held, dead, agent) VALUES (?, ?, 0, ?, ?, ?, 0, 0, ?)
          ON CONFLICT (id) DO NOTHING`,
        params: [idOf(row), cancelsOf(nameOfTask(key)), this.#bodyOf(row), dueAt, attempts, agent],
      },
    ])
  }

  async claim(
    agents: readonly string[],
    now: number,
    limit: number,
    leaseMs: number,
  ): Promise<readonly ChildCancel[]> {
    if (agents.length === 0) return []
    const result = await this.#database.write([
      {
        sql: `UPDATE outbox SET held = ? WHERE held <= ? AND id IN (
          SELECT id FROM outbox WHERE dead = 0 AND due <= ? AND held <= ? AND ${oneOf(agents)} ORDER BY due, id LIMIT ?)
          RETURNING *`,
        params: [now + leaseMs, now, now, now, ...agents, limit],
      },
    ])
    const rows = result.ok ? (result.rows[0] ?? []) : []
    // A database returns changed rows in any order.
    return rows
      .map((row) => this.#cancelOf(row))
      .toSorted((one, other) => one.dueAt - other.dueAt || (idOf(one) < idOf(other) ? -1 : 1))
  }

  async settle(
    row: ChildCancel,
    outcome: 'done' | 'dead' | { readonly retryAt: number },
  ): Promise<void> {
    const id = idOf(row)
    const body = this.#bodyOf(row)
    await this.#database.write([
      outcome === 'done'
        ? { sql: 'DELETE FROM outbox WHERE id = ?', params: [id] }
        : outcome === 'dead'
          ? {
              sql: 'UPDATE outbox SET dead = ?, body = ? WHERE id = ?',
              params: [this.#database.now(), body, id],
            }
          : {
              sql: 'UPDATE outbox SET due = ?, tries = ?, held = 0, body = ? WHERE id = ?',
              params: [outcome.retryAt, row.attempts + 1, body, id],
            },
    ])
  }

  async nextDueAt(agents: readonly string[]): Promise<number | undefined> {
    if (agents.length === 0) return undefined
    const [row] = await this.#database.read(
      `SELECT min(CASE WHEN due > held THEN due ELSE held END) AS due FROM outbox WHERE dead = 0 AND ${oneOf(agents)}`,
      agents,
    )
    const due = row?.['due']
    return due === undefined || due === null ? undefined : Number(due)
  }

  async dead(): Promise<readonly ChildCancel[]> {
    const rows = await this.#database.read('SELECT * FROM outbox WHERE dead > 0 ORDER BY dead, id')
    return rows.map((row) => this.#cancelOf(row))
  }

  /** What agents were asked to forget and have not, oldest first. */
  async unforgotten(): Promise<readonly UnforgottenRow[]> {
    const rows = await this.#database.read(
      `SELECT * FROM outbox WHERE id LIKE '["forget",%' ORDER BY due, id`,
    )
    return rows.map((row) => ({ row: this.#cancelOf(row), isDead: Number(row['dead']) > 0 }))
  }

  #bodyOf(row: ChildCancel): SqlValue {
    const { agent: _, attempts: __, dueAt: ___, ...body } = row
    return this.#codec.encode(body, placeOf(idOf(row)))
  }

  #cancelOf({ id, body, agent, tries, due }: Row): ChildCancel {
    const { key, target, taskId, giveUpAt, ...rest } = this.#codec.decode(
      body,
      placeOf(String(id)),
    ) as Omit<ChildCancel, 'agent' | 'attempts' | 'dueAt'>
    return {
      key,
      agent: String(agent),
      target,
      taskId,
      attempts: Number(tries),
      dueAt: Number(due),
      giveUpAt,
      ...rest,
    }
  }
}

const oneOf = (agents: readonly string[]): string =>
  `agent IN (${agents.map(() => '?').join(', ')})`
