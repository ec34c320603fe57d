import '../../../../scripts/sources.mjs'
// Runs histories for as long as asked, continues where it stopped, and prints what it found.
//   pnpm run durable:histories -- --minutes 60 --seed 1
//   pnpm run durable:histories -- --seed 4711 --one
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { type History, historyOf } from './history.js'
import { newIn } from './known.js'
import { type MoveName, moves } from './moves.js'
import { play, readable, shrink } from './play.js'

const { values } = parseArgs({
  args: process.argv.slice(2).filter((word) => word !== '--'),
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    one: { type: 'boolean', default: false },
    history: { type: 'string' },
    evidence: { type: 'boolean', default: false },
    shrink: { type: 'boolean', default: false },
    most: { type: 'string', default: 'Infinity' },
    state: { type: 'string' },
  },
})
const first = Number(values.seed)

if (values.one) {
  const history = values.history
    ? (JSON.parse(readFileSync(values.history, 'utf8')) as History<MoveName>)
    : historyOf(first, moves)
  const verdict = await play(history)
  console.log(readable(history))
  console.log(verdict.trace.map((line) => `    ${line}`).join('\n'))
  if (values.evidence) console.log(JSON.stringify(verdict.evidence, null, 1))
  console.log(verdict.wrong.length > 0 ? verdict.wrong.join('\n') : 'nothing is wrong')
  if (verdict.wrong.length > 0 && values.shrink) {
    const small = await shrink(history)
    console.log(`${readable(small)}\n${JSON.stringify(small)}`)
  }
  console.log(`${verdict.events} events, ${verdict.virtualMs} virtual ms`)
  process.exit(verdict.wrong.length > 0 ? 1 : 0)
}

interface State {
  next: number
  /** Histories that went wrong as it is known. */
  known: number
  met: Record<string, number>
  failed: { seed: number; wrong: readonly string[] }[]
}
const file = values.state ?? `.cache/histories-${first}.json`
const state: State = existsSync(file)
  ? (JSON.parse(readFileSync(file, 'utf8')) as State)
  : { next: first, known: 0, met: {}, failed: [] }
const until = performance.now() + Number(values.minutes) * 60_000
const last = state.next + Number(values.most)
while (performance.now() < until && state.next < last) {
  const seed = state.next++
  const history = historyOf(seed, moves)
  const { wrong: all, met, inForce } = await play(history)
  const wrong = newIn(all, history)
  if (all.length > wrong.length) state.known++
  const count = (name: string, by = 1): unknown => (state.met[name] = (state.met[name] ?? 0) + by)
  for (const [name, by] of met) count(name, by)
  for (const [index, name] of inForce.entries())
    if (index > 0) count(`pair: ${inForce[index - 1]} > ${name}`)
  if (wrong.length === 0) continue
  state.failed.push({ seed, wrong })
  console.log(`seed ${seed}: ${wrong.slice(0, 3).join(' | ').slice(0, 400)}`)
}
mkdirSync(dirname(file), { recursive: true })
writeFileSync(file, JSON.stringify(state))
const done = state.next - first
console.log(
  `${done} histories from seed ${first}, ${state.failed.length} with something new wrong, ${state.known} with a known defect`,
)
const rare = Object.entries(moves).filter(
  ([name, { weight }]) => (state.met[name] ?? 0) < (done * weight) / 200,
)
for (const [name] of rare) console.log(`hardly ever in force: ${name} (${state.met[name] ?? 0})`)
process.exit(state.failed.length > 0 || (done > 1000 && rare.length > 0) ? 1 : 0)
