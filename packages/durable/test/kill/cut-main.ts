// Every pair of cuts of one case on a store in memory, as a program: arguments are the name of the
// case, and the strides of the second and the first cut.
import { openSqliteDatabase } from '../../src/sqlite/open-database.js'
import { cutEverywhere } from './cuts.js'

const [, , name = '', every = '1', everyFirst = '1'] = process.argv
const inner = await openSqliteDatabase(':memory:')
const report = await cutEverywhere(inner, name, {
  every: Number(every),
  everyFirst: Number(everyFirst),
})
console.log(JSON.stringify({ ...report, seconds: Math.round(performance.now() / 1000) }, null, 2))
process.exit(report.wrong.length > 0 ? 1 : 0)
