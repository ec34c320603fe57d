// Measures the durable layer: `npm run durable scale [-- --runs 300]`. Prints the tables of
// evidence/scaling.md.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createMock } from '@modelport/provider-mock'
import { defineTool, infer } from '@modelport/runtime'
import { BodyCodec } from '../../src/database/body-codec.js'
import type { Database } from '../../src/database/database.js'
import type { RunDefinition } from '../../src/index.js'
import { openPostgresDatabase } from '../../src/postgres/open-database.js'
import { versionOf } from '../../src/runs/run-definition.js'
import { RunTable } from '../../src/runs/run-table.js'
import { openSqliteDatabase } from '../../src/sqlite/open-database.js'
import { createDurableStore } from '../../src/store/durable-store.js'
import { findPostgres, startPostgres } from '../support/postgres-server.js'

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '200' } },
  strict: false,
})
const runs = Number(values.runs)
const hooks = new URL('../support/typescript-hooks.mjs', import.meta.url)
const folder = mkdtempSync(join(tmpdir(), 'modelport-scale-'))

const tool = defineTool({
  name: 'work',
  description: 'Works',
  parameters: { type: 'object', properties: {} },
  execute: () => 'done',
})
const startedAt = new Map<string, number>()
const latencies: number[] = []
const definition: RunDefinition = {
  name: 'scale',
  fingerprint: { version: 1 },
  execute: (run) => {
    latencies.push(performance.now() - (startedAt.get(run.id) ?? 0))
    const model = createMock({
      defaultResponse: ({ messages }) =>
        messages.some(({ role }) => role === 'tool')
          ? 'Done.'
          : { toolCalls: [{ id: 'c', name: 'work' }] },
    })
    return infer(model, run.request({ query: 'Go.', tools: [tool] }))
  },
}
const percentile = (list: number[], part: number): number =>
  [...list].sort((a, b) => a - b)[Math.floor(list.length * part)] ?? 0

/**
 * Runs of two model calls and one tool: all at once for the throughput, then one by one for the
 * latency of a start.
 */
async function measure(
  name: string,
  workers: number,
  open: () => Promise<Database>,
): Promise<void> {
  const database = await open()
  const store = createDurableStore(database, {})
  const stores = await Promise.all(
    Array.from({ length: workers }, async () => createDurableStore(await open(), {})),
  )
  const working = stores.map((one) => one.runs.work([definition], { concurrency: 8 }))
  const ids = Array.from({ length: runs }, (_, index) => `${name}-${workers}-${index}`)
  const begin = performance.now()
  for (const id of ids) startedAt.set(id, performance.now())
  await Promise.all(ids.map((id) => store.runs.start(id, definition)))
  while ((await store.runs.open()).length > 0)
    await new Promise((resolve) => setTimeout(resolve, 20))
  const perSecond = runs / ((performance.now() - begin) / 1000)
  latencies.length = 0
  for (let index = 0; index < 30; index++) {
    const id = `${name}-${workers}-single-${index}`
    startedAt.set(id, performance.now())
    await store.runs.start(id, definition)
    await store.runs.result(id)
  }
  await Promise.all(working.map((worker) => worker.stop()))
  await Promise.all([...stores, store].map((one) => one.close()))
  console.log(
    `| ${name} | ${workers} | ${perSecond.toFixed(0)} | ${percentile(latencies, 0.5).toFixed(0)} | ${percentile(latencies, 0.95).toFixed(0)} |`,
  )
}

const steps = 20
/** A run of 20 steps, each a model call and a tool. */
const long = (run?: Parameters<RunDefinition['execute']>[0]) => {
  const model = createMock({
    defaultResponse: ({ messages }) => {
      const step = messages.filter(({ role }) => role === 'tool').length
      return step === steps
        ? 'Done.'
        : { toolCalls: [{ id: `c${step}`, name: 'work', arguments: { step } }] }
    },
  })
  const request = {
    query: 'Go.',
    tools: [tool],
    limits: { maxSteps: steps + 2, maxRepeats: 99, maxIdleSteps: 99 },
  }
  return infer(model, run ? run.request(request) : request)
}

