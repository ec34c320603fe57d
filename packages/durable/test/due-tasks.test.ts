import { createAgent } from '@modelport/agent'
import { expect, test } from 'vitest'
import type { Database } from '../src/database/database.js'
import { openSqliteDatabase } from '../src/sqlite/open-database.js'
import { createDurableStore } from '../src/store/durable-store.js'

test('a look for tasks that are due reads an index, however many tasks there are', async () => {
  const database = await openSqliteDatabase(':memory:')
  const asked: string[] = []
  let aheadMs = 0
  const noted: Database = {
    lockRows: database.lockRows,
    read: (sql, params) => {
      asked.push(sql)
      return database.read(sql, params)
    },
    write: (statements) => database.write(statements),
    // Later than the head start of the process that took the message.
    now: () => database.now() + aheadMs,
    notify: (key) => database.notify(key),
    watch: (key, onChange) => database.watch(key, onChange),
    close: () => database.close(),
  }
  const store = createDurableStore(noted, {})
  const at = new Date().toISOString()
  const record = {
    id: 'one',
    agent: 'clerk',
    principal: 'local',
    sessionId: 's',
    createdAt: at,
    metadata: {},
    flowState: {},
    context: { chain: ['clerk'] },
  }
  await store.tasks.create(record, [{ type: 'status', state: 'submitted', at, attempt: 1 }])
  aheadMs = 5000
  const card = { name: 'clerk', description: 'Works', version: '1' }
  await store.work({ agents: [createAgent({ card, handler: () => 'done' })], maxMs: 10_000 })

  const looks = asked.filter((sql) => sql.includes('r.crashes'))
  expect(looks.length).toBeGreaterThan(0)
  for (const sql of looks) {
    const count = sql.split('?').length - 1
    const plan = await database.read(`EXPLAIN QUERY PLAN ${sql}`, Array<number>(count).fill(1))
    expect(plan.map(({ detail }) => detail)).not.toContainEqual(expect.stringContaining('SCAN t'))
  }
  await store.close()
})
