import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bundleCommit } from './commits/bundle-commit.ts'
import { medianOf, middleOf } from './spread.ts'
import { type Loop, type Modelport, modelportRows, rows } from './steps/rows.ts'
import { final } from './steps/server.ts'

/**
 * `node src/commits.ts BEFORE [AFTER]`: what a model call costs at two commits, side by side; AFTER
 * is the working tree unless it is given. Both are built into one process from their sources, next
 * to the floor, and take turns of a few loops each: another load on the machine is in both. A ratio
 * is that of two turns of one round; the table has its median, and where the middle half lies.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '60' },
    steps: { type: 'string', default: '1,5,20,100' },
    row: { type: 'string', multiple: true, default: ['infer', 'streamWithTools'] },
  },
})
const [before, after = '.'] = positionals
if (before === undefined) throw new Error('usage: node src/commits.ts BEFORE [AFTER]')

/** Model calls of one turn: few, so that the load is the same for the next one. */
const callsOfTurn = 40

const folder = mkdtempSync(join(tmpdir(), 'modelport-commits-'))
const server = fork(new URL('steps.ts', import.meta.url), ['server'])
const [url] = (await once(server, 'message')) as [string]
try {
  const programs = await Promise.all(
    [before, after].map((commit, at) => bundleCommit(commit, mkdtempSync(join(folder, `${at}-`)))),
  )
  const [old, now] = await Promise.all(
    programs.map(async (file) => modelportRows((await import(file)) as Modelport)),
  )
  const floor = await rows['floor']?.()
  if (!old || !now || !floor) throw new Error('a row is missing')
  console.log(
    `Times floor, and ${after} ÷ ${before}; in parentheses the middle half of the rounds.\n`,
  )
  console.log('| row | steps | before | after | after ÷ before |\n|---|--:|--:|--:|--:|')
  for (const name of values.row)
    for (const steps of values.steps.split(',').map(Number)) {
      const loops = [floor, old[name], now[name]]
      if (!loops.every((loop) => loop !== undefined)) throw new Error(`there is no row "${name}"`)
      const costs = await measure(loops, steps)
      const ratio = (one: number, other: number): string => {
        const all = (costs[one] ?? []).map((cost, round) => cost / (costs[other]?.[round] ?? NaN))
        const [from, to] = middleOf(all)
        return `${medianOf(all).toFixed(2)} (${from.toFixed(2)} to ${to.toFixed(2)})`
      }
      console.log(`| ${name} | ${steps} | ${ratio(1, 0)} | ${ratio(2, 0)} | ${ratio(2, 1)} |`)
    }
} finally {
  server.kill()
  rmSync(folder, { recursive: true, force: true })
}
process.exit()

/** Microseconds of CPU of each loop in each round. */
async function measure(loops: readonly Loop[], steps: number): Promise<readonly number[][]> {
  const address = `${url}/${steps}/v1`
  const repeats = Math.max(1, Math.round(callsOfTurn / steps))
  const turn = async (loop: Loop): Promise<number> => {
    const start = process.cpuUsage()
    for (let index = 0; index < repeats; index++) {
      const text = await loop(address)
      if (text !== final) throw new Error(`the loop returned ${JSON.stringify(text)}`)
    }
    const { user, system } = process.cpuUsage(start)
    return user + system
  }
  const costs: number[][] = loops.map(() => [])
  // Until the code of every loop is compiled.
  for (let round = 0; round < 15; round++) for (const loop of loops) await turn(loop)
  for (let round = 0; round < Number(values.rounds); round++) {
    const order = [...loops.entries()]
    for (const [at, loop] of round % 2 ? order : order.reverse()) costs[at]?.push(await turn(loop))
  }
  return costs
}
