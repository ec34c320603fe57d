// What `prune` takes at a time, counted, and what a worker can do meanwhile.
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import type { Database } from '../src/database/database.js'
import { createDurableStore } from '../src/store/durable-store.js'
import { emptyDatabases } from './support/databases.js'
import { finalResult } from './support/journal-entries.js'

/** Runs that are over, and the events of the first of them. */
const runs = 45
const events = 3500
/** How long each batch is made to take at least, in milliseconds. */
const batchMs = 40

const done = () => Promise.resolve(finalResult('done'))

async function addEvents(database: Database): Promise<void> {
  const row = (seq: number) => `('run:r0', ${seq}, 'text-delta', '{}')`
  const values = Array.from({ length: events }, (_, index) => row(1000 + index)).join(', ')
  await database.write([{ sql: `INSERT INTO entries (log, seq, kind, body) VALUES ${values}` }])
}

const rowsOf = async (database: Database): Promise<number> => {
  const tables = ['entries', 'logs', 'runs', 'inbox']
  const sums = tables.map((table) => `(SELECT count(*) FROM ${table})`).join(' + ')
  return Number((await database.read(`SELECT ${sums} AS n`))[0]?.['n'])
}

for (const { name, isMissing, open } of emptyDatabases())
  describe.skipIf(isMissing)(name, () => {
    test.each([
      ['all', { runs, batches: 8 }],
      ['pieces', { pieces: events, batches: 8 }],
    ] as const)(
      'prune of %s removes at most 1,000 rows at a time, and a worker claims and ends a run between any two batches',
      async (what, expected) => {
        const [database, observer, others] = [await open(), await open(), await open()]
        const store = createDurableStore(database, {})
        for (let index = 0; index < runs; index++) await store.runs.run(`r${index}`, done)
        await addEvents(database)
        const before = database.now() + 1
        await sleep(5)

        const otherStore = createDurableStore(others, {})
        let executed = 0
        const execute = () => done().finally(() => executed++)
        const definition = { name: 'job', fingerprint: {}, execute }
        const worker = otherStore.runs.work([definition])
        const removed: number[] = []
        const pauses: number[] = []
        let endedAt: number | undefined
        const write = database.write.bind(database)
        vi.spyOn(database, 'write').mockImplementation(async (statements) => {
          if (endedAt !== undefined) pauses.push(performance.now() - endedAt)
          // Nothing of it is open: another process claims a run, and ends it.
          const id = `new-${removed.length}`
          await otherStore.runs.start(id, definition)
          await expect.poll(async () => (await otherStore.runs.get(id)).status).toBe('finished')
          const rows = await rowsOf(observer)
          const [result] = await Promise.all([write(statements), sleep(batchMs)])
          removed.push(rows - (await rowsOf(observer)))
          endedAt = performance.now()
          return result
        })
        const { batches, ...report } = expected
        expect(await store.operations.prune({ before, what })).toMatchObject(report)
        expect(removed.length).toBeGreaterThanOrEqual(batches)
        expect(executed).toBe(removed.length)
        expect(Math.max(...removed)).toBeLessThanOrEqual(1000)
        for (const pause of pauses) expect(pause).toBeGreaterThanOrEqual(batchMs - 2)
        await worker.stop()
        await Promise.all([store.close(), otherStore.close(), observer.close()])
      },
    )
  })

test.each(['all', 'pieces'] as const)(
  'each page of a prune of %s is one look into an index: nothing is scanned or sorted',
  async (what) => {
    const [sqlite] = emptyDatabases()
    const database = await sqlite?.open()
    if (!database) throw new Error('SQLite is there always')
    const asked: string[] = []
    const noted: Database = {
      lockRows: database.lockRows,
      write: (statements) => database.write(statements),
      read: (sql, params) => {
        asked.push(sql)
        return database.read(sql, params)
      },
      now: () => database.now(),
      notify: (key) => database.notify(key),
      watch: (key, onChange) => database.watch(key, onChange),
      close: () => database.close(),
    }
    const store = createDurableStore(noted, {})
    await store.runs.run('r', done)
    asked.length = 0
    await store.operations.prune({ before: database.now() + 1, what })
    expect(asked.length).toBeGreaterThan(2)
    for (const sql of asked) {
      const count = sql.split('?').length - 1
      const plan = await database.read(`EXPLAIN QUERY PLAN ${sql}`, Array<number>(count).fill(1))
      const steps = plan.map(({ detail }) => String(detail))
      expect(steps.filter((step) => /^SCAN|TEMP B-TREE FOR ORDER/.test(step))).toEqual([])
    }
    await store.close()
  },
)
