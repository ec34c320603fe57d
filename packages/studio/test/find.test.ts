import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createMock } from '@modelport/provider-mock'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { atSize } from '../../../test/support/faults.js'
import { openFileStore } from '../src/node.js'
import type { RunRecord, RunSummary } from '../src/protocol/protocol.js'
import type { RunQuery } from '../src/protocol/run-query.js'
import { readQuery } from '../src/server/read-query.js'
import { Runs } from '../src/server/runs.js'
import { createMemoryStore } from '../src/store/file-store.js'
import { conditionsOf, listSql } from '../src/store/run-index.js'
import type { StudioStore } from '../src/store/studio-store.js'
import { fillStudioFile } from './many-runs.js'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelport-find-'))
})
afterAll(() => rm(folder, { recursive: true, maxRetries: 5 }))

const usage = (
  inputTokens: number,
  outputTokens: number,
  cacheReadTokens = 0,
): NonNullable<RunRecord['usage']> => ({
  ...{ inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens: 0, reasoningTokens: 0 },
  ...{ toolDefinitionTokens: 0, turns: [], reported: true },
})
const run = (id: string, at: number, more: Partial<RunRecord> = {}): RunRecord => ({
  ...{ id, at, model: 'demo', title: id, status: 'final' },
  messages: [{ role: 'user', content: 'Hello' }],
  ...more,
})
const call = {
  id: 'c',
  name: 'get_weather',
  arguments: { city: 'Zürich' },
  argumentsText: '{"city":"Zürich"}',
}
const weather: readonly RunRecord[] = [
  run('plain', 1000),
  run('tool', 2000, {
    ...{
      model: 'big',
      program: 'app.mjs',
      cost: 0.5,
      currency: 'EUR',
      latencyMs: 300,
      usage: usage(100, 10, 40),
    },
    transcript: [
      { role: 'user', content: 'How is it there?' },
      { role: 'assistant', content: 'Let me see', toolCalls: [call] },
      { role: 'tool', toolCallId: 'c', content: '{"sky":"thundercloud, 12 °C"}' },
      { role: 'assistant', content: 'A storm is near.' },
    ],
  }),
  run('broken', 3000, {
    status: 'failed',
    error: { code: 'auth', message: 'the key was refused' },
    latencyMs: 100,
  }),
  run('again', 3000, {
    cost: 0.25,
    usage: usage(10, 5),
    latencyMs: 200,
    from: { runId: 'tool', messages: 4 },
  }),
]

