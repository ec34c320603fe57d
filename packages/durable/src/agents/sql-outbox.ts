import type { Outbox, OutboxRow, PushConfig, PushConfigStore, TaskKey } from '@modelport/agent'
import type { BodyCodec } from '../database/body-codec.js'
import type { Database, Row } from '../database/database.js'
import { dueOf, settleRow } from './outbox-rows.js'
import { nameOfTask } from './sql-inbox.js'

const streamOf = (key: TaskKey, configId: string): string => JSON.stringify([key.principal, key.id, configId])
const idOf = ({ key, configId, seq }: OutboxRow): string => JSON.stringify([key.principal, key.id, configId, seq])

/** Where notifications go. Credentials are encrypted if the store has a key. */
export class SqlPushConfigs implements PushConfigStore {
  readonly #database: Database
  readonly #codec: BodyCodec

  constructor(database: Database, codec: BodyCodec) {
    this.#database = database
    this.#codec = codec
  }

  async put(key: TaskKey, config: PushConfig): Promise<void> {
    await this.#database.write([
      {
        sql: `INSERT INTO documents (kind, id, owner, sort, body) VALUES ('push', ?, ?, ?, ?)
          ON CONFLICT (kind, id) DO UPDATE SET body = excluded.body`,
        params: [streamOf(key, config.id), nameOfTask(key), this.#database.now(), this.#codec.encode(config)],
      },
    ])
  }

  async get(key: TaskKey, configId: string): Promise<PushConfig | undefined> {
    const [row] = await this.#database.read(`SELECT body FROM documents WHERE kind = 'push' AND id = ?`, [
      streamOf(key, configId),
    ])
    return row && (this.#codec.decode(row['body']) as PushConfig)
  }

  async list(key: TaskKey): Promise<readonly PushConfig[]> {
    const rows = await this.#database.read(
      `SELECT body FROM documents WHERE kind = 'push' AND owner = ? ORDER BY sort, id`,
      [nameOfTask(key)],
    )
    return rows.map(({ body }) => this.#codec.decode(body) as PushConfig)
  }

  async delete(key: TaskKey, configId: string): Promise<void> {
    const stream = streamOf(key, configId)
    await this.#database.write([
      { sql: `DELETE FROM documents WHERE kind = 'push' AND id = ?`, params: [stream] },
      { sql: 'DELETE FROM outbox WHERE stream = ? AND dead = 0', params: [stream] },
    ])
  }
}

/** Notifications that have to be delivered. */
export class SqlOutbox implements Outbox {
  readonly #database: Database
  readonly #codec: BodyCodec

  constructor(database: Database, codec: BodyCodec) {
    this.#database = database
    this.#codec = codec
  }

  async put(row: OutboxRow): Promise<void> {
    await this.#database.write([
      {
        sql: `INSERT INTO outbox (id, stream, seq, body, due, tries, held, dead) VALUES (?, ?, ?, ?, ?, ?, 0, 0)
          ON CONFLICT (id) DO NOTHING`,
        params: [
          idOf(row),
          streamOf(row.key, row.configId),
          row.seq,
          this.#codec.encode({ key: row.key, configId: row.configId, payload: row.payload }),
          row.dueAt,
          row.attempts,
        ],
      },
    ])
    this.#database.notify('outbox')
  }

  async claim(now: number, limit: number, leaseMs: number): Promise<readonly OutboxRow[]> {
    const result = await this.#database.write([
      {
        sql: `UPDATE outbox SET held = ? WHERE held <= ? AND id IN (
          SELECT o.id FROM outbox o WHERE o.agent IS NULL AND o.dead = 0 AND o.due <= ? AND o.held <= ? AND NOT EXISTS (
            SELECT 1 FROM outbox p WHERE p.stream = o.stream AND p.dead = 0 AND p.seq < o.seq)
          ORDER BY o.due, o.id LIMIT ?) RETURNING *`,
        params: [now + leaseMs, now, now, now, limit],
      },
    ])
    return (result.ok ? (result.rows[0] ?? []) : []).map((row) => this.#rowOf(row))
  }

  settle(row: OutboxRow, outcome: 'delivered' | 'dead' | { readonly retryAt: number }): Promise<void> {
    return settleRow(this.#database, idOf(row), row.attempts, outcome === 'delivered' ? 'delete' : outcome)
  }

  async nextDueAt(): Promise<number | undefined> {
    const rows = await this.#database.read(
      `SELECT min(CASE WHEN o.due > o.held THEN o.due ELSE o.held END) AS due FROM outbox o
        WHERE o.agent IS NULL AND o.dead = 0 AND NOT EXISTS (
          SELECT 1 FROM outbox p WHERE p.stream = o.stream AND p.dead = 0 AND p.seq < o.seq)`,
    )
    return dueOf(rows)
  }

  async dead(): Promise<readonly OutboxRow[]> {
    const rows = await this.#database.read(
      'SELECT * FROM outbox WHERE dead > 0 AND agent IS NULL ORDER BY dead, stream, seq',
    )
    return rows.map((row) => this.#rowOf(row))
  }

  #rowOf({ body, seq, tries, due }: Row): OutboxRow {
    const { key, configId, payload } = this.#codec.decode(body) as Pick<OutboxRow, 'key' | 'configId' | 'payload'>
    return { key, configId, payload, seq: Number(seq), attempts: Number(tries), dueAt: Number(due) }
  }
}
