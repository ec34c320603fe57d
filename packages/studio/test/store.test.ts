import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { LlmError } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type StudioAgent, type StudioStore } from '../src/index.js'
import { openFileStore } from '../src/node.js'
import type { RunRecord, StudioEvent } from '../src/protocol/protocol.js'
import { demoTools } from '../src/server/demo.js'
import { streamEvents } from '../src/server/event-stream.js'
import { Runs } from '../src/server/runs.js'
import { createMemoryStore } from '../src/store/file-store.js'
import { markDead } from './mark-dead.js'

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
const event = (seq: number): StudioEvent => ({
  seq,
  at: seq,
  type: 'decision',
  callId: 'c',
  approved: true,
})

describe.each<[string, () => StudioStore]>([
  ['memory', () => createMemoryStore()],
  ['file', () => openFileStore(join(folder, `${Math.random()}.db`))],
])('the %s store', (_name, open) => {
  test('the store lists the newest run first, without its messages', async () => {
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

  test('the store forgets the runs of a task, those in it and those that continue it, and no others', async () => {
    const store = open()
    const task = (taskId: string) => ({ taskId, sessionId: 's', isWaiting: false })
    await store.save({ ...run('asked', 1), task: task('t1') })
    await store.save({ ...run('inner', 2), parent: 'asked' })
    await store.save({ ...run('fork', 3), from: { runId: 'inner', messages: 1 } })
    await store.save({ ...run('other', 4), task: task('t2') })
    expect(await store.forget(['t1', 't3'])).toBe(3)
    expect((await store.list(10)).map(({ id }) => id)).toEqual(['other'])
    expect(await store.forget(['t1'])).toBe(0)
    await store.close()
  })

  test('the store gives events after a number, and deletes them with their run', async () => {
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
  test('the file store writes a file that only its owner can read', async () => {
    const path = join(folder, 'private.db')
    await openFileStore(path).close()
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  test('the file store keeps runs across a restart, and ends those that a killed process left behind', async () => {
    const path = join(folder, 'restart.db')
    const before = openFileStore(path)
    await before.save(run('left', 1, 'running'))
    await before.close()
    const after = openFileStore(path)
    expect(await after.run('left')).toMatchObject({ id: 'left', status: 'cancelled' })
    await after.close()
  })

  test('the file store has the events of a run before the run is over, as the next start finds them after a kill', async () => {
    const path = join(folder, 'killed.db')
    const slow = createMock({ responses: ['word '.repeat(500)], delayMs: 20 })
    const model = { id: 'slow', provider: 'mock', model: 'slow', hosts: [], open: () => slow }
    const before = openFileStore(path)
    const runs = new Runs({ models: [model], assets: {}, store: before })
    const { id } = await runs.start(
      { model: 'slow', messages: [{ role: 'user', content: 'Go' }] },
      model,
    )
    await expect
      .poll(async () => JSON.stringify(await before.events(id, 0)))
      .toContain('text-delta')
    markDead(path)
    const after = openFileStore(path)
    expect(await after.run(id)).toMatchObject({
      status: 'cancelled',
      error: { code: 'interrupted' },
    })
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
    const { id } = await runs.start(
      { model: 'slow', messages: [{ role: 'user', content: 'Go' }] },
      model,
    )
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
    const { id } = await runs.start(
      { model: 'm', messages: [{ role: 'user', content: 'Go' }] },
      model,
    )
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

  test('the file store refuses a file of a newer version, and a file that is not a store', async () => {
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

describe('two studios on one file', () => {
  const hanging = () => {
    const provider = createMock({ responses: ['word '.repeat(500)], delayMs: 20 })
    return { id: 'slow', provider: 'mock', model: 'slow', hosts: [], open: () => provider }
  }
  /** A run under way in a first studio, and a second studio on the same file. */
  async function twoStudios(name: string) {
    const path = join(folder, name)
    const model = hanging()
    const open = () => {
      const store = openFileStore(path)
      return { store, runs: new Runs({ models: [model], assets: {}, store }) }
    }
    const first = open()
    const { id } = await first.runs.start(
      { model: 'slow', messages: [{ role: 'user', content: 'Go' }] },
      model,
    )
    return { path, model, id, first, open, second: open() }
  }

  test('a second studio sees a run of the first as running, and cannot continue or delete it', async () => {
    const { id, model, first, second } = await twoStudios('two.db')
    expect(await second.runs.find(id)).toMatchObject({ status: 'running', elsewhere: true })
    expect(await second.runs.list()).toMatchObject([{ id, status: 'running', elsewhere: true }])
    await expect(second.runs.continue(id, model)).rejects.toThrow(/cannot be continued/)
    await expect(second.runs.delete(id)).rejects.toThrow(
      /another studio .* stop it on its page first/,
    )
    first.runs.live(id)?.stop()
    await expect.poll(async () => (await second.runs.find(id))?.status).toBe('cancelled')
    expect(await second.runs.find(id)).not.toHaveProperty('elsewhere')
    expect(await first.runs.find(id)).not.toHaveProperty('notKept')
    await second.runs.close()
    await first.runs.close()
  })

  test('a second studio lets its page follow a run of the first to the end', async () => {
    const { id, first, second } = await twoStudios('follow.db')
    const following = streamEvents(second.runs, id, 0).then((response) => response.text())
    await expect
      .poll(async () => JSON.stringify(await second.runs.events(id, 0)))
      .toContain('text-delta')
    first.runs.live(id)?.stop()
    const seen = (await following).split('\n\n').flatMap((message) => {
      const line = message.split('\n').find((one) => one.startsWith('data: '))
      return line === undefined ? [] : (JSON.parse(line.slice(6)) as StudioEvent[])
    })
    expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, index) => index + 1))
    expect(seen.at(-1)).toMatchObject({ type: 'end', run: { status: 'cancelled' } })
    await second.runs.close()
    await first.runs.close()
  })

  test('a run of a studio that was killed on another machine is interrupted when its heartbeat is 15 seconds old', async () => {
    const { path, id, first, second, open } = await twoStudios('elsewhere.db')
    const database = new DatabaseSync(path)
    const set = database.prepare('UPDATE processes SET place = ?, pid = 1, beat = ?')
    set.run('another machine', Date.now() - 10_000)
    const third = open()
    expect(await third.runs.find(id)).toMatchObject({ status: 'running', elsewhere: true })
    set.run('another machine', Date.now() - 20_000)
    const fourth = open()
    expect(await fourth.runs.find(id)).toMatchObject({
      status: 'cancelled',
      error: { code: 'interrupted' },
    })
    database.close()
    for (const { runs } of [first, second, third, fourth]) await runs.close()
  })

  test('a run that was deleted while it was under way does not come back', async () => {
    const { id, first, second } = await twoStudios('deleted.db')
    await first.runs.delete(id)
    expect(await first.runs.list()).toEqual([])
    await second.runs.close()
    await first.runs.close()
  })

  test('a file of the version before gets owners, and its runs that were under way are interrupted', async () => {
    const path = join(folder, 'version-2.db')
    const database = new DatabaseSync(path)
    database.exec(`
      CREATE TABLE runs (id TEXT PRIMARY KEY, at INTEGER NOT NULL, run TEXT NOT NULL, exchanges TEXT, cassette TEXT);
      CREATE TABLE journals (run TEXT PRIMARY KEY REFERENCES runs (id), owner TEXT NOT NULL, settings TEXT NOT NULL, checkpoint TEXT);
      PRAGMA user_version = 2`)
    const insert = database.prepare('INSERT INTO runs (id, at, run) VALUES (?, ?, ?)')
    insert.run('left', 1, JSON.stringify(run('left', 1, 'running')))
    insert.run('done', 2, JSON.stringify(run('done', 2)))
    database.exec(`INSERT INTO journals VALUES ('left', 'x', '{"model":"m"}', '{}')`)
    database.close()
    const store = openFileStore(path)
    expect(await store.list(10)).toMatchObject([
      { id: 'done', status: 'final' },
      { id: 'left', status: 'cancelled', canContinue: true },
    ])
    expect(await store.journals?.read('left')).toMatchObject({ settings: { model: 'm' } })
    await store.close()
  })
})

test('a run whose start failed is kept as failed, with the reason', async () => {
  const path = join(folder, 'start-failed.db')
  const store = openFileStore(path)
  const agent: StudioAgent = {
    ...{ url: 'http://a.example', hosts: [] },
    open: () => {
      throw new LlmError('config', 'the address of the agent is wrong')
    },
  }
  const runs = new Runs({ models: [], agents: [agent], assets: {}, store })
  const { id } = await runs.start(
    { model: agent.url, messages: [{ role: 'user', content: 'Go' }] },
    agent,
  )
  await expect.poll(() => runs.live(id)).toBeUndefined()
  const error = { code: 'config', message: 'the address of the agent is wrong' }
  expect(await store.run(id)).toMatchObject({ status: 'failed', error })
  expect((await store.events(id, 0)).at(-1)).toMatchObject({
    type: 'end',
    run: { status: 'failed', error },
  })
  await runs.close()
})
