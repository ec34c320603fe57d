import { setTimeout as sleep } from 'node:timers/promises'
import type { Api } from './bodies.ts'
import type { Client } from './row.ts'
import { rows } from './rows.ts'
import type { Answer, Metrics, Sample } from './sample.ts'
import { readDelays } from './stamp.ts'
import { type TaskName, tasks } from './task.ts'

/**
 * The process of one row, which `processes.ts` starts and asks for samples: nothing else runs in
 * it.
 */
const [name, api, task] = process.argv.slice(2)

const cpuSince = (before: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(before)
  return user + system
}

const quantile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN
const quantiles = (numbers: readonly number[]): Pick<Metrics, 'p50' | 'p99'> => {
  const sorted = Float64Array.from(numbers).sort()
  return { p50: quantile([...sorted], 0.5), p99: quantile([...sorted], 0.99) }
}

async function answer(work: () => Promise<Metrics>): Promise<void> {
  const result: Answer = await work().then(
    (metrics) => ({ metrics }),
    (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
  )
  process.send?.(result)
}

let client: Client | undefined

async function start(): Promise<Metrics> {
  const row = rows.find((candidate) => candidate.name === name)
  if (!row) throw new Error(`no row "${String(name)}"`)
  const before = process.cpuUsage()
  client = await row.create(api as Api, tasks[task as TaskName])
  return { importCpu: cpuSince(before) }
}

/** From each call to its first delta; the rest of the reply is read, and not counted. */
async function takeFirst({ stream }: Client, { baseUrl, repeat }: Sample): Promise<Metrics> {
  const waits: number[] = []
  let cpu = 0
  let characters = 0
  for (let each = 0; each < repeat; each++) {
    let seen = false
    const before = process.cpuUsage()
    const called = performance.now()
    characters += await stream(baseUrl, () => {
      if (seen) return
      seen = true
      waits.push((performance.now() - called) * 1000)
      cpu += cpuSince(before)
    })
    await sleep(1)
  }
  return { cpu, characters, ...quantiles(waits) }
}

async function take(
  { stream, complete }: Client,
  { baseUrl, streams, repeat, method, watch }: Sample,
): Promise<Metrics> {
  const read = method === 'stream' ? stream : complete
  if (!read) throw new Error('it only streams')
  const delays: number[] = []
  const onText = watch === 'delay' ? (text: string): void => readDelays(text, delays) : undefined
  const before = process.cpuUsage()
  const called = performance.now()
  let characters = 0
  for (let each = 0; each < repeat; each++) {
    const lengths = await Promise.all(Array.from({ length: streams }, () => read(baseUrl, onText)))
    for (const length of lengths) characters += length
  }
  const cpu = cpuSince(before)
  const peakMegabytes = process.resourceUsage().maxRSS / 1000
  return {
    cpu,
    wall: (performance.now() - called) * 1000,
    characters,
    peakMegabytes,
    ...(delays.length && quantiles(delays)),
  }
}

process.on('message', (sample: Sample) => {
  void answer(async () => {
    if (!client) throw new Error('not started')
    return sample.watch === 'first' ? takeFirst(client, sample) : take(client, sample)
  })
})
process.on('disconnect', () => {
  process.exit()
})
void answer(start)
