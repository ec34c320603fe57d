// Set-up of a test project: the tests of `agent` with a SQLite store wherever they would have a memory store.
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { mkdtempSync, rmSync } from 'node:fs'
import { afterAll, vi } from 'vitest'
import type { Database } from '../../src/database/database.js'
import type { DurableEngine } from '../../src/engine/engine.js'
import { createDurableStore } from '../../src/durable-store.js'
import { openSqliteDatabase } from '../../src/sqlite/sqlite.js'

const folder = mkdtempSync(join(tmpdir(), 'modelport-agent-suite-'))
const opened: Promise<Database>[] = []
afterAll(async () => {
  for (const database of opened.splice(0)) await (await database).close()
  rmSync(folder, { recursive: true, force: true })
})

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
    const ready = openSqliteDatabase(join(folder, `store-${opened.length}.db`))
    opened.push(ready)
    return createDurableStore(lazyDatabase(ready), {})
  },
}))
