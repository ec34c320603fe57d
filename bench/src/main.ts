import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { type Api, apis } from './bodies.ts'
import { rows } from './rows.ts'

/** `node src/main.ts [--regime fast|paced|tool] [--api API] [--rounds N] [--streams N] [--deltas N] [--peers]`: the table of what a delta costs. */
const { values } = parseArgs({
  options: { regime: { type: 'string' }, api: { type: 'string' }, rounds: { type: 'string' }, streams: { type: 'string' }, deltas: { type: 'string' }, peers: { type: 'boolean' } },
})
const file = (name: string): URL => new URL(name, import.meta.url)
const server = fork(file('server.ts'))
const [port] = (await once(server, 'message')) as [number]

interface Regime {
  readonly name: string
  readonly rounds: number
  readonly streams: number
  readonly deltas: number
}
const regimes: readonly Regime[] = [
  { name: 'fast', rounds: 7, streams: 1, deltas: 20_000 },
  { name: 'paced', rounds: 5, streams: 200, deltas: 150 },
  { name: 'tool', rounds: 3, streams: 1, deltas: 1_000_000 },
].map((regime) => ({
  ...regime,
  rounds: Number(values.rounds ?? regime.rounds),
  streams: Number(values.streams ?? regime.streams),
  deltas: Number(values.deltas ?? regime.deltas),
}))

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN

async function measure(api: Api, regime: Regime): Promise<void> {
  const baseUrl = `http://127.0.0.1:${port}/${api}/${regime.name}/${regime.deltas}`
  const clients = new Map<string, ChildProcess>()
  const samples = new Map<string, number[]>()
  for (const { name, apis: measured, peer } of rows) {
    if (!measured.includes(api) || (peer && (!values.peers || regime.name === 'tool'))) continue
    const client = fork(file('client.ts'), [name, api])
    client.on('exit', (code) => {
      if (code) throw new Error(`the process of "${name}" ended with ${code}`)
    })
    await once(client, 'message')
    clients.set(name, client)
    samples.set(name, [])
  }
  // Until the code of every row is compiled: what a long-lived process pays is measured.
  const warmUps = regime.name === 'tool' ? 1 : 5
  for (let round = -warmUps; round < regime.rounds; round++) {
    const order = [...clients].map((entry) => [Math.random(), entry] as const).toSorted((a, b) => a[0] - b[0])
    for (const [, [name, client]] of order) {
      client.send({ baseUrl, streams: regime.streams })
      const [result] = (await once(client, 'message')) as [{ cpuMicros: number }]
      if (round >= 0) samples.get(name)?.push(result.cpuMicros)
    }
  }
  for (const client of clients.values()) client.disconnect()
  print(api, regime, samples)
}

/** The ratio is the median of the ratios within each round, so that foreign load falls on both sides. */
function print(api: Api, regime: Regime, samples: ReadonlyMap<string, readonly number[]>): void {
  const floor = samples.get('floor b (reference)') ?? []
  const count = regime.streams * (regime.name === 'tool' ? 1 : regime.deltas)
  const unit = regime.name === 'tool' ? 'µs CPU/call' : 'µs CPU/delta'
  console.log(`\n${api}, ${regime.name}: ${regime.streams} stream(s) of ${regime.deltas}, ${regime.rounds} rounds`)
  console.log('| row | '.concat(unit, ' | ratio to b |\n|---|--:|--:|'))
  for (const [name, cpu] of samples) {
    const ratios = cpu.map((value, index) => value / (floor[index] ?? NaN))
    console.log(`| ${name} | ${(median(cpu) / count).toFixed(2)} | ${median(ratios).toFixed(2)} |`)
  }
}

for (const regime of regimes) {
  if (values.regime ? values.regime !== regime.name : regime.name === 'tool') continue
  for (const api of apis) {
    if (regime.name === 'tool' ? api === 'openai-chat' : !values.api || values.api === api) await measure(api, regime)
  }
}
server.disconnect()
