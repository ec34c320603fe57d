import type { Database, Row } from '../database/database.js'

/** Settles a row of the outbox: deletes it, gives it up, or makes it due again after one more attempt. */
export async function settleRow(
  database: Database,
  id: string,
  attempts: number,
  outcome: 'delete' | 'dead' | { readonly retryAt: number },
): Promise<void> {
  await database.write([
    outcome === 'delete'
      ? { sql: 'DELETE FROM outbox WHERE id = ?', params: [id] }
      : outcome === 'dead'
        ? { sql: 'UPDATE outbox SET dead = ? WHERE id = ?', params: [database.now(), id] }
        : {
            sql: 'UPDATE outbox SET due = ?, tries = ?, held = 0 WHERE id = ?',
            params: [outcome.retryAt, attempts + 1, id],
          },
  ])
}

/** The time in the column `due` of a query's one row; undefined if there is none. */
export const dueOf = ([row]: readonly Row[]): number | undefined =>
  row === undefined || row['due'] === null ? undefined : Number(row['due'])