describe.each<[string, () => StudioStore]>([
  ['memory', () => createMemoryStore()],
  ['file', () => openFileStore(join(folder, `${Math.random()}.db`))],
])('finding runs in the %s store', (_name, open) => {
  async function filled(runs: readonly RunRecord[] = weather) {
    const store = open()
    for (const one of runs) await store.save(one)
    const find = async (query: RunQuery, limit = 10): Promise<string[]> =>
      (await store.list(limit, query)).map(({ id }) => id)
    return { store, find }
  }

  test.each<[string, RunQuery, string[]]>([
    ['a model', { model: 'big' }, ['tool']],
    ['a program', { program: 'app.mjs' }, ['tool']],
    ['a tool', { tool: 'get_weather' }, ['tool']],
    ['a tool and a word', { tool: 'get_weather', text: 'storm' }, ['tool']],
    ['a state', { status: 'failed' }, ['broken']],
    ['the code of an error', { error: 'auth' }, ['broken']],
    ['any error', { error: 'any' }, ['broken']],
    ['a lowest cost', { minCost: 0.3 }, ['tool']],
    ['a shortest time', { minMs: 200 }, ['again', 'tool']],
    ['a time range', { since: 2000, until: 3000 }, ['tool']],
    ['a session', { session: 'tool' }, ['again', 'tool']],
    ['two filters', { model: 'demo', minCost: 0.1 }, ['again']],
  ])('the list narrows to %s', async (_what, query, ids) => {
    const { store, find } = await filled()
    expect(await find(query)).toEqual(ids)
    expect((await store.totals(query))[0]?.runs).toBe(ids.length)
    await store.close()
  })

  test.each<[string, string, string[]]>([
    ['a tool result by how a word of it starts', 'thunder', ['tool']],
    ['two words in any order', 'storm thundercloud', ['tool']],
    ['the name of a tool', 'get_weather', ['tool']],
    ['an argument without its accent', 'zurich', ['tool']],
    ['a reply in other case', 'STORM', ['tool']],
    ['the text of an error', 'refused', ['broken']],
    ['the message of the user', 'hello', ['broken', 'plain']],
    ['a word that is only the middle of one', 'hunder', []],
    ['a start of a word that is not the last', 'thun storm', []],
    ['what has no letter', '!!! "', []],
  ])('the search finds %s', async (_what, text, ids) => {
    const { store, find } = await filled()
    expect(await find({ text })).toEqual(ids)
    await store.close()
  })

  test('the search shows the text around the first word, and never fails on what a person types', async () => {
    const { store, find } = await filled()
    const [found] = await store.list(1, { text: 'cloud thundercloud' })
    expect(found).toBeUndefined()
    const [one] = await store.list(1, { text: 'thundercloud' })
    expect(one?.found).toContain('"sky":"thundercloud, 12 °C"')
    for (const text of [
      '"',
      'storm"',
      'a AND',
      'NEAR(',
      'storm*',
      '-storm',
      'text:storm',
      '(',
      "';--",
      '\u0000storm',
      '^',
    ])
      expect(Array.isArray(await find({ text })), text).toBe(true)
    expect(await find({ text: 'storm*' })).toEqual(['tool'])
    await store.close()
  })

  test('a run that was cut off is found by what its events say', async () => {
    const { store, find } = await filled([])
    await store.save(run('cut', 5, { status: 'running' }))
    const base = { runId: 'cut', step: 1, seq: 1, at: 1 }
    await store.append('cut', [
      {
        seq: 1,
        at: 1,
        type: 'run',
        event: { ...base, type: 'text-delta', text: 'per', attempt: 1 },
      },
      {
        seq: 2,
        at: 1,
        type: 'run',
        event: { ...base, type: 'text-delta', text: 'haps', attempt: 1 },
      },
      {
        ...{ seq: 3, at: 1, type: 'run' },
        event: {
          ...base,
          type: 'tool-result',
          actionId: 'a',
          tool: 'look',
          args: {},
          result: 'needle',
          latencyMs: 1,
        },
      },
    ])
    await store.save(run('cut', 5, { status: 'cancelled' }))
    for (const query of [{ text: 'perhaps' }, { text: 'needle' }, { tool: 'look' }])
      expect(await find(query)).toEqual(['cut'])
    await store.close()
  })

  test('the pages of a list have each run once, also of runs that started in the same millisecond', async () => {
    const { store } = await filled(
      Array.from({ length: 25 }, (_, index) => run(`r${index}`, index < 20 ? 7 : 8)),
    )
    const seen: string[] = []
    for (let before: number | undefined; ; ) {
      const page: readonly RunSummary[] = await store.list(4, { before })
      seen.push(...page.map(({ id }) => id))
      before = page.at(-1)?.key
      if (page.length < 4) break
    }
    expect(seen).toHaveLength(25)
    expect(new Set(seen).size).toBe(25)
    await store.close()
  })

  test('a session is one row with the number of its runs, also if a run inside it was written first', async () => {
    const { store } = await filled([
      run('inner', 10, { parent: 'outer' }),
      run('outer', 5),
      run('next', 20, { from: { runId: 'outer', messages: 1 } }),
      run('alone', 30),
    ])
    const heads = await store.list(10, { heads: true })
    expect(heads.map(({ id, runs, session }) => [id, runs, session])).toEqual([
      ['alone', 1, 'alone'],
      ['next', 3, 'outer'],
    ])
    await store.close()
  })

  test('totals add tokens, errors and costs per currency, and group by model or by time with percentiles', async () => {
    const { store } = await filled()
    const all = {
      runs: 4,
      errors: 1,
      inputTokens: 110,
      outputTokens: 15,
      cachedTokens: 40,
      costs: { EUR: 0.5, USD: 0.25 },
    }
    expect(await store.totals({})).toEqual([all])
    expect(await store.totals({ text: 'nothing' })).toEqual([])
    expect(await store.totals({}, 'model')).toMatchObject([
      { group: 'big', runs: 1, p50: 300, p95: 300, costs: { EUR: 0.5 } },
      { group: 'demo', runs: 3, p50: 100, p95: 200, costs: { USD: 0.25 } },
    ])
    expect(await store.totals({}, { periodMs: 1000, offset: 500 })).toMatchObject([
      { group: 500, runs: 1 },
      { group: 1500, runs: 1 },
      { group: 2500, runs: 2, errors: 1, p50: 100, p95: 200 },
    ])
    expect((await store.totals({}))[0]).not.toHaveProperty('p50')
    await store.close()
  })

  test('a sorted list counts a run with all runs in it, and lists no run that happened in another one', async () => {
    const store = open()
    const tokens = { usage: usage(10, 0) }
    await store.save(run('cheap', 1, { cost: 1, latencyMs: 30, ...tokens }))
    await store.save(run('wrapper', 2, { latencyMs: 20 }))
    await store.save(run('inside', 3, { parent: 'wrapper', cost: 4, latencyMs: 10, ...tokens }))
    await store.save(run('deeper', 4, { parent: 'inside', cost: 4, ...tokens }))
    await store.save(run('dear', 5, { cost: 5, latencyMs: 5 }))
    const runs = new Runs({ models: [], assets: {}, store })
    const ids = async (query: object): Promise<string[]> =>
      (await runs.list(2, { heads: true, ...query })).map(({ id }) => id)
    expect(await ids({ sort: 'cost' })).toEqual(['wrapper', 'dear'])
    expect(await ids({ sort: 'cost', skip: 2 })).toEqual(['cheap'])
    expect(await ids({ sort: 'tokens' })).toEqual(['wrapper', 'cheap'])
    expect(await ids({ sort: 'latency' })).toEqual(['cheap', 'wrapper'])
    expect((await runs.list(9, { sort: 'cost' })).map(({ id }) => id)).toEqual([
      ...['inside', 'wrapper', 'dear', 'deeper', 'cheap'],
    ])
    await runs.close()
  })

  test('the names of filters are those that occur, and pruning deletes the oldest runs of studios with their words', async () => {
    const { store, find } = await filled()
    expect(await store.names()).toEqual({
      ...{
        programs: ['app.mjs'],
        models: ['big', 'demo'],
        tools: ['get_weather'],
        errors: ['auth'],
      },
    })
    await store.save(run('live', 1, { status: 'running' }))
    await store.save(run('old', 2, { messages: [{ role: 'user', content: 'lighthouse' }] }))
    expect(await find({ text: 'lighthouse' })).toEqual(['old'])
    await store.prune(2)
    expect(await find({})).toEqual(['again', 'broken', 'tool', 'live'])
    expect(await find({ text: 'lighthouse' })).toEqual([])
    await store.close()
  })
})

