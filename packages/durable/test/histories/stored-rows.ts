// The databases of a history on a file and on a PostgreSQL server, by the store's own drivers. The
// world stands still while one of them answers, so that a history is the same there.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '../../src/database/database.js'
import { openPostgresDatabase } from '../../src/postgres/open-database.js'
import { openSqliteDatabase } from '../../src/sqlite/open-database.js'
import { findPostgres, startPostgres } from '../support/postgres-server.js'
import type { Side } from './cluster.js'
import type { Rows } from './virtual-database.js'

export const places = ['file', 'postgres'] as const
export type Place = (typeof places)[number]

/** Makes new databases for each history. */
export interface StoredRows {
  open(): Promise<Readonly<Record<Side, Rows>>>
  close(): Promise<void>
}

const tables: Readonly<Record<Place, string>> = {
  file: `SELECT name FROM sqlite_master WHERE type = 'table'`,
  postgres:
    'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()',
}

const rowsOf = (place: Place, database: Database): Rows => ({
  lockRows: database.lockRows,
  read: (sql, params) => database.read(sql, params),
  write: (statements) => database.write(statements),
  text: async () => {
    const all: string[] = []
    for (const { name } of await database.read(tables[place]))
      for (const row of await database.read(`SELECT * FROM "${name}"`))
        all.push(`${name} ${JSON.stringify(row)}`)
    return all.join('\n')
  },
  close: () => database.close(),
})

/** @returns undefined, with the reason printed, if the machine has no PostgreSQL */
export async function openRows(place: Place): Promise<StoredRows | undefined> {
  let opened = 0
  if (place === 'file') {
    const folder = mkdtempSync(join(tmpdir(), 'modelport-histories-'))
    const open = async (): Promise<Rows> =>
      rowsOf(place, await openSqliteDatabase(join(folder, `${++opened}.db`)))
    return {
      open: async () => ({ desk: await open(), bank: await open() }),
      close: () => {
        rmSync(folder, { recursive: true, force: true })
        return Promise.resolve()
      },
    }
  }

  const programs = findPostgres()
  if (programs === undefined) return undefined
  const server = await startPostgres(programs)
  const open = async (): Promise<Rows> =>
    rowsOf(
      place,
      await openPostgresDatabase(server.url, { schema: `h${++opened}`, connections: 2 }),
    )
  return {
    open: async () => ({ desk: await open(), bank: await open() }),
    close: () => server.stop(),
  }
}
