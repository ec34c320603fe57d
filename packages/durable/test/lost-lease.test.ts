// A process whose lease ends while a tool runs, and that no other process has followed yet.
import { createMock } from '@modelport/provider-mock'
import { defineTool, infer } from '@modelport/runtime'
import { afterEach, expect, test, vi } from 'vitest'
import type { DurableRun } from '../src/runs/execute-run.js'
import { instant, Lease } from '../src/runs/lease.js'
import { openSqliteDatabase } from '../src/sqlite/open-database.js'
import { createDurableStore } from '../src/store/durable-store.js'

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

test('a call that was cut off by the end of a lease has one end among the events of its run', async () => {
  const database = await openSqliteDatabase(':memory:')
  const store = createDurableStore(database, { leaseMs: 3000 })
  const started = Promise.withResolvers()
  const pay = defineTool({
    name: 'pay',
    description: 'Pays',
    parameters: { type: 'object', properties: {} },
    execute: () => {
      started.resolve(undefined)
      return new Promise(() => undefined)
    },
  })
  const provider = createMock({
    defaultResponse: ({ messages }) =>
      messages.some(({ role }) => role === 'tool')
        ? 'Done.'
        : { toolCalls: [{ id: 'c', name: 'pay' }] },
  })
  const work = (run: DurableRun) => infer(provider, run.request({ query: 'Pay', tools: [pay] }))
  const cut = store.runs.run('r', work).catch((error: unknown) => String(error))
  await started.promise
  // A write would extend the lease.
  const events = async () =>
    JSON.stringify(await database.read(`SELECT kind FROM entries WHERE log = 'run:r'`))
  await expect.poll(events).toContain('tool-start')
  const { now } = Date
  vi.spyOn(Date, 'now').mockImplementation(() => now() + 60_000)
  expect(await cut).toContain('its lease of 3000 ms ended')
  vi.restoreAllMocks()
  await database.write([{ sql: 'UPDATE runs SET due = 0' }])
  expect(await store.runs.run('r', work)).toMatchObject({
    status: 'suspended',
    pending: [{ type: 'uncertain' }],
  })
  await store.runs.decide('r', { type: 'result', id: 'c', result: 'paid' })
  await store.runs.run('r', work)
  const types: string[] = []
  for await (const { type } of store.runs.events('r')) types.push(type)
  expect(types.filter((type) => /^tool-(?:result|error)$/.test(type))).toEqual(['tool-result'])
  await store.close()
})

test('a heartbeat that gets no reply does not keep the next one back', async () => {
  vi.useFakeTimers()
  const replies = [new Promise<boolean>(() => undefined), Promise.resolve(true)]
  let sent = 0
  const lease = new Lease('r', 1000, instant(), () => replies[sent++] ?? Promise.resolve(true))
  await vi.advanceTimersByTimeAsync(1500)
  expect(sent).toBeGreaterThan(2)
  expect(lease.isValid()).toBe(true)
  lease.stop()
})

test('the work stops at the end of its lease while a heartbeat gets no reply', async () => {
  vi.useFakeTimers()
  const lease = new Lease('r', 1000, instant(), () => new Promise(() => undefined))
  await vi.advanceTimersByTimeAsync(400)
  // A write of the run was a heartbeat too.
  lease.extendedAt(instant())
  await vi.advanceTimersByTimeAsync(990)
  expect(lease.signal.aborted).toBe(false)
  await vi.advanceTimersByTimeAsync(20)
  expect(lease.signal.aborted).toBe(true)
})

test('a heartbeat that a later one has overtaken does not make the lease shorter', async () => {
  vi.useFakeTimers()
  const first = Promise.withResolvers<boolean>()
  let sent = 0
  const lease = new Lease('r', 1000, instant(), () =>
    sent++ === 0 ? first.promise : Promise.resolve(true),
  )
  await vi.advanceTimersByTimeAsync(800)
  first.resolve(true)
  await vi.advanceTimersByTimeAsync(0)
  // The second heartbeat was sent when two thirds were over.
  vi.setSystemTime(Date.now() + 500)
  expect(lease.isValid()).toBe(true)
  lease.stop()
})
