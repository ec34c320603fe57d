import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { medianOf, middleOf } from './spread.ts'
import { type Loop, rows, rowsOfOneStep } from './steps/rows.ts'
import { final, serveModel } from './steps/server.ts'

/**
 * `node src/steps.ts [rounds] [calls]`: what one model call costs in a loop of 1, 5, 20 and 100
 * steps. Every step but the last calls one tool; a reply is 16 events. Each row is a process of its
 * own that makes `calls` model calls a round; rounds are interleaved, and each ratio is taken
 * within its round. The floor is the same loop by hand, on undici and `JSON.parse`; no ratio is
 * printed where the middle half of its rounds spreads by more than 15 %.
 */
const [, , role = '7', callsOfRound = '400'] = process.argv
const lengths = [1, 5, 20, 100] as const

/** How far the middle half of the rounds lies apart, of their median. */
function spreadOf(numbers: readonly number[]): number {
  const [from, to] = middleOf(numbers)
  return (to - from) / medianOf(numbers)
}

/** What loops used: microseconds of CPU, and bytes that are there afterwards. */
interface Used {
  readonly cpu: number
  readonly heap: number
  readonly process: number
}

/** Asks a row's process to run loops. @returns what they used. */
async function ask(child: ChildProcess, question: object): Promise<Used> {
  child.send(question)
  const [answer] = (await once(child, 'message')) as [Used & { readonly error?: string }]
  if (answer.error) throw new Error(answer.error)
  return answer
}

const toMegabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MB`

async function measure(): Promise<void> {
  const children: Record<string, ChildProcess> = {}
  const file = new URL(import.meta.url)
  const server = fork(file, ['server'])
  const [url] = (await once(server, 'message')) as [string]
  for (const name of Object.keys(rows)) {
    const child = fork(file, [name], { execArgv: ['--expose-gc'] })
    await once(child, 'message')
    children[name] = child
  }
  console.log('| row | steps | CPU a call | times floor | spread |\n|---|--:|--:|--:|--:|')
  for (const steps of lengths) {
    const measured = Object.entries(children).filter(
      ([name]) => steps === 1 || !rowsOfOneStep.includes(name),
    )
    const question = {
      url: `${url}/${steps}/v1`,
      loops: Math.max(1, Math.round(Number(callsOfRound) / steps)),
    }
    const costs: Record<string, number[]> = {}
    for (const [, child] of measured) await ask(child, question)
    for (let round = 0; round < Number(role); round++)
      for (const [name, child] of round % 2 ? measured : measured.toReversed())
        (costs[name] ??= []).push((await ask(child, question)).cpu / question.loops / steps)
    for (const [name, own] of Object.entries(costs)) {
      const times = medianOf(own.map((cost, round) => cost / (costs['floor']?.[round] ?? NaN)))
      const shown = spreadOf(costs['floor'] ?? []) > 0.15 ? 'too noisy' : times.toFixed(2)
      const cost = `${medianOf(own).toFixed(0)} µs | ${shown} | ${(spreadOf(own) * 100).toFixed(0)} %`
      console.log(`| ${name} | ${steps} | ${cost} |`)
    }
  }
  console.log('\n| row | heap after a collection | process |\n|---|--:|--:|')
  for (const [name, child] of Object.entries(children)) {
    const { heap, process } = await ask(child, { url: '', loops: 0 })
    console.log(`| ${name} | ${toMegabytes(heap)} | ${toMegabytes(process)} |`)
    child.kill()
  }
  server.kill()
}

async function answer(
  loop: Loop,
  { url, loops }: { readonly url: string; readonly loops: number },
): Promise<Used> {
  const before = process.cpuUsage()
  for (let index = 0; index < loops; index++) {
    const text = await loop(url)
    if (text !== final) throw new Error(`the loop returned ${JSON.stringify(text)}`)
  }
  const { user, system } = process.cpuUsage(before)
  globalThis.gc?.()
  const { heapUsed: heap, rss } = process.memoryUsage()
  return { cpu: user + system, heap, process: rss }
}

if (role === 'server') process.send?.(await serveModel())
else if (rows[role]) {
  const loop = await rows[role]()
  process.on('message', (question: { url: string; loops: number }) => {
    answer(loop, question).then(
      (result) => process.send?.(result),
      (error: unknown) => process.send?.({ error: String(error) }),
    )
  })
  process.send?.('ready')
} else await measure()
process.once('disconnect', () => process.exit())
