// `pnpm run durable budget`: processes spend one budget, are killed, and never pass it.
import { parseArgs } from 'node:util'
import { findPostgres } from '../support/postgres-server.js'
import { probeBudget } from './probe.js'

const { values } = parseArgs({
  options: {
    // SQLite, PostgreSQL or both.
    database: { type: 'string', default: 'both' },
    processes: { type: 'string', default: '8' },
    calls: { type: 'string', default: '10000' },
    kills: { type: 'string', default: '100' },
  },
})
const databases = (['SQLite', 'PostgreSQL'] as const).filter(
  (name) =>
    (values.database === 'both' || values.database === name) &&
    (name === 'SQLite' || findPostgres() !== undefined),
)
let wrong = 0
for (const database of databases) {
  const beginsAt = performance.now()
  const report = await probeBudget({
    database,
    processes: Number(values.processes),
    calls: Number(values.calls),
    kills: Number(values.kills),
  })
  wrong += report.wrong.length
  console.log(database, { ...report, seconds: Math.round((performance.now() - beginsAt) / 1000) })
}
process.exitCode = wrong > 0 ? 1 : 0
