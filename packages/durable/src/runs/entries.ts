import type { JournalEntry } from '@modelport/runtime'
import type { BodyCodec } from '../database/body-codec.js'
import type { Database } from '../database/database.js'
import { lengthen } from '../database/short-form.js'
import { journalOf } from './run-table.js'

/** What the columns say of an event of a run. */
export const columnsOfEvent = ({ kind, seq }: { readonly kind: string; readonly seq: number }): object => ({
  type: kind,
  seq,
})

/** What the column says of an entry of a journal. */
export function columnsOfEntry(column: string): object {
  const [entry, kind] = column.split(' ')
  return { entry, kind }
}

/** The id that is in the keys of a run: that of the task, if it is one. */
export const idOfRun = (id: string): string => (id.startsWith('task:') ? id.slice(5) : id)

/** What the journal has about a run after an entry, in order. */
export async function readJournal(
  { database, codec }: { readonly database: Database; readonly codec: BodyCodec },
  id: string,
  after: number = 0,
): Promise<readonly JournalEntry[]> {
  const rows = await database.read('SELECT kind, body FROM entries WHERE log = ? AND seq > ? ORDER BY seq', [
    journalOf(id),
    after,
  ])
  return rows.map(
    ({ kind, body }) =>
      lengthen(codec.decode(body) as object, idOfRun(id), columnsOfEntry(String(kind))) as JournalEntry,
  )
}
