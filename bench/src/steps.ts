import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
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

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN

/** How far the middle half of the rounds lies apart, of their median. */
function spreadOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const at = (part: number): number => sorted[Math.round((sorted.length - 1) * part)] ?? NaN
  return (at(0.75) - at(0.25)) / median(numbers)
}

/** Asks a row's process to run loops. @returns what they used. */
async function ask(
  child: ChildProcess,
  question: object,
): Promise<{ readonly cpu: number; readonly heap: number }> {
  child.send(question)
  const [answer] = (await once(child, 'message')) as [{ cpu: number; heap: number; error?: string }]
  if (answer.error) throw new Error(answer.error)
  return answer
}

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
      const times = median(own.map((cost, round) => cost / (costs['floor']?.[round] ?? NaN)))
      const shown = spreadOf(costs['floor'] ?? []) > 0.15 ? 'too noisy' : times.toFixed(2)
      const cost = `${median(own).toFixed(0)} µs | ${shown} | ${(spreadOf(own) * 100).toFixed(0)} %`
      console.log(`| ${name} | ${steps} | ${cost} |`)
    }
  }
  console.log('\n| row | heap after a collection |\n|---|--:|')
  for (const [name, child] of Object.entries(children)) {
    const { heap } = await ask(child, { url: '', loops: 0 })
    console.log(`| ${name} | ${(heap / 2 ** 20).toFixed(1)} MB |`)
    child.kill()
  }
  server.kill()
}

async function answer(
  loop: Loop,
  { url, loops }: { readonly url: string; readonly loops: number },
): Promise<object> {
  const before = process.cpuUsage()
  for (let index = 0; index < loops; index++) {
    const text = await loop(url)
    if (text !== final) throw new Error(`the loop returned ${JSON.stringify(text)}`)
  }
  const { user, system } = process.cpuUsage(before)
  globalThis.gc?.()
  return { cpu: user + system, heap: process.memoryUsage().heapUsed }
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
