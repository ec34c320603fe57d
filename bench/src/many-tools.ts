import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { estimateTokens } from '@modelport/core'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { catalog } from './many-tools/catalog.ts'
import { measureTask, type Sent, serveTasks } from './many-tools/measure.ts'
import { answerOf, tasks } from './many-tools/tasks.ts'
import { type Way, ways } from './many-tools/ways.ts'

/**
 * `node src/many-tools.ts [rounds]`: what ten tasks send to a model with 200 tools and results of
 * 20,000 characters, for modelport's loop with deferred tools, with long results by a handle, with
 * both and with neither, and for AI SDK. Tokens, requests and beginnings are the same on every run.
 * CPU is measured in rounds in which the ways take turns, without that of the server; 0 rounds
 * leave it out.
 */
const [, , role = '15'] = process.argv

/** The number below which this part of the numbers lies. */
const quantile = (numbers: readonly number[], part: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.round((numbers.length - 1) * part)] ?? NaN

const sum = (all: readonly Sent[], of: keyof Sent): number =>
  all.reduce((total, one) => total + one[of], 0)

async function measureAll(way: Way): Promise<readonly Sent[]> {
  const all: Sent[] = []
  for (const task of tasks) all.push(await measureTask(way, task))
  return all
}

/** Milliseconds of CPU per task of each way, round by round. */
async function measureCpu(rounds: number): Promise<Readonly<Record<string, readonly number[]>>> {
  const server: ChildProcess = fork(new URL(import.meta.url), ['server'])
  const [url] = (await once(server, 'message')) as [string]
  const costs: Record<string, number[]> = {}
  for (let round = 0; round <= rounds; round++) {
    const all = Object.entries(ways)
    for (const [name, way] of round % 2 ? all : all.toReversed()) {
      const before = process.cpuUsage()
      for (const task of tasks)
        if ((await way(url, task)) !== answerOf(task)) throw new Error(`${name}: ${task.name}`)
      const { user, system } = process.cpuUsage(before)
      // The first round warms up.
      if (round) (costs[name] ??= []).push((user + system) / 1000 / tasks.length)
    }
  }
  server.kill()
  return costs
}

async function print(rounds: number): Promise<void> {
  const list = catalog.map((tool) => JSON.stringify(tool)).join('\n')
  const [estimated, counted] = [estimateTokens(list), countTokens(list)].map((tokens) =>
    tokens.toLocaleString('en'),
  )
  console.log(
    `${catalog.length} tools: ${estimated} tokens by the estimate, ${counted} by o200k_base\n`,
  )
  console.log(
    '| | requests | tokens sent per task | of plain | new tokens per task | beginning kept | price, of plain |',
  )
  console.log('|---|--:|--:|--:|--:|--:|--:|')
  let plain: { readonly tokens: number; readonly price: number } | undefined
  for (const [name, way] of Object.entries(ways)) {
    const all = await measureAll(way)
    const tokens = sum(all, 'tokens')
    const price = sum(all, 'newTokens') * 0.9 + tokens * 0.1
    plain ??= { tokens, price }
    const perTask = (of: keyof Sent): string =>
      Math.round(sum(all, of) / tasks.length).toLocaleString('en')
    const percent = (part: number): string => `${(part * 100).toFixed(1)} %`
    const kept = percent(sum(all, 'kept') / sum(all, 'length'))
    const cells = [
      sum(all, 'requests'),
      perTask('tokens'),
      percent(tokens / plain.tokens),
      perTask('newTokens'),
      kept,
    ]
    console.log(`| ${name} | ${cells.join(' | ')} | ${percent(price / plain.price)} |`)
  }
  if (!rounds) return
  console.log('\n| | CPU per task | times plain | middle half of the rounds |\n|---|--:|--:|--:|')
  const costs = await measureCpu(rounds)
  const [first = []] = Object.values(costs)
  for (const [name, own] of Object.entries(costs)) {
    const ratios = own.map((cost, round) => cost / (first[round] ?? NaN))
    const [low, middle, high] = [0.25, 0.5, 0.75].map((part) => quantile(ratios, part).toFixed(2))
    console.log(`| ${name} | ${quantile(own, 0.5).toFixed(1)} ms | ${middle} | ${low} to ${high} |`)
  }
}

if (role === 'server') {
  const { url } = await serveTasks()
  process.send?.(`${url}/v1`)
  process.once('disconnect', () => process.exit())
} else await print(Number(role))
