// `pnpm run durable mutants`: puts each mistake of `mutants.ts` into a copy of the program, and
// shows what the killing test says about it.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cutCases } from './cuts.js'
import { type Mutant, mutants } from './mutants.js'
import { stormOn } from './on-database.js'
import { bundleKill } from './program.js'

const quick = { database: 'SQLite', patienceMs: 20_000 } as const
const storms = {
  poison: { ...quick, workers: 1, jobs: 0, kills: 0, poisoned: 1, slow: 4, patienceMs: 90_000 },
  upgrade: { ...quick, workers: 1, jobs: 8, kills: 6, upgradeEvery: 1 },
  'left behind': { ...quick, workers: 1, jobs: 4, kills: 4, leftBehind: 120 },
} as const

/** What the killing test finds wrong with a program. */
async function look(
  { seenBy }: Mutant,
  { worker, cuts }: Awaited<ReturnType<typeof bundleKill>>,
): Promise<readonly string[]> {
  if ('storm' in seenBy) return (await stormOn({ ...storms[seenBy.storm], program: worker })).wrong
  const { stdout } = spawnSync(process.execPath, [cuts, seenBy.cut, '1', '1'], { encoding: 'utf8' })
  return (JSON.parse(stdout) as { readonly wrong: readonly string[] }).wrong
}

const only = process.argv[2]
let unseen = 0
for (const mutant of mutants.filter(({ name }) => only === undefined || name.includes(only))) {
  const folder = mkdtempSync(join(tmpdir(), 'modelport-mutant-'))
  try {
    const healthy =
      'cut' in mutant.seenBy
        ? undefined
        : await look(mutant, await bundleKill(join(folder, 'healthy')))
    const wrong = await look(mutant, await bundleKill(folder, mutant))
    if (wrong.length === 0 || (healthy && healthy.length > 0)) unseen++
    if (healthy && healthy.length > 0)
      console.log(`  without it: ${healthy.slice(0, 3).join('; ')}`)
    console.log(
      `${wrong.length > 0 ? 'seen  ' : 'UNSEEN'}  ${mutant.name}${wrong.length > 0 ? `: ${wrong.slice(0, 2).join('; ')}` : ''}`,
    )
  } finally {
    rmSync(folder, { recursive: true, maxRetries: 5, force: true })
  }
}
console.log(
  `${Object.keys(cutCases).length} cases of cuts and ${Object.keys(storms).length} storms; ${unseen} mistakes unseen`,
)
process.exitCode = unseen > 0 ? 1 : 0
