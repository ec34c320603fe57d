// What an operator does with a store: list, decide, resume, prune.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AgentHost, createAgent, createMessage, isTerminal, requestsOf } from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { defineTool, type RunResult } from '@modelport/runtime'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import type { Database } from '../src/database/database.js'
import type { DurableRun } from '../src/index.js'
import { openSqliteStore } from '../src/sqlite/sqlite.js'
import { createDurableStore, type DurableStore } from '../src/store/durable-store.js'
import { emptyDatabases } from './support/databases.js'
import { checkpoint, finalResult, toolIntent, toolReceipt } from './support/journal-entries.js'

const principal = 'alice'
const future = Date.now() + 3_600_000

/** Suspends a run with a call whose outcome is unknown. */
const uncertain = async ({ id, journal }: DurableRun, attempt?: number): Promise<RunResult> => {
  const action = { type: 'tool_call', tool: 'pay', args: {} } as const
  const which = {
    id: 'call',
    idempotencyKey: `${id}/1/0`,
    ...(attempt !== undefined && { attempt }),
  }
  const at = checkpoint(id, 1, [{ type: 'uncertain', action, ...which }])
  await journal.writeCheckpoint(at, { keep: 0, add: [{ role: 'user', content: 'Pay' }] })
  return {
    status: 'suspended',
    pending: at.pending,
    checkpoint: at,
    transcript: [],
    text: '',
  } as unknown as RunResult
}

test('prune makes the file of a SQLite store smaller while it is open', async () => {
  const folder = temporaryFolder('prune')
  const store = await openSqliteStore(join(folder, 'store.db'))
  const size = () =>
    readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
  const empty = size()
  for (let index = 0; index < 40; index++)
    await store.runs.run(`r${index}`, () => Promise.resolve(finalResult('x'.repeat(50_000))))
  expect(size()).toBeGreaterThan(empty + 2_000_000)
  await store.operations.prune({ before: future })
  expect(size()).toBeLessThan(empty + 200_000)
  await store.close()
})

