// The databases that the tests run on: SQLite always, PostgreSQL where the machine has it.
import { join } from 'node:path'
import { afterAll, vi } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.js'
import type { Database } from '../../src/database/database.js'
import { openPostgresDatabase } from '../../src/postgres/postgres.js'
import { openSqliteDatabase } from '../../src/sqlite/sqlite.js'
import { findPostgres, type PostgresServer, startPostgres } from './postgres-server.js'

// Starting a server takes long on a loaded machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

export interface TestDatabase {
  readonly name: string
  readonly isMissing: boolean
  /** Opens the same database again at each call. */
  open(): Promise<Database>
}

const programs = findPostgres()
let server: Promise<PostgresServer> | undefined
const sharedServer = (): Promise<PostgresServer> => (server ??= startPostgres(programs ?? ''))

/** Call it once per file. */
export function testDatabases(): readonly TestDatabase[] {
  const folder = temporaryFolder('durable')
  afterAll(async () => {
    await (await server)?.stop()
    server = undefined
  })
  return [
    { name: 'SQLite', isMissing: false, open: () => openSqliteDatabase(join(folder, 'store.db')) },
    {
      name: 'PostgreSQL',
      isMissing: programs === undefined,
      open: async () => openPostgresDatabase((await sharedServer()).url),
    },
  ]
}

/** As `testDatabases`, but every `open` gives a new, empty database. */
export function emptyDatabases(): readonly TestDatabase[] {
  let count = 0
  const folder = temporaryFolder('durable')
  const [, { isMissing }] = testDatabases() as [TestDatabase, TestDatabase]
  return [
    { name: 'SQLite', isMissing: false, open: () => openSqliteDatabase(join(folder, `store-${++count}.db`)) },
    {
      name: 'PostgreSQL',
      isMissing,
      open: async () => openPostgresDatabase((await sharedServer()).url, { schema: `store_${++count}` }),
    },
  ]
}
