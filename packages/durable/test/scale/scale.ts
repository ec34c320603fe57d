// Measures the durable layer: `npm run durable:scale [-- --runs 300]`. Prints the tables of docs/evidence/scaling.md.
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createMock } from '@modelport/provider-mock'
import { defineTool, infer } from '@modelport/runtime'
import type { Database } from '../../src/database/database.js'
import type { RunDefinition } from '../../src/index.js'
import { openPostgresDatabase } from '../../src/postgres/open-database.js'
import { openSqliteDatabase } from '../../src/sqlite/open-database.js'
import { createDurableStore } from '../../src/store/durable-store.js'
import { findPostgres, startPostgres } from '../support/postgres-server.js'

const { values } = parseArgs({ options: { runs: { type: 'string', default: '200' } } })
const runs = Number(values.runs)
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
        messages.some(({ role }) => role === 'tool') ? 'Done.' : { toolCalls: [{ id: 'c', name: 'work' }] },
    })
    return infer(model, run.request({ query: 'Go.', tools: [tool] }))
  },
}
const percentile = (list: number[], part: number): number =>
  [...list].sort((a, b) => a - b)[Math.floor(list.length * part)] ?? 0

/** Runs of two model calls and one tool: all at once for the throughput, then one by one for the latency of a start. */
async function measure(name: string, workers: number, open: () => Promise<Database>): Promise<void> {
  const database = await open()
  const store = createDurableStore(database, {})
  const stores = await Promise.all(Array.from({ length: workers }, async () => createDurableStore(await open(), {})))
  const working = stores.map((one) => one.runs.work([definition], { concurrency: 8 }))
  const ids = Array.from({ length: runs }, (_, index) => `${name}-${workers}-${index}`)
  const begin = performance.now()
  for (const id of ids) startedAt.set(id, performance.now())
  await Promise.all(ids.map((id) => store.runs.start(id, definition)))
  while ((await store.runs.open()).length > 0) await new Promise((resolve) => setTimeout(resolve, 20))
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
    `| ${name} | ${workers} | ${perSecond.toFixed(0)} | ${percentile(latencies, 0.5).toFixed(0)} | ${percentile(latencies, 0.99).toFixed(0)} |`,
  )
}

/** One journal write against its floor: one INSERT and one UPDATE, one transaction. */
async function floor(name: string, open: () => Promise<Database>): Promise<void> {
  const database = await open()
  const store = createDurableStore(database, {})
  const body = JSON.stringify({ text: 'x'.repeat(300) })
  await database.write([{ sql: `CREATE TABLE IF NOT EXISTS floor (id BIGINT PRIMARY KEY, body TEXT)` }])
  await database.write([{ sql: `INSERT INTO meta (name, value) VALUES ('floor', 0) ON CONFLICT DO NOTHING` }])
  const count = 300
  let begin = performance.now()
  for (let index = 0; index < count; index++)
    await database.write([
      { sql: 'INSERT INTO floor (id, body) VALUES (?, ?)', params: [index, body] },
      { sql: `UPDATE meta SET value = ? WHERE name = 'floor'`, params: [index] },
    ])
  const least = (performance.now() - begin) / count
  let own = 0
  await store.runs.run(`floor-${name}`, async ({ journal, id }) => {
    begin = performance.now()
    for (let index = 0; index < count; index++)
      await journal.writeReceipt({
        key: String(index),
        runId: id,
        step: 1,
        attempt: 1,
        at: 0,
        seq: 0,
        text: 'x'.repeat(200),
      } as never)
    own = (performance.now() - begin) / count
    return { status: 'final', content: '', text: '', transcript: [] } as never
  })
  console.log(`| ${name} | ${least.toFixed(2)} | ${own.toFixed(2)} | ${(own / least).toFixed(2)} |`)
  await store.close()
}

const programs = findPostgres()
const server = programs === undefined ? undefined : await startPostgres(programs, { isSafe: true })
try {
  const sqlite = (): Promise<Database> => openSqliteDatabase(join(folder, 'store.db'))
  const postgres = (): Promise<Database> => openPostgresDatabase(server?.url ?? '', { connections: 10 })
  console.log('| database | workers | runs/s | start p50 ms | start p99 ms |\n|---|---|---|---|---|')
  await measure('SQLite', 1, sqlite)
  if (server) for (const workers of [1, 2, 4]) await measure('PostgreSQL', workers, postgres)
  console.log('\n| database | floor ms | journal write ms | ratio |\n|---|---|---|---|')
  await floor('SQLite', sqlite)
  if (server) await floor('PostgreSQL', postgres)
  console.log(`\nSQLite file per run: ${(statSync(join(folder, 'store.db')).size / (runs + 51) / 1024).toFixed(1)} kB`)
} finally {
  await server?.stop()
  rmSync(folder, { recursive: true, maxRetries: 5 })
}
