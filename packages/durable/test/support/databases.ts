// The databases that the tests run on: SQLite always, PostgreSQL where the machine has it.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { inject, vi } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.js'
import type { Database } from '../../src/database/database.js'
import { openPostgresDatabase } from '../../src/postgres/open-database.js'
import { openSqliteDatabase } from '../../src/sqlite/open-database.js'
import './shared-server.js'

// Starting a server takes long on a loaded machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

export interface TestDatabase {
  readonly name: string
  readonly isMissing: boolean
  /** Opens the same database again at each call. */
  open(): Promise<Database>
}

const url = inject('postgresUrl')
const tested = inject('testedDatabases')

/** `npm test` runs on SQLite, and `.ci/run` on PostgreSQL as well: vitest.config.ts. */
export const isTested = (database: 'SQLite' | 'PostgreSQL'): boolean => tested.includes(database)

if (isTested('PostgreSQL') && url === '') console.log('skipped: PostgreSQL is not installed')
const schema = (): string => `store_${randomUUID().replaceAll('-', '')}`

/** Call it once per file. */
export function testDatabases(): readonly TestDatabase[] {
  const folder = temporaryFolder('durable')
  const own = schema()
  return [
    {
      name: 'SQLite',
      isMissing: !isTested('SQLite'),
      open: () => openSqliteDatabase(join(folder, 'store.db')),
    },
    {
      name: 'PostgreSQL',
      isMissing: url === '',
      open: () => openPostgresDatabase(url, { schema: own, connections: 4 }),
    },
  ]
}

/** As `testDatabases`, but every `open` gives a new, empty database. */
export function emptyDatabases(): readonly TestDatabase[] {
  let count = 0
  const folder = temporaryFolder('durable')
  return [
    {
      name: 'SQLite',
      isMissing: !isTested('SQLite'),
      open: () => openSqliteDatabase(join(folder, `store-${++count}.db`)),
    },
    {
      name: 'PostgreSQL',
      isMissing: url === '',
      open: () => openPostgresDatabase(url, { schema: schema(), connections: 4 }),
    },
  ]
}
