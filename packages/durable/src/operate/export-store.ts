import { cancelsOf } from '../agents/sql-child-cancels.js'
import { nameOfTask } from '../agents/sql-inbox.js'
import { logOf as logOfTask } from '../agents/sql-tasks.js'
import type { Row, Statement } from '../database/database.js'
import { schemaVersion } from '../database/schema.js'
import type { RunParts } from '../runs/held-run.js'
import { eventsOf, journalOf, transcriptOf } from '../runs/run-table.js'
import { decodeRow, type ExportEnd, type ExportHeader, type ExportUnit, type TableName } from './export-format.js'

/** How a store is exported. */
export interface ExportOptions {
  /**
   * Called for each message, argument, result and other body; the returned value is exported in its place. Such an export has no addresses of
   * notifications and cannot be imported. Default: everything is exported as it is, in clear text and with credentials.
   */
  readonly redact?: ((body: unknown) => unknown) | undefined
}

type Query = readonly [table: TableName, where: string, ...params: readonly string[]]

const page = 200

/** The store as lines of JSON. */
export async function* exportStore(parts: RunParts, { redact }: ExportOptions): AsyncGenerator<string, void> {
  const header: ExportHeader = {
    format: 'modelport-durable',
    version: 3,
    schema: schemaVersion,
    redacted: redact !== undefined,
  }
  yield JSON.stringify(header)
  for await (const { id, principal } of rowsOf(parts, 'SELECT id, principal FROM tasks', 'id'))
    yield* line(parts, 'task', id, queriesOfTask(String(principal), id), redact)
  for await (const { id } of rowsOf(parts, `SELECT id FROM runs WHERE id NOT LIKE 'task:%'`, 'id'))
    yield* line(parts, 'run', id, queriesOfRun(id), redact)
  for await (const { id } of rowsOf(parts, 'SELECT name AS id FROM sessions', 'name'))
    yield* line(parts, 'session', id, queriesOfLog('sessions', 'name = ?', id, `session:${id}`), redact)
  yield JSON.stringify({ type: 'end' } satisfies ExportEnd)
}

async function* rowsOf({ database }: RunParts, select: string, key: string): AsyncGenerator<Row & { id: string }> {
  const and = select.includes(' WHERE ') ? 'AND' : 'WHERE'
  for (let last = ''; ; ) {
    const rows = await database.read(`${select} ${and} ${key} > ? ORDER BY ${key} LIMIT ${page}`, [last])
    for (const row of rows) yield { ...row, id: (last = String(row['id'])) }
    if (rows.length < page) return
  }
}

async function* line(
  { database, codec }: RunParts,
  type: ExportUnit['type'],
  id: string,
  queries: readonly Query[],
  redact: ExportOptions['redact'],
): AsyncGenerator<string, void> {
  const kept = redact ? queries.filter(([table]) => table !== 'outbox') : queries
  const statements = kept.map(
    ([table, where, ...params]): Statement => ({ sql: `SELECT * FROM ${table} WHERE ${where}`, params }),
  )
  const found = await database.snapshot(statements)
  const rows = kept.flatMap(([table], index) =>
    (found[index] ?? []).map((row) => [table, decodeRow(table, row, codec, redact ?? ((body) => body))] as const),
  )
  // Removed since its id was read.
  if (found[0]?.length) yield JSON.stringify({ type, id, rows } satisfies ExportUnit)
}

const queriesOfLog = (table: TableName, where: string, id: string, log: string): readonly Query[] => [
  [table, where, id],
  ['logs', 'id = ?', log],
  ['entries', 'log = ? ORDER BY seq', log],
]

const queriesOfRun = (id: string): readonly Query[] => [
  ['runs', 'id = ?', id],
  ...[eventsOf(id), journalOf(id), transcriptOf(id)].map((log): Query => ['entries', 'log = ? ORDER BY seq', log]),
  ['inbox', 'run = ? ORDER BY at, id', id],
]

function queriesOfTask(principal: string, id: string): readonly Query[] {
  const owner = nameOfTask({ principal, id })
  return [
    ...queriesOfLog('tasks', 'id = ?', id, logOfTask(id)),
    ['logs', 'id = ?', `inbox:${owner}`],
    ['entries', 'log = ? ORDER BY seq', `inbox:${owner}`],
    ['documents', `owner = ? AND kind = 'approval'`, owner],
    ['documents', `owner = ? AND kind = 'message'`, id],
    ['outbox', 'stream = ?', cancelsOf(owner)],
    ...queriesOfRun(`task:${id}`),
  ]
}
