import { randomUUID } from 'node:crypto'
import type { Database } from '../database/database.js'

/** Reports that this process is alive, and lists the other live processes. */
export class LiveWorkers {
  readonly #database: Database
  readonly #leaseMs: number
  readonly #id = randomUUID()
  #beatAt = -Infinity
  #served = ''

  constructor(database: Database, leaseMs: number) {
    this.#database = database
    this.#leaseMs = leaseMs
  }

  /**
   * Says what this process serves, unless it said so a short while ago.
   *
   * @returns what live processes serve, after it was said; undefined if it was not said
   */
  async beat(served: readonly string[]): Promise<ReadonlySet<string> | undefined> {
    const text = JSON.stringify(served)
    if (performance.now() - this.#beatAt < this.#leaseMs / 3 && text === this.#served)
      return undefined
    this.#beatAt = performance.now()
    this.#served = text
    const now = this.#database.now()
    await this.#database.write([
      {
        sql: `INSERT INTO workers (id, queues, seen) VALUES (?, ?, ?)
          ON CONFLICT (id) DO UPDATE SET queues = excluded.queues, seen = excluded.seen`,
        params: [this.#id, text, now],
      },
      { sql: 'DELETE FROM workers WHERE seen < ?', params: [now - this.#leaseMs * 10] },
    ])
    return this.served()
  }

  /** The queues and versions that live processes serve. */
  async served(): Promise<ReadonlySet<string>> {
    const rows = await this.#database.read('SELECT queues FROM workers WHERE seen >= ?', [
      this.#database.now() - this.#leaseMs * 2,
    ])
    return new Set(rows.flatMap(({ queues }) => JSON.parse(String(queues)) as string[]))
  }

  /** Says that this process serves nothing any more. */
  async leave(): Promise<void> {
    this.#served = ''
    await this.#database.write([{ sql: 'DELETE FROM workers WHERE id = ?', params: [this.#id] }])
  }
}
