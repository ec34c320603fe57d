// Counts the work of readers: how often blocks of our sources are executed, which no other program
// disturbs. Run by growth.test.ts in a process of its own, since only code that is compiled
// afterwards is counted.
import { Session } from 'node:inspector/promises'

const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })

/**
 * Blocks of our sources that were executed since the last call: those of the tests do not count.
 */
async function executed(): Promise<number> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const ours = result.filter(({ url }) => /\/packages\/[^/]+\/src\//.test(url))
  const ranges = ours.flatMap(({ functions }) => functions.flatMap((one) => one.ranges))
  return ranges.reduce((sum, { count }) => sum + count, 0)
}

const { readers } = await import('./readers.js')
const { shapes } = await import('./shapes.js')

const [size = 0, every = 1] = process.argv.slice(2).map(Number)
const counts: Record<string, Record<string, readonly number[]>> = {}
for (const [index, [name, read]] of Object.entries(readers).entries()) {
  const of: Record<string, readonly number[]> = (counts[name] = {})
  for (const [shape, make] of Object.entries(shapes).filter(
    (_, at) => at % every === index % every,
  )) {
    const work: number[] = []
    for (const length of [size, 4 * size]) {
      try {
        await read(make(length))
      } catch (error) {
        if (!(error instanceof Error && error.name.endsWith('Error'))) throw error
      }
      work.push(await executed())
    }
    of[shape] = work
  }
}
process.stdout.write(JSON.stringify(counts), () => process.exit())
