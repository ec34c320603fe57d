import {
  AgentError,
  type Inbox,
  type InboxItem,
  type InboxItemBody,
  type TaskKey,
} from '@modelport/agent'
import type { BodyCodec } from '../database/body-codec.js'
import type { Database } from '../database/database.js'
import { EventLog } from '../database/event-log.js'

/** A principal may hold any text: JSON keeps the parts of a key apart. */
export const nameOfTask = ({ principal, id }: TaskKey): string => JSON.stringify([principal, id])

/** What others sent to tasks. */
export class SqlInbox implements Inbox {
  readonly #database: Database
  readonly #log: EventLog

  constructor(database: Database, codec: BodyCodec) {
    this.#database = database
    this.#log = new EventLog(database, codec)
  }

  async put(key: TaskKey, item: InboxItemBody, at: string): Promise<void> {
    const { principal, id } = key
    // A message for a task that is forgotten meanwhile would stay behind.
    const isThere = {
      sql: 'UPDATE tasks SET place = place WHERE id = ? AND principal = ?',
      params: [id, principal],
      expect: 1,
    }
    const entry = { kind: item.type, body: { ...item, at } }
    if (await this.#log.push(`inbox:${nameOfTask(key)}`, entry, isThere)) return
    throw new AgentError('task-not-found', 'Task not found', { metadata: { taskId: id } })
  }

  async pending(key: TaskKey): Promise<readonly InboxItem[]> {
    const name = `inbox:${nameOfTask(key)}`
    const [row] = await this.#database.read('SELECT kept FROM logs WHERE id = ?', [name])
    if (!row) return []
    const entries = await this.#log.read(name, Number(row['kept']) + 1)
    return entries.map(({ seq, body }) => ({ ...(body as InboxItemBody & { at: string }), seq }))
  }

  async take(key: TaskKey, upTo: number): Promise<void> {
    const log = `inbox:${nameOfTask(key)}`
    await this.#database.write([
      { sql: 'UPDATE logs SET kept = ? WHERE id = ? AND kept < ?', params: [upTo, log, upTo] },
      { sql: 'DELETE FROM entries WHERE log = ? AND seq <= ?', params: [log, upTo] },
    ])
  }
}
