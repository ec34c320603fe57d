import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { medianOf, middleOf } from './spread.ts'
import { type Loop, rows, rowsOfOneStep } from './steps/rows.ts'
import { final, serveModel } from './steps/server.ts'

/**
 * `node src/steps.ts [rounds] [calls] [ROW...]`: what one model call costs in a loop of 1, 5, 20
 * and 100 steps. Every step but the last calls one tool; a reply is 16 events. Each row is a
 * process of its own that makes `calls` model calls a round; rounds are interleaved, and each ratio
 * is taken within its round. The floor is the same loop by hand, on undici and `JSON.parse`.
 *
 * A row is measured three times: in its first round of a length, whose code is not compiled yet;
 * once it is; and right after a full garbage collection, which makes V8 discard compiled code whose
 * hidden classes have no object at that moment.
 */
const [, , role = '15', callsOfRound = '400', ...only] = process.argv
const lengths = [1, 5, 20, 100] as const

/** Rounds until the code of a row is compiled. */
const warmUps = 12
/** Rounds that begin with a full collection. */
const collectedRounds = 5

/** Runs loops. */
interface Question {
  readonly url: string
  readonly loops: number
  /** True begins with a full garbage collection, which is not measured. */
  readonly isCollected?: boolean
}

/** What loops used: microseconds of CPU, and bytes that are there afterwards. */
interface Used {
  readonly cpu: number
  readonly heap: number
  readonly process: number
}

/** The cost of a call of each row, in each round. */
type Costs = Readonly<Record<string, readonly number[]>>

/** Asks a row's process to run loops. @returns what they used. */
async function ask(child: ChildProcess, question: Question): Promise<Used> {
  child.send(question)
  const [answer] = (await once(child, 'message')) as [Used & { readonly error?: string }]
  if (answer.error) throw new Error(answer.error)
  return answer
}

/** Runs rounds of every row, by turns. */
async function runRounds(
  children: readonly (readonly [name: string, child: ChildProcess])[],
  count: number,
  question: Question,
  steps: number,
): Promise<Costs> {
  const costs: Record<string, number[]> = {}
  for (let round = 0; round < count; round++)
    for (const [name, child] of round % 2 ? children : children.toReversed()) {
      const { cpu } = await ask(child, question)
      ;(costs[name] ??= []).push(cpu / question.loops / steps)
    }
  return costs
}

/** The ratio to the floor: its median, and where the middle half of the rounds lies. */
function ratioOf(costs: Costs, name: string): string {
  const ratios = (costs[name] ?? []).map((cost, round) => cost / (costs['floor']?.[round] ?? NaN))
  const [from, to] = middleOf(ratios)
  return `${medianOf(ratios).toFixed(2)} (${from.toFixed(2)} to ${to.toFixed(2)})`
}

const toMegabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MB`

async function measure(): Promise<void> {
  const children: Record<string, ChildProcess> = {}
  const file = new URL(import.meta.url)
  const server = fork(file, ['server'])
  const [url] = (await once(server, 'message')) as [string]
  const names = Object.keys(rows).filter(
    (name) => !only.length || name === 'floor' || only.includes(name),
  )
  for (const name of names) {
    const child = fork(file, [name], { execArgv: ['--expose-gc'] })
    await once(child, 'message')
    children[name] = child
  }
  const rowsAt = (steps: number): readonly (readonly [string, ChildProcess])[] =>
    Object.entries(children).filter(([name]) => steps === 1 || !rowsOfOneStep.includes(name))
  const questionAt = (steps: number): Question => ({
    url: `${url}/${steps}/v1`,
    loops: Math.max(1, Math.round(Number(callsOfRound) / steps)),
  })
  console.log('| row | steps | first round | CPU a call | times floor |\n|---|--:|--:|--:|--:|')
  for (const steps of lengths) {
    const first = await runRounds(rowsAt(steps), warmUps, questionAt(steps), steps)
    const costs = await runRounds(rowsAt(steps), Number(role), questionAt(steps), steps)
    for (const [name] of rowsAt(steps)) {
      const cold = first[name]?.[0]?.toFixed(0)
      const warm = medianOf(costs[name] ?? []).toFixed(0)
      console.log(`| ${name} | ${steps} | ${cold} µs | ${warm} µs | ${ratioOf(costs, name)} |`)
    }
  }
  // Last: the code that a collection makes slow stays so for some rounds.
  console.log('\n| row | steps | times floor after a collection |\n|---|--:|--:|')
  for (const steps of lengths) {
    const question = { ...questionAt(steps), isCollected: true }
    const costs = await runRounds(rowsAt(steps), collectedRounds, question, steps)
    for (const [name] of rowsAt(steps))
      console.log(`| ${name} | ${steps} | ${ratioOf(costs, name)} |`)
  }
  console.log('\n| row | heap after a collection | process |\n|---|--:|--:|')
  for (const [name, child] of Object.entries(children)) {
    const { heap, process } = await ask(child, { url: '', loops: 0, isCollected: true })
    console.log(`| ${name} | ${toMegabytes(heap)} | ${toMegabytes(process)} |`)
    child.kill()
  }
  server.kill()
}

async function answer(loop: Loop, { url, loops, isCollected = false }: Question): Promise<Used> {
  if (isCollected) globalThis.gc?.()
  const before = process.cpuUsage()
  for (let index = 0; index < loops; index++) {
    const text = await loop(url)
    if (text !== final) throw new Error(`the loop returned ${JSON.stringify(text)}`)
  }
  const { user, system } = process.cpuUsage(before)
  const { heapUsed: heap, rss } = process.memoryUsage()
  return { cpu: user + system, heap, process: rss }
}

if (role === 'server') process.send?.(await serveModel())
else if (rows[role]) {
  const loop = await rows[role]()
  process.on('message', (question: Question) => {
    answer(loop, question).then(
      (result) => process.send?.(result),
      (error: unknown) => process.send?.({ error: String(error) }),
    )
  })
  process.send?.('ready')
} else await measure()
process.once('disconnect', () => process.exit())
