// A run that ends its process, between healthy ones: "processes" are stores of one database whose
// leases the test ends.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SqlBudgets } from '../src/budgets/sql-budgets.js'
import { BodyCodec } from '../src/database/body-codec.js'
import type { Database } from '../src/database/database.js'
import { Company } from '../src/runs/company.js'
import { HeldRun, type RunParts } from '../src/runs/held-run.js'
import { versionOf } from '../src/runs/run-definition.js'
import { RunTable } from '../src/runs/run-table.js'
import { createDurableStore } from '../src/store/durable-store.js'
import { emptyDatabases } from './support/databases.js'
import { checkpoint, finalResult, toolIntent } from './support/journal-entries.js'

for (const { name, isMissing, open } of emptyDatabases())
  describe.skipIf(isMissing)(name, () => {
    let database: Database
    beforeEach(async () => {
      database = await open()
    })
    afterEach(() => database.close())
    const processOf = (): RunParts => {
      const codec = new BodyCodec()
      return {
        database,
        codec,
        table: new RunTable(database, codec),
        company: new Company(),
        leaseMs: 60_000,
        budgets: new SqlBudgets(database),
      }
    }
    const from = { queue: 'q', version: 'v' }
    const endLeases = () =>
      database.write([{ sql: 'UPDATE runs SET due = 0 WHERE due IS NOT NULL' }])

    test('a run in an unknown state is an error for whoever asks for it, and no wait', async () => {
      const store = createDurableStore(database, {})
      const { table } = processOf()
      for (const [index, status] of ['', '-1', 'paused'].entries()) {
        const id = `odd-${index}`
        await table.create({ id, ...from, fingerprint: null })
        await database.write([
          { sql: 'UPDATE runs SET status = ? WHERE id = ?', params: [status, id] },
        ])
        const expected = {
          reason: 'damaged',
          message: expect.stringContaining(`its status is "${status}"`) as string,
        }
        await expect(
          store.runs.run(id, () => Promise.resolve(finalResult('done'))),
        ).rejects.toMatchObject(expected)
        await expect(store.runs.result(id)).rejects.toMatchObject(expected)
      }
    })

    test('a poisonous run is stopped after it ended its process alone, and no neighbour fails', async () => {
      const ids = ['poison', 'a', 'b', 'c']
      const first = processOf()
      for (const id of ids) await first.table.create({ id, ...from, fingerprint: null })
      const finished: string[] = []
      for (let round = 0; round < 20 && finished.length < 3; round++) {
        // A process claims what it can. The poison ends it before anything is stored; alone, a
        // healthy run comes to its end.
        const parts = processOf()
        const held: HeldRun[] = []
        for (let look = 0; look < 10; look++) {
          const next = await HeldRun.claim(parts, { from })
          if (next === undefined) break
          if (next instanceof HeldRun) held.push(next)
        }
        if (held.length === 0) {
          const suspect = await HeldRun.claim(parts, { from: { ...from, suspects: true } })
          if (suspect instanceof HeldRun) held.push(suspect)
        }
        const isDead = held.some(({ run }) => run.id === 'poison')
        for (const one of held) {
          // Repeating an effect that was begun before is not progress.
          await one.journal.writeIntent({ ...toolIntent(one.run.id, 0), attempt: round + 1 })
          if (isDead) one.stop()
          else {
            await one.end({ status: 'finished', result: finalResult('done') })
            finished.push(one.run.id)
          }
        }
        await endLeases()
      }
      expect(finished.sort()).toEqual(['a', 'b', 'c'])
      for (let look = 0; look < 14; look++) {
        const suspect = await HeldRun.claim(processOf(), { from: { ...from, suspects: true } })
        if (suspect instanceof HeldRun) suspect.stop()
        await endLeases()
      }
      const { status, result } = await first.table.get('poison')
      expect([status, (result as { error: { details: object } }).error.details]).toEqual([
        'stopped',
        { reason: 'crash-loop' },
      ])
      // An operator lets it continue.
      const store = createDurableStore(database, {})
      await store.operations.resume('poison')
      expect((await store.runs.get('poison')).status).toBe('ready')
    })

    test('healthy runs whose processes died three times are worked on sixteen at once, not one by one', async () => {
      const ids = Array.from({ length: 20 }, (_, index) => `run-${index}`)
      const first = processOf()
      for (const id of ids) await first.table.create({ id, ...from, fingerprint: null })
      for (let death = 0; death < 3; death++) {
        const parts = processOf()
        for (const id of ids) {
          const held = await HeldRun.claim(parts, { from: { id } })
          if (held instanceof HeldRun) held.stop()
        }
        await endLeases()
      }
      const finished: string[] = []
      let most = 0
      let atOnce = 0
      let isFull: PromiseWithResolvers<void> = Promise.withResolvers()
      const definition = {
        name: 'q',
        fingerprint: {},
        execute: async ({ id }: { readonly id: string }) => {
          most = Math.max(most, ++atOnce)
          if (atOnce === 16) isFull.resolve()
          await isFull.promise
          atOnce--
          finished.push(id)
          return finalResult('done')
        },
      }
      const version = versionOf(definition)
      await database.write([{ sql: 'UPDATE runs SET version = ?, due = 0', params: [version] }])
      const worker = createDurableStore(database, {}).runs.work([definition], { concurrency: 20 })
      await isFull.promise
      isFull = Promise.withResolvers()
      isFull.resolve()
      await expect.poll(() => finished.length).toBe(20)
      await worker.stop()
      expect(most).toBe(16)
    })

    test('a run that stopped keeps what was decided about it', async () => {
      const store = createDurableStore(database, { leaseMs: 60_000 })
      const pending = [
        {
          type: 'approval',
          id: 'c',
          action: { type: 'tool_call', tool: 't', args: {} },
          digest: 'd',
        },
      ] as const
      await store.runs.run('a', async ({ journal }) => {
        const asked = checkpoint('a', 1, pending)
        await journal.writeCheckpoint(asked, { keep: 0, add: [] })
        return {
          status: 'suspended',
          pending,
          checkpoint: asked,
          transcript: [],
          text: '',
        } as never
      })
      await store.runs.decide('a', { type: 'approve', id: 'c', digest: 'd' })
      await database.write([{ sql: `UPDATE runs SET crashes = 7 WHERE id = 'a'` }])
      await HeldRun.claim(processOf(), { from: { id: 'a' } })
      expect((await store.runs.get('a')).status).toBe('stopped')
      await store.operations.resume('a')
      const decided = await store.runs.run('a', ({ decisions }) =>
        Promise.resolve(finalResult(decisions.map(({ type }) => type).join())),
      )
      expect(decided.text).toBe('approve')
    })

    test('one row that cannot be read stops by itself, is listed with its id, and keeps nobody from the others', async () => {
      const store = createDurableStore(database, {})
      const definition = {
        name: 'greeter',
        fingerprint: { v: 1 },
        execute: () => Promise.resolve(finalResult('hello')),
      }
      await store.runs.start('broken', definition)
      await store.runs.start('whole', definition)
      await database.write([
        { sql: `UPDATE runs SET checkpoint = '{oops', due = 0 WHERE id = 'broken'` },
      ])
      expect(await store.operations.list()).toMatchObject([
        {
          id: 'broken',
          state: 'unreadable',
          reason: expect.stringContaining('run "broken"') as string,
        },
        { id: 'whole', state: 'ready' },
      ])
      expect(await store.work({ runs: [definition] })).toBe(1)
      expect((await store.runs.result('whole')).text).toBe('hello')
      const [row] = await database.read(`SELECT status FROM runs WHERE id = 'broken'`)
      expect(row).toEqual({ status: 'stopped' })
    })

    test('stale tasks of one agent do not hide those of another', async () => {
      const store = createDurableStore(database, {})
      const at = '2026-01-01T00:00:00.000Z'
      const create = (id: string, agent: string) =>
        store.tasks.create(
          { id, agent, principal: 'p', sessionId: 's', createdAt: at, metadata: {}, flowState: {} },
          [{ type: 'status', state: 'submitted', at, attempt: 1 }],
        )
      await Promise.all(Array.from({ length: 120 }, (_, index) => create(`old-${index}`, 'old')))
      await create('young', 'new')
      await endLeases()
      expect(await store.leases!.abandoned(new Map([['new', 'f']]))).toEqual([
        { principal: 'p', id: 'young' },
      ])
    })

    test('a backlog of 3,000 runs costs a claim what one of 30 does', async () => {
      const { table } = processOf()
      const rows = Array.from({ length: 3000 }, (_, index) =>
        table.insert({ id: `r${index}`, ...from, fingerprint: null }),
      )
      let reads = 0
      const counted: Database = {
        ...{
          lockRows: database.lockRows,
          now: () => database.now(),
          notify: () => undefined,
          close: () => Promise.resolve(),
        },
        read: (sql, params) => {
          reads++
          return database.read(sql, params)
        },
        write: (statements) => database.write(statements),
        watch: () => () => undefined,
      }
      const store = createDurableStore(counted, {})
      const definition = {
        name: 'q',
        fingerprint: {},
        execute: () => Promise.resolve(finalResult('done')),
      }
      const costOf = async (): Promise<number> => {
        const before = reads
        await database.write([
          { sql: `UPDATE runs SET version = (SELECT version FROM runs WHERE id = 'model')` },
        ])
        expect(await store.work({ runs: [definition], maxTasks: 20 })).toBe(20)
        return reads - before
      }
      await store.runs.start('model', definition)
      await database.write(rows.slice(0, 30))
      const few = await costOf()
      await database.write(rows.slice(30))
      expect(await costOf()).toBeLessThan(few * 2)
    })
  })
