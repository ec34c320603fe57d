// The killing test at a small size; `npm run durable:kill` runs it at any size.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { type KillReport, killRun } from './kill/kill-run.js'
import { findPostgres, startPostgres } from './support/postgres-server.js'

const size = { workers: 2, runs: 6, kills: 6 }
const expectNothingLost = (report: KillReport): void =>
  expect(report).toMatchObject({
    finished: report.started,
    kills: size.kills,
    freezes: 1,
    doubled: [],
    missing: [],
    ended: 0,
  })

test('SQLite: workers are killed, and no effect is lost or doubled', { timeout: 240_000 }, async () => {
  const folder = temporaryFolder('kill')
  const report = await killRun({ ...size, address: join(folder, 'store.db'), ledger: join(folder, 'ledger') })
  expectNothingLost(report)
})

const programs = findPostgres()
test.skipIf(programs === undefined)(
  'PostgreSQL: workers are killed and the server restarts, and no effect is lost or doubled',
  { timeout: 240_000 },
  async () => {
    const folder = temporaryFolder('kill')
    const server = await startPostgres(programs!)
    try {
      const report = await killRun({
        ...size,
        address: server.url,
        ledger: join(folder, 'ledger'),
        disturb: () => server.restart(),
      })
      expectNothingLost(report)
    } finally {
      await server.stop()
    }
  },
)
