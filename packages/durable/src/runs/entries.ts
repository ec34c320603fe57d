import type { BudgetSnapshot, JournalEntry } from '@modelport/runtime'
import type { BodyCodec } from '../database/body-codec.js'
import type { Database } from '../database/database.js'
import { placeOfEntry } from '../database/event-log.js'
import { lengthen } from '../database/short-form.js'
import { journalOf } from './run-table.js'

/** The columns of an event of a run. */
export const columnsOfEvent = ({
  kind,
  seq,
}: {
  readonly kind: string
  readonly seq: number
}): object => ({
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
  const rows = await database.read(
    'SELECT seq, kind, body FROM entries WHERE log = ? AND seq > ? ORDER BY seq',
    [journalOf(id), after],
  )
  let before: JournalEntry | undefined
  return rows.map((row) => {
    const kind = String(row['kind'])
    const place = placeOfEntry({ log: journalOf(id), seq: Number(row['seq']), kind })
    const body = codec.decode(row['body'], place) as object
    const stored = lengthen(body, idOfRun(id), columnsOfEntry(kind))
    return (before = afterEntry(stored as StoredEntry, before))
  })
}

/** An entry that leaves out what the one before it in its log has too. */
type StoredEntry = Omit<JournalEntry, 'budget'> & { readonly budget: Partial<BudgetSnapshot> }

/**
 * The form of an entry that is stored after another one. The first after a checkpoint is whole:
 * readers begin there.
 */
export function sinceEntry(entry: JournalEntry, before: JournalEntry | undefined): object {
  if (!before) return entry
  const { runId, step, attempt, budget, ...own } = entry
  return {
    ...own,
    ...(runId !== before.runId && { runId }),
    ...(step !== before.step && { step }),
    ...(attempt !== before.attempt && { attempt }),
    budget: sinceSnapshot(budget, before.budget),
  }
}

function sinceSnapshot(budget: BudgetSnapshot, before: BudgetSnapshot): Partial<BudgetSnapshot> {
  const { spent, elapsedMs, currency, warned } = budget
  const isAlike = currency === before.currency && warned.length === before.warned.length
  if (!isAlike || Object.keys(before.spent).some((name) => !(name in spent))) return budget
  const changed = Object.entries(spent).filter(([name, amount]) => amount !== before.spent[name])
  return { elapsedMs, ...(changed.length > 0 && { spent: Object.fromEntries(changed) }) }
}

function afterEntry(stored: StoredEntry, before: JournalEntry | undefined): JournalEntry {
  const { runId, step, attempt, budget } = before ?? {}
  const spent = { ...budget?.spent, ...stored.budget.spent }
  const whole = 'warned' in stored.budget ? stored.budget : { ...budget, ...stored.budget, spent }
  return { ...(before && { runId, step, attempt }), ...stored, budget: whole } as JournalEntry
}