const cpuMs = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1000
}

/**
 * Transactions, statements and CPU of this process per step, against one INSERT and one UPDATE in
 * one transaction. The loop's own work is taken off.
 */
async function stepCost(name: string, open: () => Promise<Database>): Promise<void> {
  const database = await open()
  const counts = { transactions: 0, statements: 0, reads: 0 }
  const counted = new Proxy(database, {
    get: (target, key) => {
      const value = target[key as keyof Database] as unknown
      if (typeof value !== 'function') return value
      return (...given: unknown[]) => {
        if (key === 'write') {
          counts.transactions++
          counts.statements += (given[0] as readonly unknown[]).length
        } else if (key === 'read') counts.reads++
        return (value as (...all: unknown[]) => unknown).apply(target, given)
      }
    },
  })
  const store = createDurableStore(counted, {})
  const rounds = 8
  const timed = async (
    act: (index: number) => Promise<unknown>,
  ): Promise<{ cpu: number; ms: number }> => {
    for (let index = 0; index < 2; index++) await act(-1 - index)
    Object.assign(counts, { transactions: 0, statements: 0, reads: 0 })
    const [cpu, begin] = [process.cpuUsage(), performance.now()]
    for (let index = 0; index < rounds; index++) await act(index)
    return { cpu: cpuMs(cpu) / rounds / steps, ms: (performance.now() - begin) / rounds / steps }
  }
  const loop = await timed(() => long())
  const durable = await timed((index) => store.runs.run(`step-${name}-${index}`, long))
  const per = (count: number): string => (count / rounds / steps).toFixed(1)
  const counting = `${per(counts.transactions)} | ${per(counts.statements)} | ${per(counts.reads)}`
  await database.write([{ sql: 'CREATE TABLE least (id BIGINT PRIMARY KEY, body TEXT)' }])
  const body = JSON.stringify({ text: 'x'.repeat(300) })
  let id = 0
  const least = await timed(async () => {
    for (let step = 0; step < steps; step++)
      await database.write([
        { sql: 'INSERT INTO least (id, body) VALUES (?, ?)', params: [++id, body] },
        { sql: 'UPDATE least SET body = ? WHERE id = ?', params: [body, id] },
      ])
  })
  const show = ({ cpu, ms }: { cpu: number; ms: number }): string =>
    `${cpu.toFixed(2)} / ${ms.toFixed(2)}`
  const ratios = `${((durable.cpu - loop.cpu) / least.cpu).toFixed(1)} / ${((durable.ms - loop.ms) / least.ms).toFixed(1)}`
  console.log(
    `| ${name} | ${counting} | ${show(durable)} | ${show(loop)} | ${show(least)} | ${ratios} |`,
  )
  await store.close()
}

/** How long a killed process delays its run beyond the lease, and what an idle worker costs. */
async function takeover(
  name: string,
  address: string,
  open: () => Promise<Database>,
): Promise<void> {
  const leaseMs = 2000
  const store = createDurableStore(await open(), { leaseMs })
  const took: number[] = []
  for (let index = 0; index < 5; index++) {
    const id = `victim-${name}-${index}`
    await store.runs.start(id, { ...definition, name: 'victim' })
    const child = fork(new URL(import.meta.url), ['--victim', address], {
      execArgv: ['--import', fileURLToPath(hooks)],
    })
    await once(child, 'message')
    const killedAt = performance.now()
    child.kill('SIGKILL')
    const worker = store.runs.work([
      {
        ...definition,
        name: 'victim',
        execute: (run) => (took.push(performance.now() - killedAt), long(run)),
      },
    ])
    await store.runs.result(id)
    await worker.stop()
  }
  const idle = store.runs.work([definition])
  await new Promise((resolve) => setTimeout(resolve, 1000))
  const cpu = process.cpuUsage()
  await new Promise((resolve) => setTimeout(resolve, 10_000))
  const share = cpuMs(cpu) / 100
  await idle.stop()
  await store.close()
  console.log(
    `| ${name} | ${percentile(took, 0.5).toFixed(0)} | ${Math.max(...took).toFixed(0)} | ${share.toFixed(1)} |`,
  )
}

