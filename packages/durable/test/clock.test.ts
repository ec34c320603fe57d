// SQLite has no clock of its own: leases are written and read with the clocks of the processes,
// which jump and differ here. With PostgreSQL every time is the server's, which a busy process
// hears late.
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { openSqliteDatabase } from '../src/sqlite/open-database.js'
import { createDurableStore } from '../src/store/durable-store.js'
import { spawnWorker } from './kill/adapter/modelport.js'
import { definitionOf, promptOf } from './kill/adapter/script.js'
import { openLedger } from './kill/ledger.js'
import { stormOn } from './kill/on-database.js'
import { bundleKill } from './kill/program.js'
import { jobOf } from './kill/storm.js'
import { emptyDatabases } from './support/databases.js'

const tenMinutes = 600_000
const postgres = emptyDatabases().find((place) => place.name === 'PostgreSQL')

test.skipIf(postgres?.isMissing)(
  'the clock of the server is not set back in a process that hears it late',
  async () => {
    const database = await postgres!.open()
    const endsAt = performance.now() + 3000
    let last = database.now()
    let back = 0
    while (performance.now() < endsAt) {
      // Nothing that was received is read meanwhile.
      for (const until = performance.now() + 30; performance.now() < until; ) {
        const now = database.now()
        back = Math.max(back, last - now)
        last = now
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
    await database.close()
    expect(back).toBe(0)
  },
)

test('workers whose clocks jump ten minutes apart lose and double no effect', {
  timeout: 240_000,
}, async () => {
  const clocks = [`2000:${tenMinutes}`, `2000:-${tenMinutes}`]
  const { wrong } = await stormOn({ database: 'SQLite', workers: 2, jobs: 4, kills: 5, clocks })
  expect(wrong).toEqual([])
})

test('a run that a process with a clock ahead left behind is continued at once after resume', async () => {
  const folder = temporaryFolder('clock')
  const address = join(folder, 'store.db')
  const leaseMs = 1000
  const database = await openSqliteDatabase(address)
  const store = createDurableStore(database, { leaseMs })
  const ledger = await openLedger()
  // The process ends in the middle of its first call.
  ledger.onEffect = () => 'lost'
  const job = { ...jobOf(5), id: 'a' }
  const work = definitionOf(({ call }) => Promise.resolve(`done ${call}`), 1)
  await store.runs.start('a', work, promptOf(job))
  const { worker: program } = await bundleKill(folder)
  const { child } = await spawnWorker(
    { address, leaseMs, ledger: ledger.url, program },
    'w',
    1,
    `0:${tenMinutes}`,
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  await expect.poll(() => ledger.effects.length).toBeGreaterThan(0)
  child.kill('SIGKILL')
  await once(child, 'exit')
  ledger.close()
  const startsAt = Date.now()
  const worker = store.runs.work([work])
  try {
    // Its lease ends ten minutes from now, by this clock.
    const beat = async () =>
      Number((await database.read('SELECT min(seen) AS seen FROM workers'))[0]!['seen'])
    await expect.poll(beat).toBeGreaterThan(startsAt + 2 * leaseMs)
    expect((await store.runs.get('a')).status).toBe('running')
    await store.operations.resume('a', { takeOver: true })
    await expect
      .poll(async () => (await store.operations.list())[0]?.waitsFor)
      .toMatchObject([{ kind: 'uncertain' }])
    expect(await store.runs.get('a')).toMatchObject({ status: 'suspended', crashes: 0 })
  } finally {
    await worker.stop()
    await store.close()
  }
})