test('a list with a parameter that does not exist or does not fit is refused with its name', () => {
  expect(() => readQuery({ colour: 'red' })).toThrow(/colour/)
  expect(() => readQuery({ status: 'odd' })).toThrow(/status/)
  expect(() => readQuery({ limit: '1000000' })).toThrow(/limit/)
  expect(readQuery({ text: 'a', by: '3600000', offset: '-60000', heads: 'true' })).toMatchObject({
    query: { text: 'a', heads: true },
    by: { periodMs: 3_600_000, offset: -60_000 },
  })
})

test('the list has runs of the file and runs off the record, in order, page by page', async () => {
  const store = openFileStore(join(folder, 'both.db'))
  const mock = {
    id: 'm',
    provider: 'mock',
    model: 'm',
    hosts: [],
    open: () => createMock({ defaultResponse: 'Hi' }),
  }
  const runs = new Runs({ models: [mock], assets: {}, store })
  const messages = [{ role: 'user' as const, content: 'Hi' }]
  const started: string[] = []
  for (let index = 0; index < 6; index++)
    started.push(
      (await runs.start({ model: 'm', messages, offTheRecord: index % 2 === 0 }, mock)).id,
    )
  const first = await runs.list(4)
  const rest = await runs.list(4, { before: first.at(-1)?.key })
  expect([...first, ...rest].map(({ id }) => id).sort()).toEqual([...started].sort())
  await runs.close()
})

test('old runs are deleted as runs end, so that the maximum is passed by one in a hundred at most', async () => {
  const store = openFileStore(join(folder, 'pruned.db'))
  const mock = {
    id: 'm',
    provider: 'mock',
    model: 'm',
    hosts: [],
    open: () => createMock({ defaultResponse: 'Hi' }),
  }
  const runs = new Runs({ models: [mock], assets: {}, store, maxRuns: 3 })
  for (let index = 0; index < 6; index++) {
    const { id } = await runs.start(
      { model: 'm', messages: [{ role: 'user', content: 'Hi' }] },
      mock,
    )
    await expect.poll(() => runs.live(id)).toBeUndefined()
  }
  await expect.poll(async () => (await runs.list()).length).toBe(3)
  await runs.close()
})

describe('what a studio deletes', () => {
  const mock = {
    id: 'm',
    provider: 'mock',
    model: 'm',
    hosts: [],
    open: () => createMock({ defaultResponse: 'Hi' }),
  }
  const askOnce = async (runs: Runs): Promise<void> => {
    const message = { role: 'user', content: 'Hi' } as const
    const { id } = await runs.start({ model: 'm', messages: [message] }, mock)
    await expect.poll(() => runs.live(id)).toBeUndefined()
  }

  test('a studio that nobody gave a maximum deletes nothing of a file with more than 10,000 runs', async () => {
    const path = join(folder, 'large.db')
    await fillStudioFile(path, 10_050)
    const store = openFileStore(path)
    const runs = new Runs({ models: [mock], assets: {}, store })
    await askOnce(runs)
    expect((await store.totals({}))[0]?.runs).toBe(10_051)
    await runs.close()
  }, 120_000)

  test('a studio with a maximum keeps the runs that other programs made', async () => {
    const store = openFileStore(join(folder, 'attached.db'))
    const attached = weather.map((run) => ({ ...run, id: `of-${run.id}`, program: 'app.mjs' }))
    for (const run of attached) await store.save(run)
    const runs = new Runs({ models: [mock], assets: {}, store, maxRuns: 2 })
    for (let index = 0; index < 4; index++) await askOnce(runs)
    const list = await runs.list()
    expect(list.filter(({ program }) => program === 'app.mjs')).toHaveLength(attached.length)
    expect(list.filter(({ program }) => program === undefined)).toHaveLength(2)
    await runs.close()
  })
})

