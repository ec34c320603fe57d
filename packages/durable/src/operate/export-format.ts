import type { BodyCodec } from '../database/body-codec.js'
import type { Row, SqlValue, Statement } from '../database/database.js'

/** Columns of the tables that are exported, and which of them are bodies. Leases and workers are not. */
const tables: Readonly<Record<TableName, { readonly columns: readonly string[]; readonly bodies: readonly string[] }>> =
  {
    logs: { columns: ['id', 'seq', 'kept'], bodies: [] },
    entries: { columns: ['log', 'seq', 'kind', 'body'], bodies: ['body'] },
    runs: {
      columns: [
        ...'id queue version status epoch due phase crashes tries checks mark journal transcript events mail'.split(
          ' ',
        ),
        ...'accepts trimmed fingerprint input checkpoint result cancel created updated'.split(' '),
      ],
      bodies: ['input', 'checkpoint', 'result', 'cancel'],
    },
    inbox: { columns: ['id', 'run', 'about', 'at', 'body'], bodies: ['body'] },
    outbox: { columns: ['id', 'stream', 'seq', 'body', 'due', 'tries', 'held', 'dead', 'agent'], bodies: ['body'] },
    tasks: { columns: ['id', 'principal', 'agent', 'session', 'state', 'at', 'record'], bodies: ['record'] },
    sessions: { columns: ['name', 'principal', 'agent', 'id', 'start', 'holder'], bodies: [] },
    documents: { columns: ['kind', 'id', 'owner', 'sort', 'body'], bodies: [] },
  }

/** A table that is exported. */
export type TableName = 'logs' | 'entries' | 'runs' | 'inbox' | 'outbox' | 'tasks' | 'sessions' | 'documents'

/** The first line of an export. */
export interface ExportHeader {
  readonly format: 'modelport-durable'
  readonly version: 3
  readonly schema: number
  /** True if bodies were changed, so that the export cannot be imported. */
  readonly redacted: boolean
}

/** Each line between the first and the last: a task, run or conversation with all its rows. */
export interface ExportUnit {
  readonly type: 'task' | 'run' | 'session'
  readonly id: string
  readonly rows: readonly (readonly [TableName, Readonly<Record<string, unknown>>])[]
}

/** The last line: without it, the export was cut off. */
export interface ExportEnd {
  readonly type: 'end'
}

/** A row with decoded bodies. */
export function decodeRow(
  table: TableName,
  row: Row,
  codec: BodyCodec,
  redact: (body: unknown) => unknown,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    tables[table].columns.map((column) => {
      const value = row[column] ?? null
      return [column, value !== null && tables[table].bodies.includes(column) ? redact(codec.decode(value)) : value]
    }),
  )
}

/** The mark of an imported run in place of a holder. */
const heldBy: Readonly<Record<string, SqlValue>> = { holder: null, alone: 0, progress: 0 }

/** The statement that inserts an exported row. @throws {TypeError} the row or a value is not of the format */
export function insertRow(table: string, row: Readonly<Record<string, unknown>>, codec: BodyCodec): Statement {
  if (!Object.hasOwn(tables, table)) throw new TypeError(`there is no table "${table}"`)
  const name = table as TableName
  const { columns } = tables[name]
  const more = name === 'runs' ? heldBy : {}
  const values = columns.map((column): SqlValue => {
    const value = row[column] ?? null
    if (value !== null && tables[name].bodies.includes(column)) return codec.encode(value)
    if (value === null || typeof value === 'string' || typeof value === 'number') return value
    throw new TypeError(`${table}.${column} is ${typeof value}; expected a string or a number`)
  })
  return {
    sql: `INSERT INTO ${table} (${[...columns, ...Object.keys(more)].join(', ')}) VALUES (${[...values, ...Object.keys(more)].map(() => '?').join(', ')}) ON CONFLICT DO NOTHING`,
    params: [...values, ...Object.values(more)],
    expect: 1,
  }
}
