// Decisions that reach a run while clocks differ, or while somebody works on it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../src/database/database.js'
import { createDurableStore, type DurableStore } from '../src/store/durable-store.js'
import { work } from './kill/adapter/script.js'
import { emptyDatabases } from './support/databases.js'

/** The database as a process sees it whose clock is behind. */
const behind = (database: Database, ms: number): Database =>
  new Proxy(database, {
    get: (target, name) => {
      if (name === 'now') return () => target.now() - ms
      const value = target[name as keyof Database] as unknown
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value
    },
  })

for (const { name, isMissing, open } of emptyDatabases())
  describe.skipIf(isMissing)(name, () => {
    let database: Database
    let store: DurableStore
    beforeAll(async () => {
      database = await open()
      store = createDurableStore(database, {})
    })
    afterAll(() => database.close())

    test('the next run applies a decision, although its clock is behind that of the process that stored it', async () => {
      const late = createDurableStore(behind(database, 500), {})
      const run = () => late.runs.run('late', (held) => work(held, 'late [["pay"]]', () => Promise.resolve('paid'), 1))
      expect(await run()).toMatchObject({ status: 'suspended', pending: [{ id: 'pay-0' }] })
      await store.operations.decide('late', { type: 'approve' })
      expect(await run()).toMatchObject({ status: 'final' })
    })

    test('a decision that comes while another one is applied is applied next', async () => {
      const prompt = 'both [["pay","refused"]]'
      let decide: Promise<void> | undefined
      const run = () =>
        store.runs.run('both', (held) =>
          work(
            held,
            prompt,
            async () => {
              decide = store.operations.decide('both', { type: 'deny', reason: 'not this one' }, 'refused-0')
              await decide
              return 'paid'
            },
            1,
          ),
        )
      expect(await run()).toMatchObject({ status: 'suspended', pending: [{ id: 'pay-0' }, { id: 'refused-0' }] })
      await store.operations.decide('both', { type: 'approve' }, 'pay-0')
      expect(await run()).toMatchObject({ status: 'final' })
      expect(decide).toBeDefined()
    })
  })