test('a file of the version before is read into the index: its runs are listed, found and counted', async () => {
  const path = join(folder, 'version-3.db')
  const database = new DatabaseSync(path)
  database.exec(`
    CREATE TABLE runs (id TEXT PRIMARY KEY, at INTEGER NOT NULL, run TEXT NOT NULL, exchanges TEXT, cassette TEXT, owner TEXT);
    CREATE INDEX runs_at ON runs (at);
    CREATE TABLE events (run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, seq INTEGER NOT NULL, event TEXT NOT NULL,
      PRIMARY KEY (run, seq)) WITHOUT ROWID;
    CREATE INDEX runs_owner ON runs (owner) WHERE owner IS NOT NULL;
    PRAGMA user_version = 3`)
  const insert = database.prepare('INSERT INTO runs (id, at, run) VALUES (?, ?, ?)')
  for (const one of weather) insert.run(one.id, one.at, JSON.stringify(one))
  database.close()
  const store = openFileStore(path)
  expect((await store.list(10, { text: 'thundercloud' })).map(({ id }) => id)).toEqual(['tool'])
  expect((await store.list(10)).map(({ id }) => id)).toEqual(['again', 'broken', 'tool', 'plain'])
  expect(await store.totals({ tool: 'get_weather' })).toMatchObject([
    { runs: 1, costs: { EUR: 0.5 } },
  ])
  await store.close()
})

describe('a file with many runs', () => {
  // The plans and the results do not depend on the size; the full run has the one that the page
  // promises.
  const size = atSize(10_000, 100_000)
  const queries: readonly [string, RunQuery][] = [
    ['the list', { heads: true }],
    ['the next page', { heads: true, before: 1_700_000_000_000 * 1024 }],
    ['a model', { model: 'model-3' }],
    ['a state', { status: 'failed' }],
    ['the code of an error', { error: 'auth' }],
    ['any error', { error: 'any' }],
    ['a tool', { tool: 'tool-7' }],
    ['a shortest time', { minMs: 3000 }],
    ['a time range', { since: 1_700_000_000_000, until: 1_700_000_100_000 }],
    ['a word that every run has', { text: 'question' }],
    ['a rare word', { text: `needle${size - 3}` }],
    ['a word and a tool', { text: 'question', tool: 'tool-7' }],
  ]
  let path = ''
  beforeAll(async () => {
    path = join(folder, 'many.db')
    await fillStudioFile(path, size)
    console.log(`${size} small runs: ${Math.round((await stat(path)).size / size)} bytes each`)
  }, 120_000)

  test.each(queries)(
    '%s reads an index in the order of the list, and sorts nothing',
    (_what, query) => {
      const database = new DatabaseSync(path)
      const plan = database
        .prepare(`EXPLAIN QUERY PLAN ${listSql(query)}`)
        .all(...conditionsOf(query).values, 100)
      const details = plan.map(({ detail }) => String(detail))
      // A scan of the list by its key is in the order of the list and ends at the limit.
      expect(
        details.filter((detail) => /TEMP B-TREE|AUTOMATIC/.test(detail)),
        details.join('; '),
      ).toEqual([])
      const others = details.filter(
        (detail) => detail.startsWith('SCAN') && !/^SCAN (l|t VIRTUAL TABLE.*)$/.test(detail),
      )
      expect(others, details.join('; ')).toEqual([])
      database.close()
    },
  )

  test('the list, filters and searches give their rows, and the totals count all', async () => {
    const store = openFileStore(path)
    expect(await store.list(100, { heads: true })).toHaveLength(100)
    expect((await store.list(100, { text: `needle${size - 3}` })).map(({ id }) => id)).toEqual([
      `run-${size - 3}`,
    ])
    expect((await store.list(5, { text: 'question tool-7' })).length).toBe(5)
    expect((await store.totals({}))[0]?.runs).toBe(size)
    expect((await store.totals({ model: 'model-3' }))[0]?.runs).toBe(size / 10)
    expect((await store.totals({}, 'model')).length).toBe(10)
    await store.prune(size - 10)
    expect((await store.totals({}))[0]?.runs).toBe(size - 10)
    await store.close()
  })
})
