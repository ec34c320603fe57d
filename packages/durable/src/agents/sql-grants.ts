import type { ResultGrant, TaskKey } from '@modelport/agent'
import type { BodyCodec, BodyPlace } from '../database/body-codec.js'
import type { Database, SqlValue } from '../database/database.js'

/** Where the grant of a secret is. */
const placeOf = (digest: string, task: string): BodyPlace => ['documents', digest, task]

/** What secrets of calls are good for, by their digests. They are removed with their task. */
export class SqlGrants {
  readonly #database: Database
  readonly #codec: BodyCodec

  constructor(database: Database, codec: BodyCodec) {
    this.#database = database
    this.#codec = codec
  }

  async add({ id }: TaskKey, digest: string, call: string): Promise<void> {
    await this.#database.write([
      {
        sql: `INSERT INTO documents (kind, id, owner, sort, body) VALUES ('grant', ?, ?, 0, ?)`,
        params: [digest, id, this.#codec.encode({ call }, placeOf(digest, id))],
      },
    ])
  }

  async take(digest: string, content: string): Promise<ResultGrant | undefined> {
    for (;;) {
      const [row] = await this.#database.read(
        `SELECT d.body, d.owner, t.principal FROM documents d JOIN tasks t ON t.id = d.owner
          WHERE d.kind = 'grant' AND d.id = ?`,
        [digest],
      )
      if (!row) return undefined
      const id = String(row['owner'])
      const place = placeOf(digest, id)
      const grant = this.#codec.decode(row['body'], place) as StoredGrant
      const key = { principal: String(row['principal']), id }
      const { call } = grant
      if (grant.content !== undefined) return { key, call, content: grant.content }

      const taken: StoredGrant = { call, content }
      const result = await this.#database.write([
        {
          sql: `UPDATE documents SET body = ? WHERE kind = 'grant' AND id = ? AND body = ?`,
          params: [this.#codec.encode(taken, place), digest, row['body'] as SqlValue],
          expect: 1,
        },
      ])
      if (result.ok) return { key, call, content }
      // Another result was first: it is read.
    }
  }
}

/** A grant, with the result that came first once one has. */
type StoredGrant = Pick<ResultGrant, 'call'> & Partial<Pick<ResultGrant, 'content'>>
