import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createMock } from '@modelport/provider-mock'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMemoryStore, demoTools, type RunRecord, type StudioEvent, type StudioStore } from '../src/index.js'
import { openFileStore } from '../src/node.js'
import { Runs } from '../src/server/runs.js'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelport-store-'))
})
afterAll(() => rm(folder, { recursive: true, maxRetries: 5 }))

const run = (id: string, at: number, status: RunRecord['status'] = 'final'): RunRecord => ({
  id,
  at,
  model: 'demo',
  title: id,
  status,
  messages: [{ role: 'user', content: 'Hi' }],
})
const event = (seq: number): StudioEvent => ({ seq, at: seq, type: 'decision', callId: 'c', approved: true })

describe.each<[string, () => StudioStore]>([
  ['memory', () => createMemoryStore()],
  ['file', () => openFileStore(join(folder, `${Math.random()}.db`))],
])('the %s store', (_name, open) => {
  test('lists the newest run first, without its messages', async () => {
    const store = open()
    for (const [id, at] of [
      ['a', 1],
      ['b', 2],
    ] as const)
      await store.save(run(id, at))
    const list = await store.list(10)
    expect(list.map(({ id }) => id)).toEqual(['b', 'a'])
    expect(list[0]).not.toHaveProperty('messages')
    expect((await store.list(1)).map(({ id }) => id)).toEqual(['b'])
    await store.close()
  })

  test('gives events after a number, and deletes them with their run', async () => {
    const store = open()
    await store.save(run('a', 1))
    await store.append('a', [event(1), event(2), event(3)])
    expect((await store.events('a', 1)).map(({ seq }) => seq)).toEqual([2, 3])
    await store.keepExchanges('a', [], { version: 1, exchanges: [] })
    expect(await store.cassette('a')).toEqual({ version: 1, exchanges: [] })
    await store.delete('a')
    expect(await store.run('a')).toBeUndefined()
    expect(await store.events('a', 0)).toEqual([])
    await store.close()
  })
})

describe('the file store', () => {
  test('writes a file that only its owner can read', async () => {
    const path = join(folder, 'private.db')
    await openFileStore(path).close()
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  test('keeps runs across a restart, and ends those that a killed process left behind', async () => {
    const path = join(folder, 'restart.db')
    const before = openFileStore(path)
    await before.save(run('left', 1, 'running'))
    await before.close()
    const after = openFileStore(path)
    expect(await after.run('left')).toMatchObject({ id: 'left', status: 'cancelled' })
    await after.close()
  })

  test('has the events of a run before the run is over, as the next start finds them after a kill', async () => {
    const path = join(folder, 'killed.db')
    const slow = createMock({ responses: ['word '.repeat(500)], delayMs: 20 })
    const model = { id: 'slow', provider: 'mock', model: 'slow', hosts: [], open: () => slow }
    const before = openFileStore(path)
    const runs = new Runs({ models: [model], assets: {}, store: before })
    const { id } = await runs.start({ model: 'slow', messages: [{ role: 'user', content: 'Go' }] }, model)
    await expect.poll(async () => JSON.stringify(await before.events(id, 0))).toContain('text-delta')
    const after = openFileStore(path)
    expect(await after.run(id)).toMatchObject({ status: 'cancelled', error: { code: 'interrupted' } })
    const events = await after.events(id, 0)
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    expect(JSON.stringify(events)).toContain('text-delta')
    await after.close()
    await runs.close()
  })

  test('a run whose events cannot be written stays readable, says why, and can be deleted', async () => {
    const path = join(folder, 'damaged.db')
    const store = openFileStore(path)
    const slow = createMock({ responses: ['word '.repeat(20)], delayMs: 5 })
    const model = { id: 'slow', provider: 'mock', model: 'slow', hosts: [], open: () => slow }
    const runs = new Runs({ models: [model], assets: {}, store })
    const { id } = await runs.start({ model: 'slow', messages: [{ role: 'user', content: 'Go' }] }, model)
    const database = new DatabaseSync(path)
    database.exec('DROP TABLE events')
    database.close()
    await expect.poll(async () => (await runs.find(id))?.notKept).toMatch(/no such table/)
    await expect.poll(async () => (await runs.find(id))?.status).toBe('final')
    expect(await runs.list()).toMatchObject([
      { id, status: 'final', notKept: expect.stringContaining('no such table') },
    ])
    expect(runs.live(id)?.events.at(-1)).toMatchObject({ type: 'end' })
    await runs.delete(id)
    expect(await runs.find(id)).toBeUndefined()
    await runs.close()
  })

  test('a run that cannot be recorded ends before it calls a tool', async () => {
    const path = join(folder, 'unrecorded.db')
    const store = openFileStore(path)
    const calling = createMock({
      responses: [{ toolCalls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }] }, 'Done.'],
    })
    const model = { id: 'm', provider: 'mock', model: 'm', hosts: [], open: () => calling }
    const runs = new Runs({ models: [model], assets: {}, store, tools: demoTools })
    const { id } = await runs.start({ model: 'm', messages: [{ role: 'user', content: 'Go' }] }, model)
    await expect.poll(async () => (await runs.find(id))?.status).toBe('waiting')
    const database = new DatabaseSync(path)
    database.exec('DROP TABLE journal_entries')
    database.close()
    runs.live(id)?.decide({ callId: 'call_1', approved: true })
    await expect.poll(async () => (await runs.find(id))?.status).toBe('failed')
    expect(await runs.find(id)).toMatchObject({
      notKept: expect.stringContaining('no such table'),
      error: { message: expect.stringContaining('off the record') as string },
    })
    expect(
      runs
        .live(id)
        ?.events.filter((event) => event.type === 'run')
        .map(({ event }) => event.type),
    ).not.toContain('tool-result')
    await runs.close()
  })

  test('refuses a file of a newer version, and a file that is not a store', async () => {
    const newer = join(folder, 'newer.db')
    const database = new DatabaseSync(newer)
    database.exec('PRAGMA user_version = 99')
    database.close()
    expect(() => openFileStore(newer)).toThrow(/newer version of the studio/)
    const other = join(folder, 'other.db')
    await writeFile(other, 'not a database, but long enough to be looked at as one'.repeat(30))
    expect(() => openFileStore(other)).toThrow(/is not a file of the studio/)
  })
})
