// Workers: claims by fingerprint, rolling deployments, what a dead process leaves behind.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../src/database/database.js'
import type { RunFunction } from '../src/runs/execute-run.js'
import { type RunDefinition, versionOf } from '../src/runs/run-definition.js'
import type { RunWorker } from '../src/runs/run-worker.js'
import { createDurableStore, type DurableStore } from '../src/store/durable-store.js'
import { emptyDatabases } from './support/databases.js'
import { checkpoint, finalResult } from './support/journal-entries.js'

const define = (version: number, execute: RunFunction): RunDefinition => ({
  name: 'greeter',
  fingerprint: { version, model: 'm' },
  execute,
})
/** The database without its notifications. */
const quiet = (database: Database): Database => ({
  lockRows: database.lockRows,
  write: (statements) => database.write(statements),
  read: (sql, params) => database.read(sql, params),
  now: () => database.now(),
  notify: () => undefined,
  watch: (key, onChange) => database.watch(key, onChange),
  close: () => Promise.resolve(),
})
const greet: RunFunction = ({ input }) => Promise.resolve(finalResult(`hello ${String(input)}`))

for (const { name, isMissing, open } of emptyDatabases())
  describe.skipIf(isMissing)(name, () => {
    let database: Database
    let store: DurableStore
    const workers: RunWorker[] = []
    const work = (definition: RunDefinition): RunWorker => {
      const worker = store.runs.work([definition], { concurrency: 4 })
      workers.push(worker)
      return worker
    }
    beforeEach(async () => {
      database = await open()
      store = createDurableStore(database, { leaseMs: 6000 })
    })
    afterEach(async () => {
      await Promise.all(workers.splice(0).map((worker) => worker.stop()))
      await store.close()
    })

    test('runs that were started are executed once each, with their input', async () => {
      const ids = Array.from({ length: 20 }, (_, index) => `task-${index}`)
      await Promise.all(ids.map((id) => store.runs.start(id, define(1, greet), id)))
      // The same again is the same run.
      await store.runs.start('task-0', define(1, greet), 'task-0')
      work(define(1, greet))
      work(define(1, greet))
      const results = await Promise.all(ids.map((id) => store.runs.result(id)))
      expect(results.map(({ text }) => text)).toEqual(ids.map((id) => `hello ${id}`))
    })

    test('while an old version lives, a new one leaves its runs alone', async () => {
      const old = define(1, () => Promise.resolve(finalResult('old')))
      const young = define(2, () => Promise.resolve(finalResult('new')))
      work(young)
      work(old)
      await Promise.all([store.runs.start('a', old), store.runs.start('b', young)])
      expect((await store.runs.result('a')).text).toBe('old')
      expect((await store.runs.result('b')).text).toBe('new')
    })

    test('a run that no live version can continue waits, and begins once its version is there', async () => {
      await store.runs.start('a', define(1, greet), 'you')
      await database.write([{ sql: `UPDATE runs SET due = 1` }])
      work(define(2, greet))
      // The other version has looked, and goes on to work on its own runs.
      await store.runs.start('b', define(2, greet), 'me')
      expect((await store.runs.result('b')).text).toBe('hello me')
      expect(await store.operations.list()).toMatchObject([
        { id: 'a', state: 'ready', version: versionOf(define(1, greet)), unservedSince: 1 },
      ])
      work(define(1, greet))
      expect((await store.runs.result('a')).text).toBe('hello you')
    })

    test('a new version that starts runs before any of its workers is there loses none', async () => {
      work(define(1, greet))
      await store.runs.start('a', define(2, greet), 'you')
      await store.runs.start('b', define(1, greet), 'me')
      expect((await store.runs.result('b')).text).toBe('hello me')
      await database.write([{ sql: `UPDATE runs SET due = 1 WHERE id = 'a'` }])
      work(define(2, greet))
      expect((await store.runs.result('a')).text).toBe('hello you')
    })

    test('an operator lets one run, or all of a version, continue under the version that is served', async () => {
      const ids = ['a', 'b', 'c']
      for (const id of ids) await store.runs.start(id, define(1, greet), id)
      const old = versionOf(define(1, greet))
      await expect(store.operations.resumeVersion(old)).rejects.toMatchObject({
        reason: 'conflict',
        message: expect.stringContaining('no live process serves another version'),
      })
      work(define(2, greet))
      await store.runs.start('new', define(2, greet), 'new')
      await store.runs.result('new')
      await store.operations.resume('a')
      expect((await store.runs.result('a')).text).toBe('hello a')
      expect(await store.operations.resumeVersion(old)).toBe(2)
      for (const id of ['b', 'c']) expect((await store.runs.result(id)).text).toBe(`hello ${id}`)
      expect(await store.operations.list()).toEqual([])
    })

    test('a run whose process died, and whose version is gone, is reopened under a new version', async () => {
      await store.runs.start('a', define(1, greet), 'you')
      await database.write([
        { sql: `UPDATE runs SET status = 'running', epoch = epoch + 1, holder = 'gone', due = 1` },
      ])
      await store.runs.reopen('a', define(2, greet))
      work(define(2, greet))
      expect((await store.runs.result('a')).text).toBe('hello you')
    })

    test('a run that a process works on is not reopened', async () => {
      await store.runs.start('a', define(1, greet), 'you')
      await database.write([
        { sql: `UPDATE runs SET status = 'running', holder = 'alive', due = 9000000000000000` },
      ])
      await expect(store.runs.reopen('a', define(2, greet))).rejects.toMatchObject({
        reason: 'conflict',
      })
    })

    test('the same id with another definition or input is refused, and says what differs', async () => {
      await store.runs.start('a', define(1, greet), { to: 'you' })
      await store.runs.start('a', define(1, greet), { to: 'you' })
      const refused = (text: string) => ({
        reason: 'conflict',
        message: expect.stringContaining(text) as string,
      })
      await expect(store.runs.start('a', define(1, greet), { to: 'me' })).rejects.toMatchObject(
        refused('another input'),
      )
      await expect(store.runs.start('a', define(2, greet), { to: 'you' })).rejects.toMatchObject(
        refused('version (1 → 2)'),
      )
      const other = { ...define(1, greet), name: 'other' }
      await expect(store.runs.start('a', other, { to: 'you' })).rejects.toMatchObject(
        refused('another definition: greeter, not other'),
      )
      await expect(store.runs.start('task:1', define(1, greet))).rejects.toMatchObject({
        code: 'config',
      })
    })

    test('a worker that is faster than the process that starts a run does not lose it', async () => {
      const definition = define(1, greet)
      work(definition)
      const ids = Array.from({ length: 60 }, (_, index) => `fast-${index}`)
      await Promise.all(ids.map((id) => store.runs.start(id, definition, id)))
      await expect.poll(async () => (await store.runs.open()).length).toBe(0)
    })

    test('a decision whose notification was lost is found', async () => {
      const item = {
        type: 'approval',
        id: 'call',
        action: { type: 'tool_call', tool: 't', args: {} },
        digest: 'd',
      } as const
      const definition = define(1, async ({ id, journal, decisions }) => {
        if (decisions.length > 0) return finalResult('decided')
        const at = checkpoint(id, 1, [item])
        await journal.writeCheckpoint(at, { keep: 0, add: [] })
        return {
          status: 'suspended',
          pending: at.pending,
          checkpoint: at,
          transcript: [],
          text: '',
        } as never
      })
      work(definition)
      await store.runs.start('a', definition)
      expect((await store.runs.result('a')).status).toBe('suspended')
      // No notification reaches the worker.
      await createDurableStore(quiet(database), {}).runs.decide('a', { type: 'deny', id: 'call' })
      await expect.poll(async () => (await store.runs.get('a')).status).toBe('finished')
    })

    test('a function that rejects every time is stopped after five tries, with its error', async () => {
      let calls = 0
      const definition = define(1, () => {
        calls++
        return Promise.reject(new Error('always broken'))
      })
      work(definition)
      await store.runs.start('a', definition)
      await expect
        .poll(async () => {
          // The pause before the next try is over.
          await database.write([{ sql: `UPDATE runs SET due = 0 WHERE status = 'ready'` }])
          return (await store.runs.get('a')).status
        })
        .toBe('stopped')
      expect(calls).toBe(5)
      const result = await store.runs.result('a')
      expect(result.status === 'failed' && result.error.message).toContain(
        'it rejected with: always broken',
      )
    })

    test('a worker that stops gives its runs back, and another one continues them at once', async () => {
      let started = (): void => undefined
      const isRunning = new Promise<void>((resolve) => (started = resolve))
      const slow = define(1, ({ signal }) => {
        started()
        return new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        )
      })
      const first = work(slow)
      await store.runs.start('a', slow)
      await isRunning
      await first.stop()
      expect((await store.runs.get('a')).status).toBe('ready')
      work(define(1, greet))
      expect((await store.runs.result('a')).status).toBe('final')
      expect((await store.runs.get('a')).crashes).toBe(0)
    })
  })
