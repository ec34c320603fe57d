import '../../../../scripts/sources.mjs'
// The same runs on our store and on DBOS, with real processes that die in the middle of a payment:
// where ledgers or ends differ, one of both is wrong.
//   pnpm run durable oracle -- --seed 1 --most 20
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { findPostgres, startPostgres } from '../support/postgres-server.js'
import { oracleJobOf } from './oracle-jobs.js'
import { ledgerIn } from './oracle-payee.js'

const { values } = parseArgs({
  args: process.argv.slice(2).filter((word) => word !== '--'),
  options: {
    seed: { type: 'string', default: '1' },
    most: { type: 'string', default: '20' },
  },
})
const first = Number(values.seed)
const count = Number(values.most)
const hooks = fileURLToPath(new URL('../support/typescript-hooks.mjs', import.meta.url))
const program = fileURLToPath(new URL('./oracle-program.ts', import.meta.url))

interface End {
  readonly seed: number
  readonly status: string
  readonly text: string
}

/** Starts the program again until it has worked on everything. @returns how often it died */
async function finish(folder: string, engine: readonly string[]): Promise<number> {
  for (let deaths = 0; ; deaths++) {
    const child = spawn(
      process.execPath,
      ['--import', hooks, program, String(first), String(count), folder, ...engine],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    )
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
    if (code === 0) return deaths
    if (signal !== 'SIGKILL') throw new Error(`the program ended with ${code ?? signal}`)
  }
}

/** The end of each run, and what the receiver has of it. */
function endsIn(folder: string): ReadonlyMap<number, string> {
  const lines = readFileSync(join(folder, 'results.txt'), 'utf8').trim().split('\n')
  const ledger = ledgerIn(join(folder, 'ledger.txt'))
  return new Map(
    lines.map((line) => {
      const { seed, status, text } = JSON.parse(line) as End
      const paid = ledger.filter((one) => one.seed === seed && one.effect).map(({ wish }) => wish)
      const sent = ledger.filter((one) => one.seed === seed).length
      return [seed, JSON.stringify({ status, text, paid: paid.sort(), sent })]
    }),
  )
}

const programs = findPostgres()
if (programs === undefined) process.exit(1)
const folder = mkdtempSync(join(tmpdir(), 'modelport-oracle-'))
const server = await startPostgres(programs)
let different = 0
try {
  const folders = ['store', 'dbos'].map((name) => join(folder, name))
  for (const one of folders) mkdirSync(one)
  const [own = '', foreign = ''] = folders
  const deaths = await finish(own, [])
  await finish(foreign, [server.url, 'oracle'])
  const [ours, theirs] = [endsIn(own), endsIn(foreign)]
  for (let seed = first; seed < first + count; seed++) {
    if (ours.get(seed) === theirs.get(seed)) continue
    different++
    console.log(`seed ${seed}: ${JSON.stringify(oracleJobOf(seed))}`)
    console.log(`  our store: ${ours.get(seed)}\n  DBOS:      ${theirs.get(seed)}`)
  }
  console.log(`${count} runs from seed ${first}, ${deaths} deaths, ${different} differ`)
} finally {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}
process.exit(different > 0 ? 1 : 0)
