import type { JournalEntry } from '@modelport/runtime'
import type { BodyCodec } from '../database/body-codec.js'
import type { Database } from '../database/database.js'
import { lengthen } from '../database/short-form.js'
import { journalOf } from './run-table.js'

/** The columns of an event of a run. */
export const columnsOfEvent = ({ kind, seq }: { readonly kind: string; readonly seq: number }): object => ({
  type: kind,
  seq,
})

/** The column of an entry of a journal. */
export function columnsOfEntry(column: string): object {
  const [entry, kind] = column.split(' ')
  return { entry, kind }
}

/** The id in the keys of a run: the id of the task for the run of a task. */
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
