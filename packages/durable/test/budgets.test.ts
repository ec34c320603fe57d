// Shared budgets in both databases, and in the transactions of a run's journal.
import { createMock } from '@modelport/provider-mock'
import { infer, type SharedLimits } from '@modelport/runtime'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { budgetCases } from '../../../test/store-contract/budgets.js'
import type { Database } from '../src/database/database.js'
import { createDurableStore, type DurableStore } from '../src/store/durable-store.js'
import { emptyDatabases } from './support/databases.js'

for (const { name, isMissing, open } of emptyDatabases())
  describe.skipIf(isMissing)(name, () => {
    let database: Database
    let store: DurableStore
    beforeEach(async () => {
      database = await open()
      store = createDurableStore(database, {})
    })
    afterEach(() => database.close())

    test.each(budgetCases)('$title', async ({ run }) => {
      await run(store.budgets)
    })

    const prices = { input: 1000, output: 1000 }
    const provider = () =>
      createMock({ defaultResponse: 'Hi', usage: { inputTokens: 10, outputTokens: 5 } })

    test('a durable run takes its room with the intent and settles it with the receipt', async () => {
      const limits: SharedLimits = { window: 'day', maxCost: 1, maxCalls: 2 }
      const ask = (id: string) =>
        store.runs.run(id, (run) =>
          infer(
            provider(),
            run.request({
              query: 'Hello',
              options: { maxTokens: 10 },
              limits: { budget: store.budgets.of('ada', limits), profile: { prices } },
            }),
          ),
        )
      expect(await ask('one')).toMatchObject({ status: 'final', text: 'Hi' })
      expect(await store.budgets.list('ada')).toMatchObject([
        { used: { calls: 1, tokens: 15, cost: 0.015 }, reserved: { calls: 0 } },
      ])
      const rows = await database.read(`SELECT kind FROM entries WHERE log = 'journal:one'`)
      expect(rows.map(({ kind }) => kind)).toEqual(['intent model', 'receipt model'])
      await ask('two')
      expect(await ask('three')).toMatchObject({
        status: 'budget',
        decision: { limit: 'maxCalls', budget: { owner: 'ada', window: 'day' } },
      })
      // Nothing was begun: there is no intent.
      const third = await database.read(`SELECT kind FROM entries WHERE log = 'journal:three'`)
      expect(third).toEqual([])
      expect(await store.budgets.list('ada')).toMatchObject([{ used: { calls: 2 } }])
    })

    test('a call that ended with its process stays charged in full, and is made and charged again', async () => {
      const limits: SharedLimits = { maxTokens: 1000 }
      const dead = new AbortController()
      const request = {
        query: 'Hello',
        options: { maxTokens: 100 },
        limits: { budget: store.budgets.of('bob', limits) },
      }
      const first = store.runs.run(
        'lost',
        (run) => {
          const held = createMock({
            defaultResponse: () => {
              dead.abort(new Error('the process died'))
              return 'never seen'
            },
          })
          return infer(held, run.request(request))
        },
        { signal: dead.signal },
      )
      await expect(first).rejects.toThrow('the process died')
      const [before] = await store.budgets.list('bob')
      expect(before?.used.calls).toBe(1)
      expect(before?.used.tokens).toBeGreaterThan(100)
      await store.runs.run('lost', (run) => infer(provider(), run.request(request)))
      const [after] = await store.budgets.list('bob')
      expect(after?.used).toEqual({
        calls: 2,
        tokens: (before?.used.tokens ?? 0) + 15,
        cost: 0,
      })
    })

    test('a run that waits for others begins its call when they give room back', async () => {
      const limits: SharedLimits = { maxCalls: 1 }
      const charge = {
        id: 'other',
        owners: [{ owner: 'cleo', limits: [limits] }],
        amounts: { calls: 1, tokens: 0 },
        waitMs: 0,
      }
      await store.budgets.reserve(charge)
      const work = store.runs.run('waits', (run) =>
        infer(
          provider(),
          run.request({ query: 'Hello', limits: { budget: store.budgets.of('cleo', limits) } }),
        ),
      )
      await store.budgets.settle({ id: 'other', amounts: { calls: 0, tokens: 0 } })
      expect(await work).toMatchObject({ status: 'final' })
    })

    test('a durable run that waits for room ends at once when it is cancelled, and leaves nothing taken', async () => {
      const limits: SharedLimits = { maxCalls: 1 }
      const other = {
        id: 'other',
        owners: [{ owner: 'dora', limits: [limits] }],
        amounts: { calls: 1, tokens: 0 },
        waitMs: 0,
      }
      await store.budgets.reserve(other)
      const cancel = new AbortController()
      const budget = store.budgets.of('dora', limits, { waitMs: 3_600_000 })
      const work = store.runs.run('waits', (run) => {
        const request = run.request({ query: 'Hello', limits: { budget } })
        return infer(provider(), { ...request, signal: cancel.signal })
      })
      const waits = () => database.read('SELECT id FROM waits')
      await expect.poll(waits).toHaveLength(1)
      cancel.abort(new Error('not needed'))
      expect(await work).toMatchObject({ status: 'cancelled' })
      expect(await waits()).toEqual([])
      const intents = await database.read(`SELECT kind FROM entries WHERE log = 'journal:waits'`)
      expect(intents).toEqual([])
      expect(await store.budgets.list('dora')).toMatchObject([{ used: { calls: 1 } }])
    })
  })
