// A sample of `pnpm run durable budget`.
import { expect, test } from 'vitest'
import { probeBudget } from './budget-probe/probe.js'
import { findPostgres } from './support/postgres-server.js'

for (const database of ['SQLite', 'PostgreSQL'] as const)
  test.skipIf(database === 'PostgreSQL' && findPostgres() === undefined)(
    `processes that are killed never spend more than their budget on ${database}, and can spend all of it`,
    { timeout: 120_000 },
    async () => {
      const report = await probeBudget({ database, processes: 3, calls: 120, kills: 3 })
      expect(report.wrong).toEqual([])
      expect(report.kills).toBeGreaterThan(0)
      expect(report.charged).toBeLessThanOrEqual(report.limit)
    },
  )
