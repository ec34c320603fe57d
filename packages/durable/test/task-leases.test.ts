// Leases of tasks: how a process takes one, loses it, and takes it over from another.
import type { TaskRecord } from '@modelport/agent'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../src/database/database.js'
import { createDurableStore, type DurableStore } from '../src/store/durable-store.js'
import { emptyDatabases } from './support/databases.js'
import { checkpoint, toolIntent, toolReceipt } from './support/journal-entries.js'

// No slow machine misses it; the tests end leases themselves.
const leaseMs = 15_000
const key = { principal: 'alice', id: 't' }
const record: TaskRecord = {
  id: 't',
  agent: 'a',
  principal: 'alice',
  sessionId: 's',
  createdAt: '2026-01-01T00:00:00.000Z',
  metadata: {},
  flowState: {},
}
const status = (state: 'submitted' | 'working' | 'cancelled') =>
  ({ type: 'status', state, at: '2026-01-01T00:00:00.000Z', attempt: 1 }) as const

for (const { name, isMissing, open } of emptyDatabases())
  describe.skipIf(isMissing)(name, () => {
    let database: Database
    let store: DurableStore
    beforeEach(async () => {
      database = await open()
      store = createDurableStore(database, { leaseMs })
      await store.tasks.create(record, [status('submitted'), status('working')])
    })
    afterEach(() => store.close())

    test('one process holds a task; after its release another one does', async () => {
      const [first, second] = await Promise.all([
        store.leases!.hold(key, 'f'),
        store.leases!.hold(key, 'f'),
      ])
      expect([first, second].filter(Boolean)).toHaveLength(1)
      await (first ?? second)!.release()
      const third = await store.leases!.hold(key, 'f')
      expect(third).toBeDefined()
      await third!.release()
    })

    test('a task that no live process works on is found, one that is held is not', async () => {
      const agents = new Map([['a', 'f']])
      // the process that was given it comes first
      expect(await store.leases!.abandoned(agents)).toEqual([])
      await database.write([{ sql: 'UPDATE runs SET due = 0' }])
      expect(await store.leases!.abandoned(agents)).toEqual([key])
      const held = await store.leases!.hold(key, 'f')
      expect(await store.leases!.abandoned(agents)).toEqual([])
      // Longer ago than the lease: heartbeats keep it.
      const endOfLease = async () =>
        String((await database.read('SELECT due FROM runs'))[0]!['due'])
      const before = await endOfLease()
      await expect.poll(endOfLease).not.toBe(before)
      expect(await store.leases!.abandoned(agents)).toEqual([])
      await held!.release()
      expect(await store.leases!.abandoned(agents)).toEqual([key])
      expect(await store.leases!.abandoned(new Map([['b', 'f']]))).toEqual([])
    })

    test('a task of another fingerprint is left to the process that has it, while that one lives', async () => {
      await (await store.leases!.hold(key, 'old'))!.release()
      await store.leases!.abandoned(new Map([['a', 'old']]))
      const other = createDurableStore(database, { leaseMs })
      expect(await other.leases!.abandoned(new Map([['a', 'new']]))).toEqual([])
      await database.write([{ sql: `UPDATE workers SET seen = 0 WHERE queues LIKE '%old%'` }])
      const later = createDurableStore(database, { leaseMs })
      expect(await later.leases!.abandoned(new Map([['a', 'new']]))).toEqual([key])
    })

    test('a process that lost its lease can neither append to the task nor write its journal', async () => {
      const lost = await store.leases!.hold(key, 'f')
      const { journal } = await lost!.open('run-1')
      // another process took it over
      await database.write([{ sql: 'UPDATE runs SET epoch = epoch + 1' }])
      await expect(lost!.tasks.append(key, 2, [status('cancelled')])).rejects.toThrow(
        'claimed by another worker',
      )
      await expect(journal.writeIntent(toolIntent('t', 0))).rejects.toMatchObject({
        reason: 'fenced',
      })
    })

    test('the next process gets the checkpoint and what was recorded after it', async () => {
      const first = await store.leases!.hold(key, 'f')
      const { journal } = await first!.open('run-1')
      await journal.writeCheckpoint(checkpoint('run-1', 1), {
        keep: 0,
        add: [{ role: 'user', content: 'hi' }],
      })
      await journal.writeIntent(toolIntent('t', 0))
      await journal.writeReceipt(toolReceipt('t', 0))
      await first!.release()
      const second = await store.leases!.hold(key, 'f')
      const stored = await second!.open('run-1')
      expect(stored).toMatchObject({ resume: { step: 1 }, messages: [{ content: 'hi' }] })
      expect(await stored.journal.readTail(stored.resume!)).toMatchObject({
        entries: [{ entry: 'intent' }, { entry: 'receipt' }],
      })
      const next = await second!.open('run-2')
      expect(next).toMatchObject({ messages: [] })
      expect(next.resume).toBeUndefined()
      await second!.release()
    })

    test('a task that another process cancels aborts the signal of its holder', async () => {
      const held = await store.leases!.hold(key, 'f')
      await store.tasks.append(key, 2, [status('cancelled')])
      await expect.poll(() => held!.signal.aborted).toBe(true)
      await held!.release()
    })

    test('a task whose process dies again and again waits for an operator with the reason, and continues after resume', async () => {
      const die = () => database.write([{ sql: 'UPDATE runs SET due = 0' }])
      let claims = 0
      for (let look = 0; look < 20; look++) {
        if (await store.leases!.hold(key, 'f')) claims++
        // The company of this process died with it.
        store = createDurableStore(database, { leaseMs })
        await die()
        if ((await store.operations.list({ state: 'stopped' })).length > 0) break
      }
      expect(claims).toBe(7)
      expect((await store.tasks.head(key))?.state).toBe('working')
      expect(await store.operations.list()).toMatchObject([
        {
          id: 't',
          state: 'stopped',
          reason: expect.stringContaining('look for what ends its process') as string,
        },
      ])
      await store.operations.resume('t')
      expect(await store.leases!.abandoned(new Map([['a', 'f']]))).toEqual([key])
      await (await store.leases!.hold(key, 'f'))!.release()
    })
  })
