// Set-up of two test projects: the tests of `agent` with a SQLite or PostgreSQL store wherever they would have a memory store.
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { mkdtempSync, rmSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeEach, inject, vi } from 'vitest'
import type { Database } from '../../src/database/database.js'
import type { DurableEngine } from '../../src/engine/engine.js'
import { createDurableStore } from '../../src/store/durable-store.js'
import { openPostgresDatabase } from '../../src/postgres/postgres.js'
import { openSqliteDatabase } from '../../src/sqlite/sqlite.js'
import './agent-suite-server.js'

const url = inject('agentSuiteUrl') as string | undefined
beforeEach((context) => {
  if (url === '') context.skip('PostgreSQL is not installed')
})

const folder = mkdtempSync(join(tmpdir(), 'modelport-agent-suite-'))
const opened: Promise<Database>[] = []
afterAll(async () => {
  for (const database of opened.splice(0)) await (await database).close()
  rmSync(folder, { recursive: true, maxRetries: 5, force: true })
})

/** A new, empty database. */
const openDatabase = (): Promise<Database> =>
  url
    ? openPostgresDatabase(url, { schema: `agent_${randomUUID().replaceAll('-', '_')}`, connections: 2 })
    : openSqliteDatabase(join(folder, `store-${opened.length}.db`))

/** A database that is still being opened: `createMemoryStore` does not wait. */
function lazyDatabase(ready: Promise<Database>): Database {
  const engine = <Name extends keyof DurableEngine>(name: Name) =>
    (async (...given: unknown[]) =>
      ((await ready).engine[name] as (...given: unknown[]) => Promise<unknown>).apply(
        (await ready).engine,
        given,
      )) as unknown as DurableEngine[Name]
  return {
    engine: {
      start: engine('start'),
      claim: engine('claim'),
      extend: engine('extend'),
      sleep: engine('sleep'),
      wake: engine('wake'),
      finish: engine('finish'),
      cancel: engine('cancel'),
      isLive: engine('isLive'),
      prune: engine('prune'),
    },
    write: async (statements) => (await ready).write(statements),
    read: async (sql, params) => (await ready).read(sql, params),
    snapshot: async (statements) => (await ready).snapshot(statements),
    now: () => Date.now(),
    notify: (key) => void ready.then((database) => database.notify(key)),
    watch: (key, onChange) => {
      const stop = ready.then((database) => database.watch(key, onChange))
      return () => void stop.then((end) => end())
    },
    close: async () => (await ready).close(),
  }
}

vi.mock('../../../agent/src/session/memory-store.js', () => ({
  createMemoryStore: () => {
    const ready = openDatabase()
    opened.push(ready)
    return createDurableStore(lazyDatabase(ready), {})
  },
}))
