// SQLite has no clock of its own: leases are written and read with the clocks of the processes, which jump and differ here.
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { openSqliteDatabase } from '../src/sqlite/sqlite.js'
import { createDurableStore } from '../src/store/durable-store.js'
import { killRun } from './kill/kill-run.js'
import { bundleWorker, spawnWorker } from './kill/worker-program.js'
import { definition, hold, releaseHeld } from './kill/worker.js'

const tenMinutes = 600_000

test('workers whose clocks jump ten minutes apart lose and double no effect', { timeout: 240_000 }, async () => {
  const folder = temporaryFolder('clock')
  const report = await killRun({
    address: join(folder, 'store.db'),
    ledger: join(folder, 'ledger'),
    workers: 2,
    runs: 6,
    kills: 5,
    clocks: [`2000:${tenMinutes}`, `2000:-${tenMinutes}`],
  })
  expect(report).toMatchObject({ finished: report.started, doubled: [], missing: [] })
})

test('a run that a process with a clock ahead left behind is continued at once after resume', async () => {
  const folder = temporaryFolder('clock')
  const [address, ledger] = [join(folder, 'store.db'), join(folder, 'ledger')]
  const leaseMs = 1000
  const database = await openSqliteDatabase(address)
  const store = createDurableStore(database, { leaseMs })
  const work = definition(ledger)
  await store.runs.start('a', work)
  hold(ledger, 'a')
  const child = spawnWorker(await bundleWorker(folder), address, ledger, `0:${tenMinutes}`)
  await expect.poll(() => existsSync(ledger)).toBe(true)
  child.kill('SIGKILL')
  await once(child, 'exit')
  releaseHeld(ledger)
  const startsAt = Date.now()
  const worker = store.runs.work([work])
  try {
    // Its lease ends ten minutes from now, by this clock.
    const beat = async () => Number((await database.read('SELECT min(seen) AS seen FROM workers'))[0]!['seen'])
    await expect.poll(beat).toBeGreaterThan(startsAt + 2 * leaseMs)
    expect((await store.runs.get('a')).status).toBe('running')
    await store.operations.resume('a')
    const { status, checkpoint } = await store.runs.get('a').then(async () => {
      await expect.poll(async () => (await store.runs.get('a')).status).toMatch(/suspended|finished/)
      return store.runs.get('a')
    })
    for (const item of status === 'suspended' ? (checkpoint?.pending ?? []) : [])
      await store.runs.decide('a', { type: 'result', id: item.id, result: 'done' })
    await expect.poll(async () => (await store.runs.get('a')).status).toBe('finished')
    expect((await store.runs.result('a')).status).toBe('final')
  } finally {
    await worker.stop()
    await store.close()
  }
})
