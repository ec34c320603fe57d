import {
  AgentError,
  nameOfSession as nameOf,
  type SessionEntry,
  type SessionEntryBody,
  type SessionHead,
  type SessionKey,
  type SessionStore,
  sessionBusy,
} from '@modelport/agent'
import type { BodyCodec } from '../database/body-codec.js'
import type { Database, Row } from '../database/database.js'
import { changeWithin, EventLog, removeLog } from '../database/event-log.js'
import { beginSession } from '../runs/session-transitions.js'
import {
  deleteSession,
  logOfSession,
  newLifeOf,
  releaseTurn,
  turnKey,
} from '../runs/session-turns.js'

const logOf = (key: SessionKey): string => logOfSession(nameOf(key))

/** How long a turn that was taken outlives its process, in milliseconds. */
const takenMs = 300_000
/** How often whoever waits for a turn looks without being notified, in milliseconds. */
const lookMs = 1000

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
    holder?: string,
  ): Promise<SessionHead> {
    const replaced = entries.findLastIndex(({ type }) => type === 'replaced')
    const start = replaced < 0 ? null : expected + replaced + 1
    const result = await this.#database.write([
      {
        ...beginSession('add entries', {
          ...newLifeOf(key),
          first: start ?? 1,
          start,
          holder: holder ?? '',
        }),
        expect: 1,
      },
      ...this.#log.append(
        logOf(key),
        expected,
        entries.map((body) => ({ kind: body.type, body: { ...body, at } })),
      ),
    ])
    const head = await this.head(key)
    if (!result.ok && head.turn !== undefined && head.turn !== holder)
      throw sessionBusy(key, head.turn)
    if (!result.ok)
      throw new AgentError(
        'conflict',
        `Session ${key.id} has ${head.seq} entries, not ${expected}: reload it`,
      )
    this.#database.notify(logOf(key))
    return head
  }

  async take(key: SessionKey, holder: string, signal: AbortSignal): Promise<string | undefined> {
    for (;;) {
      const now = this.#database.now()
      const { ok } = await this.#database.write([
        {
          ...beginSession('take the turn', {
            ...newLifeOf(key),
            holder,
            until: now + takenMs,
            now,
          }),
          expect: 1,
        },
      ])
      if (ok) return undefined
      const { turn } = await this.head(key)
      if (turn === undefined) continue
      if (signal.aborted) return turn
      await changeWithin(lookMs, this.#database, turnKey(key), signal)
    }
  }

  async release(key: SessionKey, holder: string): Promise<void> {
    await this.#database.write(releaseTurn(nameOf(key), holder, this.#database.now()))
    this.#database.notify(turnKey(key))
  }

  async read(key: SessionKey, from: number): Promise<readonly SessionEntry[]> {
    const entries = await this.#log.read(logOf(key), from)
    return entries.map(({ seq, body }) => ({ ...(body as SessionEntryBody & { at: string }), seq }))
  }

  async list(principal: string, agent: string): Promise<readonly SessionHead[]> {
    const rows = await this.#database.read(
      `SELECT s.*, l.seq FROM sessions s JOIN logs l ON l.id = 'session:' || s.name
        WHERE s.principal = ? AND s.agent = ? ORDER BY s.id`,
      [principal, agent],
    )
    return rows.map(headOf)
  }

  async delete(key: SessionKey): Promise<void> {
    await this.#database.write([
      ...deleteSession(nameOf(key), this.#database.now()),
      ...removeLog(logOf(key)),
    ])
    this.#database.notify(turnKey(key))
  }
}

const headOf = (row: Row): SessionHead => ({
  key: { principal: String(row['principal']), agent: String(row['agent']), id: String(row['id']) },
  seq: Number(row['seq'] ?? 0),
  start: Number(row['start']),
  generation: String(row['generation']),
  ...(typeof row['turn'] === 'string' && { turn: row['turn'] }),
})
