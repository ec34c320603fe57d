// A SQLite file that is deleted, moved or replaced while a store has it open.
import { copyFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AgentHost, createAgent } from '@modelport/agent'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import type { DurableStore } from '../src/index.js'
import { openSqliteStore } from '../src/sqlite/sqlite.js'
import { finalResult } from './support/journal-entries.js'

const done = () => Promise.resolve(finalResult('done'))
const folder = temporaryFolder('lost-file')
const fileOf = (name: string): string => join(folder, `${name}.db`)
const lost = (path: string) => ({
  reason: 'closed',
  code: 'aborted',
  message: `the store "${path}" ended: its file, or the log next to it, was deleted, moved or replaced while it was open; open the store again`,
})

/** A store looks at its file now and then: a write that comes before the next look succeeds. */
async function expectRefused(store: DurableStore, path: string): Promise<void> {
  let writes = 0
  await expect
    .poll(() =>
      store.runs.run(`write ${writes++}`, done).then(
        () => 'written',
        (error: unknown) => error,
      ),
    )
    .toMatchObject(lost(path))
}

const ways: readonly (readonly [string, (path: string) => void])[] = [
  ['deleted', (path) => rmSync(path)],
  ['moved', (path) => renameSync(path, `${path}.old`)],
  [
    'replaced',
    (path) => {
      copyFileSync(path, `${path}.copy`)
      renameSync(`${path}.copy`, path)
    },
  ],
]

test.each(ways)(
  'a file that is %s refuses the next write and everything after it',
  async (name, lose) => {
    const path = fileOf(name)
    const store = await openSqliteStore(path)
    await store.runs.run('a', done)
    lose(path)
    await expectRefused(store, path)
    await expect(store.runs.open()).rejects.toMatchObject(lost(path))
    await expect(store.runs.run('b', done)).rejects.toMatchObject(lost(path))
    await store.close()
  },
)

test('a log that is deleted refuses the next write, and the file opens again without it', async () => {
  const path = fileOf('log')
  const store = await openSqliteStore(path)
  await store.runs.run('a', done)
  rmSync(`${path}-wal`)
  await expectRefused(store, path)
  await store.close()
  const again = await openSqliteStore(path)
  expect((await again.runs.run('b', done)).text).toBe('done')
  await again.close()
})

test('a worker whose file is deleted reports it once and ends, and can be stopped', async () => {
  const path = fileOf('worker')
  const store = await openSqliteStore(path, { leaseMs: 1000 })
  const errors: unknown[] = []
  const definition = { name: 'job', fingerprint: { v: 1 }, execute: done }
  const worker = store.runs.work([definition], { onError: (error) => errors.push(error) })
  await store.runs.start('a', definition)
  await expect.poll(async () => (await store.runs.get('a')).status).toBe('finished')
  rmSync(path)
  await expect.poll(() => errors).toMatchObject([lost(path)])
  // Two more looks of a worker that continues.
  await sleep(1200)
  expect(errors).toHaveLength(1)
  await worker.stop()
  await store.close()
})

test('a host of agents whose file is deleted reports it once and looks for no more tasks', async () => {
  const path = fileOf('host')
  const store = await openSqliteStore(path, { leaseMs: 1000 })
  const errors: unknown[] = []
  const agent = createAgent({ card: { name: 'x', description: 'x' }, handler: () => 'x' })
  const host = new AgentHost([agent], { store, onError: (error) => errors.push(error) })
  await host.store.ping()
  rmSync(path)
  await expect.poll(() => errors).toMatchObject([lost(path)])
  // Three more looks of a host that continues.
  await sleep(1200)
  expect(errors).toHaveLength(1)
  await expect(host.store.ping()).rejects.toMatchObject(lost(path))
  await host.drain(100)
  await store.close()
})
