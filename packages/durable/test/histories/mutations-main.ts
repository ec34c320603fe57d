// How many histories each mutation takes until it is found.
//   pnpm run durable mutations -- 300 "a claim"
//   pnpm run durable mutations -- 300 --from 40 --part 1/2
//   pnpm run durable mutations -- 40 --state .cache/mutations.json
import '../../../../scripts/sources.mjs'
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { mutations } from './mutations.js'

const { values, positionals } = parseArgs({
  args: process.argv.slice(2).filter((word) => word !== '--'),
  allowPositionals: true,
  options: {
    /** Histories that were played before. */
    from: { type: 'string', default: '0' },
    /** Which part of the mutations this process plays. */
    part: { type: 'string', default: '1/1' },
    /** A file with what was found before: it continues there. */
    state: { type: 'string' },
  },
})
const [most = '300', only = ''] = positionals
const [part = 1, parts = 1] = values.part.split('/').map(Number)
const program = fileURLToPath(new URL('mutations-run.ts', import.meta.url))
const hooks = fileURLToPath(new URL('../support/typescript-hooks.mjs', import.meta.url))
/** A history that takes longer does not end: that is found, too. */
const patienceMs = 600_000

/** A history that was played, or what all of them found. */
interface Line {
  readonly index: string
  readonly played?: number
  readonly wrong?: readonly string[]
}

/** Plays mutations in a process of their own. @returns how many were played */
async function playFrom(indexes: readonly number[], onFound: (line: Line) => void) {
  const args = ['--import', hooks, program, values.from, most, ...indexes.map(String)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let isLate = false
  const stop = (): void => {
    isLate = true
    child.kill('SIGKILL')
  }
  let timer = setTimeout(stop, patienceMs)
  let count = 0
  for await (const text of createInterface({ input: child.stdout })) {
    clearTimeout(timer)
    timer = setTimeout(stop, patienceMs)
    const line = JSON.parse(text) as Line
    if (!line.wrong) continue
    onFound(line)
    count++
  }
  clearTimeout(timer)
  return { count, isLate: isLate as boolean }
}

const { state: file } = values
const known: Record<string, Line> =
  file !== undefined && existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, Line>)
    : {}
let killed = 0
const report = (line: Line): void => {
  const { index, played = 0, wrong = [] } = line
  if (wrong.length > 0) killed++
  const { name } = mutations[Number(index)]!
  known[name] = line
  if (file !== undefined) writeFileSync(file, JSON.stringify(known, undefined, 1))
  const found = wrong.length > 0 ? String(played) : 'not found'
  console.log(`| ${name} | ${found} | ${wrong[0]?.slice(0, 160) ?? ''} |`)
}

const judged = [...mutations.entries()].flatMap(([index, { name, equivalent }]) =>
  equivalent === undefined && name.includes(only) && index % parts === part - 1 ? [index] : [],
)
for (const { wrong = [] } of Object.values(known)) if (wrong.length > 0) killed++
// The newest are played first.
const left = judged.filter((index) => !(mutations[index]!.name in known)).toReversed()
for (let rest: readonly number[] = left; rest.length > 0; ) {
  const { count, isLate } = await playFrom(rest, report)
  if (count < rest.length) {
    const index = rest[count]!
    if (isLate) report({ index: String(index), wrong: ['a history does not end'] })
    else console.log(`| ${mutations[index]!.name} | **cannot be played** | |`)
  }
  rest = rest.slice(count + 1)
}
console.log(`${killed} of ${judged.length} are found within ${most} histories`)
process.exit(killed < judged.length * 0.9 ? 1 : 0)
