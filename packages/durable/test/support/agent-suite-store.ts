// Stands for `agent/src/session/memory-store.ts` in two test projects: each store is a durable one,
// in a database of its own.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { Database } from '../../src/database/database.js'
import { openPostgresDatabase } from '../../src/postgres/open-database.js'
import { openSqliteDatabase } from '../../src/sqlite/open-database.js'
import { createDurableStore, type DurableStore } from '../../src/store/durable-store.js'
import './shared-server.js'

const url = inject('agentSuite') === 'PostgreSQL' ? inject('postgresUrl') : undefined
let folder: string | undefined
let files = 0
const opened: Promise<Database>[] = []

export function createMemoryStore(): DurableStore {
  const ready = openDatabase()
  opened.push(ready)
  return createDurableStore(lazyDatabase(ready), {})
}

/** At the end of a test file: what it opened is closed and removed. */
export async function closeStores(): Promise<void> {
  for (const database of opened.splice(0)) await (await database).close()
  if (folder !== undefined) rmSync(folder, { recursive: true, maxRetries: 5, force: true })
  folder = undefined
}

/** A new, empty database. */
const openDatabase = (): Promise<Database> =>
  url
    ? openPostgresDatabase(url, {
        schema: `agent_${randomUUID().replaceAll('-', '_')}`,
        connections: 2,
      })
    : openSqliteDatabase(
        join(
          (folder ??= mkdtempSync(join(tmpdir(), 'modelport-agent-suite-'))),
          `store-${++files}.db`,
        ),
      )

/** A database that is still being opened: `createMemoryStore` does not wait. */
function lazyDatabase(ready: Promise<Database>): Database {
  return {
    lockRows: url ? ' FOR UPDATE SKIP LOCKED' : '',
    write: async (statements) => (await ready).write(statements),
    read: async (sql, params) => (await ready).read(sql, params),
    now: () => Date.now(),
    notify: (key) => void ready.then((database) => database.notify(key)),
    watch: (key, onChange) => {
      const stop = ready.then((database) => database.watch(key, onChange))
      return () => void stop.then((end) => end())
    },
    close: async () => (await ready).close(),
  }
}
