// How many histories each mutation takes until it is found.
//   pnpm run durable mutations -- 300 "a claim"
import '../../../../scripts/sources.mjs'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { mutations } from './mutations.js'

const [most = '300', only = ''] = process.argv.slice(2).filter((word) => word !== '--')
const program = fileURLToPath(new URL('mutations-run.ts', import.meta.url))
const hooks = fileURLToPath(new URL('../support/typescript-hooks.mjs', import.meta.url))
/** A history that takes longer does not end: that is found, too. */
const patienceMs = 600_000

/** Plays mutations in a process of their own. @returns how many were played, or could not be */
async function playFrom(indexes: readonly number[], onFound: (line: Found) => void) {
  const args = ['--import', hooks, program, most, ...indexes.map(String)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let timer = setTimeout(() => child.kill('SIGKILL'), patienceMs)
  let count = 0
  for await (const line of createInterface({ input: child.stdout })) {
    clearTimeout(timer)
    timer = setTimeout(() => child.kill('SIGKILL'), patienceMs)
    onFound(JSON.parse(line) as Found)
    count++
  }
  clearTimeout(timer)
  return count
}

interface Found {
  readonly index: string
  readonly seed: number
  readonly wrong: readonly string[]
}

let killed = 0
const report = ({ index, seed, wrong }: Found): void => {
  if (wrong.length > 0) killed++
  const { name } = mutations[Number(index)]!
  const found = wrong.length > 0 ? String(seed) : 'not found'
  console.log(`| ${name} | ${found} | ${wrong[0]?.slice(0, 160) ?? ''} |`)
}

const judged = [...mutations.entries()].flatMap(([index, { name, equivalent }]) =>
  equivalent === undefined && name.includes(only) ? [index] : [],
)
for (let rest: readonly number[] = judged; rest.length > 0; ) {
  const count = await playFrom(rest, report)
  if (count < rest.length)
    report({ index: String(rest[count]), seed: 0, wrong: ['it does not end, or cannot be played'] })
  rest = rest.slice(count + 1)
}
console.log(`${killed} of ${judged.length} are found within ${most} histories`)
process.exit(killed < judged.length * 0.9 ? 1 : 0)
