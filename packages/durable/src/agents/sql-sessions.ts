import {
  AgentError,
  type SessionEntry,
  type SessionEntryBody,
  type SessionHead,
  type SessionKey,
  type SessionStore,
} from '@modelport/agent'
import type { BodyCodec } from '../database/body-codec.js'
import type { Database, Row } from '../database/database.js'
import { EventLog, removeLog } from '../database/event-log.js'

const nameOf = ({ principal, agent, id }: SessionKey): string =>
  JSON.stringify([principal, agent, id])
const logOf = (key: SessionKey): string => `session:${nameOf(key)}`

/** Conversations as logs. */
export class SqlSessions implements SessionStore {
  readonly #database: Database
  readonly #log: EventLog

  constructor(database: Database, codec: BodyCodec) {
    this.#database = database
    this.#log = new EventLog(database, codec)
  }

  async head(key: SessionKey): Promise<SessionHead> {
    const [row] = await this.#database.read(
      `SELECT s.*, l.seq FROM sessions s LEFT JOIN logs l ON l.id = 'session:' || s.name WHERE s.name = ?`,
      [nameOf(key)],
    )
    return row ? headOf(row) : { key, seq: 0, start: 1 }
  }

  async append(
    key: SessionKey,
    expected: number,
    entries: readonly SessionEntryBody[],
    at: string,
  ): Promise<SessionHead> {
    const replaced = entries.findLastIndex(({ type }) => type === 'replaced')
    const start = replaced < 0 ? null : expected + replaced + 1
    const result = await this.#database.write([
      ...this.#log.append(
        logOf(key),
        expected,
        entries.map((body) => ({ kind: body.type, body: { ...body, at } })),
      ),
      {
        sql: `INSERT INTO sessions (name, principal, agent, id, start) VALUES (?, ?, ?, ?, ?)
          ON CONFLICT (name) DO UPDATE SET start = COALESCE(?, sessions.start)`,
        params: [nameOf(key), key.principal, key.agent, key.id, start ?? 1, start],
      },
    ])
    const head = await this.head(key)
    if (!result.ok)
      throw new AgentError(
        'conflict',
        `Session ${key.id} has ${head.seq} entries, not ${expected}: reload it`,
      )
    this.#database.notify(logOf(key))
    return head
  }

  async read(key: SessionKey, from: number): Promise<readonly SessionEntry[]> {
    const entries = await this.#log.read(logOf(key), from)
    return entries.map(({ seq, body }) => ({ ...(body as SessionEntryBody & { at: string }), seq }))
  }

  async list(principal: string, agent: string): Promise<readonly SessionHead[]> {
    const rows = await this.#database.read(
      `SELECT s.*, l.seq FROM sessions s LEFT JOIN logs l ON l.id = 'session:' || s.name
        WHERE s.principal = ? AND s.agent = ? ORDER BY s.id`,
      [principal, agent],
    )
    return rows.map(headOf)
  }

  async delete(key: SessionKey): Promise<void> {
    await this.#database.write([
      { sql: 'DELETE FROM sessions WHERE name = ?', params: [nameOf(key)] },
      ...removeLog(logOf(key)),
    ])
  }
}

const headOf = (row: Row): SessionHead => ({
  key: { principal: String(row['principal']), agent: String(row['agent']), id: String(row['id']) },
  seq: Number(row['seq'] ?? 0),
  start: Number(row['start']),
})
