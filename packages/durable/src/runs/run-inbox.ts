import type { ResumeDecision } from '@modelport/runtime'
import type { BodyCodec } from '../database/body-codec.js'
import type { Database, Statement } from '../database/database.js'

/** What waits for the holder of a run. */
export type RunMail =
  | { readonly kind: 'decision'; readonly decision: ResumeDecision }
  | { readonly kind: 'cancel'; readonly reason: string }

/** Under which key mail of a run is notified. */
export const mailKey = (run: string): string => `mail:${run}`

const untaken = 'SELECT id FROM inbox WHERE run = ? AND taken IS NULL'

/** What people and other processes send to runs. Only the holder of a run applies it. */
export class RunInbox {
  readonly #database: Database
  readonly #codec: BodyCodec

  constructor(database: Database, codec: BodyCodec) {
    this.#database = database
    this.#codec = codec
  }

  /** Stores the mail; false if the same item was decided before, since the first decision counts, or the run is over. */
  async put(run: string, mail: RunMail): Promise<boolean> {
    const id = mail.kind === 'cancel' ? 'cancel' : `decision ${mail.decision.id}`
    const result = await this.#database.write([
      {
        // An update, so that it waits for a holder that ends its hold at the same time.
        sql: `UPDATE runs SET updated = updated WHERE id = ? AND status IN ('ready', 'running', 'suspended')`,
        params: [run],
        expect: 1,
      },
      {
        sql: 'INSERT INTO inbox (id, run, at, kind, body) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
        params: [JSON.stringify([run, id]), run, this.#database.now(), mail.kind, this.#codec.encode(mail)],
        expect: 1,
      },
    ])
    if (result.ok) this.#database.notify(mailKey(run))
    return result.ok
  }

  /** What was not taken yet, in order. */
  async pending(run: string): Promise<readonly RunMail[]> {
    const rows = await this.#database.read('SELECT body FROM inbox WHERE run = ? AND taken IS NULL ORDER BY at, id', [
      run,
    ])
    return rows.map(({ body }) => this.#codec.decode(body) as RunMail)
  }

  /** The statement that fails if a cancel waits. */
  refuseCanceled(run: string): Statement {
    return { sql: `${untaken} AND kind = 'cancel'`, params: [run], expect: 0 }
  }

  /** The statement that fails if more waits than what the holder has seen. */
  expectSeen(run: string, seen: number): Statement {
    return { sql: untaken, params: [run], expect: seen }
  }

  /** The statement that marks everything as applied; a decision about another item may then use the same call id again. */
  takeAll(run: string): Statement {
    return {
      sql: `UPDATE inbox SET taken = ?, id = id || ' taken ' || ? WHERE run = ? AND taken IS NULL`,
      params: [this.#database.now(), `${this.#database.now()} ${Math.random().toString(36).slice(2)}`, run],
    }
  }
}
