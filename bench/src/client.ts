import type { Api } from './bodies.ts'
import { rows } from './rows.ts'

/** One sample to take: `streams` answers at once from this base URL. */
export interface Sample {
  readonly baseUrl: string
  readonly streams: number
  readonly collect: boolean
}

const [name, api] = process.argv.slice(2)
const row = rows.find((candidate) => candidate.name === name)
if (!row) throw new Error(`no row "${String(name)}"`)
const drain = await row.create(api as Api)

process.on('message', (sample: Sample) => {
  void take(sample).then((result) => process.send?.(result))
})
process.on('disconnect', () => {
  process.exit()
})
process.send?.('ready')

async function take({ baseUrl, streams }: Sample): Promise<{ cpuMicros: number; wallMs: number; characters: number }> {
  const before = process.cpuUsage()
  const start = performance.now()
  const lengths = await Promise.all(Array.from({ length: streams }, () => drain(baseUrl)))
  const { user, system } = process.cpuUsage(before)
  return { cpuMicros: user + system, wallMs: performance.now() - start, characters: lengths.reduce((sum, length) => sum + length, 0) }
}