/** What a worker needs for a run while few or many wait. */
async function backlog(name: string, open: () => Promise<Database>): Promise<void> {
  const database = await open()
  const store = createDurableStore(database, {})
  const table = new RunTable(database, new BodyCodec(undefined))
  const queue = { ...definition, name: 'backlog' }
  let made = 0
  const fill = async (count: number): Promise<void> => {
    const of = { queue: queue.name, version: versionOf(queue), fingerprint: queue.fingerprint }
    for (const end = made + count; made < end; )
      await database.write(
        Array.from({ length: Math.min(1000, end - made) }, () =>
          table.insert({ id: `${name}-b${made++}`, ...of }),
        ),
      )
  }
  const costs: string[] = []
  for (const waiting of [100, 100_000]) {
    await fill(waiting - made)
    await store.work({ runs: [queue], maxTasks: 10 })
    const [cpu, begin] = [process.cpuUsage(), performance.now()]
    await store.work({ runs: [queue], maxTasks: 50 })
    costs.push(`${(cpuMs(cpu) / 50).toFixed(1)} / ${((performance.now() - begin) / 50).toFixed(1)}`)
  }
  console.log(`| ${name} | ${costs.join(' | ')} |`)
  await store.close()
}

if (process.argv.includes('--victim')) {
  const address = process.argv.at(-1) ?? ''
  const database = address.startsWith('postgres')
    ? await openPostgresDatabase(address, { connections: 4 })
    : await openSqliteDatabase(address)
  const execute = (): Promise<never> => {
    process.send?.('began')
    return new Promise(() => undefined)
  }
  createDurableStore(database, { leaseMs: 2000 }).runs.work([
    { ...definition, name: 'victim', execute },
  ])
  await new Promise(() => undefined)
}

const programs = findPostgres()
const server = programs === undefined ? undefined : await startPostgres(programs, { isSafe: true })
try {
  const sqlite = (): Promise<Database> => openSqliteDatabase(join(folder, 'store.db'))
  const postgres = (): Promise<Database> =>
    openPostgresDatabase(server?.url ?? '', { connections: 10 })
  console.log(
    '| database | workers | runs/s | start p50 ms | start p95 ms |\n|---|---|---|---|---|',
  )
  await measure('SQLite', 1, sqlite)
  if (server) for (const workers of [1, 2, 4]) await measure('PostgreSQL', workers, postgres)
  const both = async (
    measureOne: (name: string, open: () => Promise<Database>) => Promise<void>,
  ): Promise<void> => {
    await measureOne('SQLite', sqlite)
    if (server) await measureOne('PostgreSQL', postgres)
  }
  console.log(
    '\n| database | transactions | statements in them | reads | a step, CPU / ms | without a store | one INSERT and one UPDATE | ratio |\n|---|---|---|---|---|---|---|---|',
  )
  await both(stepCost)
  console.log(
    '\n| database | takeover p50 ms, lease 2,000 | longest | idle worker, % of a core |\n|---|---|---|---|',
  )
  await both((name, open) =>
    takeover(name, name === 'SQLite' ? join(folder, 'store.db') : (server?.url ?? ''), open),
  )
  console.log('\n| database | a run while 100 wait, CPU / ms | while 100,000 wait |\n|---|---|---|')
  await both(backlog)
} finally {
  await server?.stop()
  rmSync(folder, { recursive: true, maxRetries: 5 })
}
