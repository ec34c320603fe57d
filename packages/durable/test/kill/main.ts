// `pnpm run durable kill`: kills workers at random on a database for as long as one likes, and
// judges what became of every job.
import { parseArgs } from 'node:util'
import { findPostgres } from '../support/postgres-server.js'
import { stormOn } from './on-database.js'

const { values } = parseArgs({
  options: {
    // SQLite, PostgreSQL or both.
    database: { type: 'string', default: 'both' },
    kills: { type: 'string', default: '300' },
    minutes: { type: 'string' },
    jobs: { type: 'string', default: '12' },
    workers: { type: 'string', default: '3' },
    backlog: { type: 'string', default: '200' },
    poisoned: { type: 'string', default: '2' },
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
  const report = await stormOn({
    database,
    workers: Number(values.workers),
    jobs: Number(values.jobs),
    kills: Number(values.kills),
    backlog: Number(values.backlog),
    poisoned: Number(values.poisoned),
    leftBehind: 120,
    upgradeEvery: 40,
    ...(values.minutes !== undefined && { minutes: Number(values.minutes) }),
    onKill: (kills) => {
      if (kills % 50 === 0) console.log(`${database}: ${kills} kills`)
    },
  })
  wrong += report.wrong.length
  console.log(database, { ...report, seconds: Math.round((performance.now() - beginsAt) / 1000) })
}
process.exitCode = wrong > 0 ? 1 : 0
