import '../../../../scripts/sources.mjs'
// Runs histories for as long as asked, continues where it stopped, and prints what it found.
//   pnpm run durable histories -- --minutes 60 --seed 1
//   pnpm run durable histories -- --seed 4711 --one
//   pnpm run durable histories -- --most 20 --on postgres
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { type History, historyOf } from './history.js'
import { newIn } from './known.js'
import { type MoveName, moves } from './moves.js'
import { differences } from './places.js'
import { play, readable, shrink } from './play.js'
import { rareIn } from './rare.js'
import { openRows, places } from './stored-rows.js'

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
    on: { type: 'string' },
  },
})
const first = Number(values.seed)

if (values.on !== undefined) {
  const place = places.find((one) => one === values.on)
  if (!place) throw new Error(`--on is one of: ${places.join(', ')}`)
  const until = performance.now() + Number(values.minutes) * 60_000
  const stored = await openRows(place)
  if (!stored) process.exit(0)
  let count = 0
  let wrong = 0
  try {
    for (; count < Number(values.most) && performance.now() < until; count++) {
      const found = await differences(first + count, stored)
      for (const line of found) console.log(`seed ${first + count}: ${line}`)
      if (found.length > 0) wrong++
    }
  } finally {
    await stored.close()
  }
  console.log(`${count} histories from seed ${first} on ${place}, ${wrong} differ from memory`)
  process.exit(wrong > 0 || count === 0 ? 1 : 0)
}

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
const rare = rareIn(new Map(Object.entries(state.met)), done)
for (const { name, count: times, least } of rare)
  console.log(`hardly ever in force: ${name}, ${times} times; at least ${least} are expected`)
process.exit(state.failed.length > 0 || rare.length > 0 ? 1 : 0)