for (const { name, isMissing, open } of emptyDatabases())
  describe.skipIf(isMissing)(name, () => {
    const opened: Database[] = []
    const hosts: AgentHost[] = []
    let store: DurableStore
    let payments: number
    const openStore = async (): Promise<DurableStore> => {
      const database = await open()
      opened.push(database)
      return createDurableStore(database, { leaseMs: 15_000 })
    }
    beforeEach(async () => {
      payments = 0
      store = await openStore()
    })
    afterEach(async () => {
      await Promise.all(hosts.splice(0).map((host) => host.drain(100)))
      await Promise.all(opened.splice(0).map((database) => database.close()))
    })
    const hostOf = (on: DurableStore, expiresInMs?: number): AgentHost => {
      const pay = defineTool({
        name: 'pay',
        description: 'Pays',
        parameters: { type: 'object', properties: {} },
        execute: () => `payment ${++payments}`,
      })
      const agent = createAgent({
        card: { name: 'payer', description: 'Pays' },
        tools: [pay],
        policy: { default: 'require-approval' },
        ...(expiresInMs !== undefined && { decisions: { expiresInMs } }),
        provider: createMock({
          defaultResponse: ({ messages: asked }) =>
            asked.some(({ role }) => role === 'tool')
              ? 'Done.'
              : { text: 'I pay.', toolCalls: [{ id: 'c1', name: 'pay' }] },
        }),
      })
      const host = new AgentHost([agent], { store: on })
      hosts.push(host)
      return host
    }
    /** A task that waits for approval, and whose process has ended. */
    const leaveWaiting = async (expiresInMs?: number): Promise<string> => {
      const host = hostOf(store, expiresInMs)
      const { task, before } = await host.send({
        agent: 'payer',
        principal,
        message: createMessage('user', 'Pay'),
      })
      const waiting = await host.settled({ principal, id: task.id }, before)
      // On a slow machine the approval may have expired already.
      if (expiresInMs === undefined) expect(requestsOf(waiting)).toHaveLength(1)
      await host.drain(1000)
      return task.id
    }
    const until = (host: AgentHost, id: string, state: string) =>
      expect
        .poll(async () => (await host.get({ principal, id })).task.state, { timeout: 120_000 })
        .toBe(state)

    test('a store lists what waits, of every principal, and what it waits for', async () => {
      const id = await leaveWaiting()
      await store.runs.run('invoice', uncertain)
      await store.runs.run('over', () => Promise.resolve(finalResult('done')))
      const items = await store.operations.list()
      expect(items).toMatchObject([
        {
          kind: 'task',
          id,
          name: 'payer',
          principal,
          state: 'input-required',
          waitsFor: [{ kind: 'approval' }],
        },
        {
          kind: 'run',
          id: 'invoice',
          state: 'suspended',
          waitsFor: [{ requestId: 'call', kind: 'uncertain' }],
        },
      ])
      const all = await store.operations.list({ all: true })
      expect(all.map((item) => item.id).sort()).toEqual([id, 'invoice', 'over'].sort())
      expect(await store.operations.list({ state: 'finished' })).toMatchObject([{ id: 'over' }])
    })

    test('a cancel comes behind what somebody else writes at the same moment', async () => {
      const id = await leaveWaiting()
      const key = { principal, id }
      const database = opened[0]!
      let writes = 0
      const busy = new Proxy(database, {
        get(target, field) {
          const value: unknown = Reflect.get(target, field, target)
          if (field !== 'write') return typeof value === 'function' ? value.bind(target) : value
          return async (...given: Parameters<Database['write']>) => {
            const isCancel = JSON.stringify(given).includes('cancelled')
            if (isCancel && writes++ < 2) {
              const head = await store.tasks.head(key)
              const at = new Date().toISOString()
              await store.tasks.append(key, head?.seq ?? 0, [
                { type: 'progress', percent: writes, at, attempt: 1 },
              ])
            }
            return target.write(...given)
          }
        },
      })
      await createDurableStore(busy, { leaseMs: 15_000 }).operations.cancel(id, 'no')
      expect(writes).toBe(3)
      expect(await store.tasks.head(key)).toMatchObject({ state: 'cancelled' })
    })

    test('a decision about a call whose outcome is unknown does not settle a later attempt at it', async () => {
      await store.runs.run('invoice', uncertain)
      const { checkpoint: seen } = await store.runs.get('invoice')
      await store.operations.decide('invoice', { type: 'did-not-happen' }, 'call')
      await store.runs.run('invoice', (run) => uncertain(run, 2))
      const repeat = { type: 'repeat', id: 'call' } as const
      await expect(
        store.operations.decide('invoice', { type: 'did-not-happen' }, 'call'),
      ).rejects.toThrow('call#2')
      await expect(store.runs.decide('invoice', repeat, seen?.pending[0])).rejects.toThrow(
        'it waits for: call#2',
      )
      await store.operations.decide('invoice', { type: 'happened', result: 'paid' }, 'call#2')
    })

    test('an approval that is stored without the agent is applied by the next process that serves it', async () => {
      const id = await leaveWaiting()
      await expect(store.operations.decide(id, { type: 'give-up' })).rejects.toThrow(
        'approve or deny it',
      )
      await expect(store.operations.decide(id, { type: 'approve' }, 'other')).rejects.toThrow(
        'name one of these',
      )
      await store.operations.decide(id, { type: 'approve' })
      await expect(store.operations.decide(id, { type: 'approve' })).rejects.toMatchObject({
        reason: 'conflict',
      })
      await until(hostOf(store), id, 'completed')
      expect(payments).toBe(1)
    })

    test('a denial that is stored without the agent keeps the call from being executed', async () => {
      const id = await leaveWaiting()
      await store.operations.decide(id, { type: 'deny', reason: 'too much' })
      await until(hostOf(store), id, 'completed')
      expect(payments).toBe(0)
    })

    test('an approval that nobody gave in time is refused by a process that did not ask for it', async () => {
      const id = await leaveWaiting(2000)
      await until(hostOf(store, 2000), id, 'completed')
      expect(payments).toBe(0)
    })

    test('the outcome of an uncertain call is stored, and the run continues with it', async () => {
      await store.runs.run('invoice', uncertain)
      await store.operations.decide('invoice', { type: 'happened', result: 'paid' })
      await store.runs.run('invoice', ({ decisions }) => {
        expect(decisions).toEqual([{ type: 'result', id: 'call', result: 'paid' }])
        return Promise.resolve(finalResult('done'))
      })
    })

    test('resume leaves a run that is worked on alone, unless it is told to take it over, and opens a failed one again', async () => {
      let release = (): void => undefined
      const frozen = new Promise<void>((resolve) => (release = resolve))
      let started = (): void => undefined
      const isStarted = new Promise<void>((resolve) => (started = resolve))
      const first = store.runs.run('a', async ({ journal }) => {
        started()
        await frozen
        await journal.writeIntent(toolIntent('a', 0))
        return finalResult('first')
      })
      first.catch(() => undefined)
      await isStarted
      await expect(store.operations.resume('a')).rejects.toMatchObject({
        reason: 'conflict',
        message: expect.stringContaining('a process works on "a"') as string,
      })
      expect((await store.runs.get('a')).status).toBe('running')
      await store.operations.resume('a', { takeOver: true })
      const second = store.runs.run('a', () => Promise.resolve(finalResult('second')))
      expect((await second).text).toBe('second')
      release()
      // The first process gets the result of the second.
      await first.then(
        ({ text }) => expect(text).toBe('second'),
        (error: unknown) => expect(error).toMatchObject({ reason: 'fenced' }),
      )
      await expect(store.operations.resume('a')).rejects.toMatchObject({ reason: 'conflict' })
      await expect(store.operations.resume('none')).rejects.toMatchObject({ reason: 'not-found' })
    })

    test('prune removes finished tasks and runs with all their data, and leaves the rest', async () => {
      const waiting = await leaveWaiting()
      const done = await leaveWaiting()
      await store.operations.decide(done, { type: 'approve' })
      const host = hostOf(store)
      await until(host, done, 'completed')
      await host.drain(1000)
      await store.runs.run('old', async ({ journal }) => {
        await journal.writeIntent(toolIntent('old', 0))
        await journal.writeReceipt(toolReceipt('old', 0))
        return finalResult('done')
      })
      await store.runs.run('invoice', uncertain)
      expect(await store.operations.prune({ before: 0 })).toEqual({ tasks: 0, runs: 0, pieces: 0 })
      expect(await store.operations.prune({ before: future, dryRun: true })).toMatchObject({
        tasks: 1,
        runs: 1,
      })
      expect(await store.operations.prune({ before: future })).toMatchObject({ tasks: 1, runs: 1 })
      expect((await store.operations.list({ all: true })).map(({ id }) => id)).toEqual([
        waiting,
        'invoice',
      ])
      const database = opened[0]!
      for (const [table, column] of Object.entries({ entries: 'log', runs: 'id', logs: 'id' })) {
        const rows = await database.read(`SELECT DISTINCT ${column} AS id FROM ${table}`)
        expect(
          rows.filter(({ id }) => String(id).includes(done) || String(id).includes('old')),
        ).toEqual([])
      }
      // What waits still continues.
      await store.operations.decide(waiting, { type: 'approve' })
      await until(hostOf(store), waiting, 'completed')
    })

    test('pruning pieces leaves the task, its reply and the numbers of the other events unchanged', async () => {
      const id = await leaveWaiting()
      await store.operations.decide(id, { type: 'approve' })
      const host = hostOf(store)
      await until(host, id, 'completed')
      await host.drain(1000)
      const before = await store.tasks.load({ principal, id })
      const events = await store.tasks.read({ principal, id }, 1)
      const pieces = events.filter(({ type }) => type === 'text-delta')
      expect(pieces.length).toBeGreaterThan(0)
      expect(await store.operations.prune({ before: future, what: 'pieces' })).toMatchObject({
        pieces: pieces.length,
      })
      expect(isTerminal(before!.task.state)).toBe(true)
      expect((await store.tasks.load({ principal, id }))?.task).toEqual(before!.task)
      expect(await store.tasks.read({ principal, id }, 1)).toEqual(
        events.filter((event) => !pieces.includes(event)),
      )
    })
  })
