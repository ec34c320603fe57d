// `npm run soak`: agents, streams, kills, reconnects and batches for two hours, and whether
// anything grows meanwhile.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { findPostgres, startPostgres } from '../../packages/durable/test/support/postgres-server.js'
import { bundlePrograms } from '../support/bundle.js'
import { Place } from './place.js'
import { type Growth, growthOf, type Sample, Samples, tableOf } from './report.js'
import { sampleProcess } from './sample.js'
import { World } from './world.js'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '120' },
    // One minute, to see that the soak itself works and that nothing grows fast.
    short: { type: 'boolean', default: false },
    // SQLite, PostgreSQL or both.
    database: { type: 'string', default: 'both' },
    out: { type: 'string', default: '.cache/soak.json' },
    // Puts a leak in, which the soak must find: heap, handles or rows.
    leak: { type: 'string' },
    // How many milliseconds pass between two jobs of a kind on one database.
    every: { type: 'string' },
  },
})
const minutes = values.short ? 1 : Number(values.minutes)
if (!(minutes > 0)) throw new Error(`--minutes ${values.minutes} is not a number above 0`)
const seconds = minutes * 60
const sampleMs = Math.min(10_000, seconds * 5)
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

const folder = mkdtempSync(join(tmpdir(), 'modelport-soak-'))
const out = resolve(fileURLToPath(new URL('../..', import.meta.url)), values.out)
const samples = new Samples(Math.ceil((2 * seconds * 1000) / sampleMs))
const beganAt = performance.now()
const age = (): number => (performance.now() - beganAt) / 1000
const state = { isInterrupted: false }
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => (state.isInterrupted = true))

const programs = await bundlePrograms(folder, {
  server: here('server-program.ts'),
  client: here('client-program.ts'),
  // The store looks for the file of its thread next to its own.
  'sqlite-thread': here('sqlite-thread.ts'),
})
const world = new World()
const worldUrl = await world.open()
const postgres = values.database === 'SQLite' ? undefined : findPostgres()
const server = postgres === undefined ? undefined : await startPostgres(postgres)
const common = {
  programs,
  world,
  worldUrl,
  jobMs: Number(values.every ?? (values.short ? 500 : 3500)),
  killMs: values.short ? 6000 : 30_000,
  keepMs: values.short ? 4000 : 60_000,
  leak: values.leak,
}
const places: Place[] = []
if (values.database !== 'PostgreSQL')
  places.push(await Place.open({ ...common, name: 'SQLite', address: join(folder, 'store.db') }))
if (server) places.push(await Place.open({ ...common, name: 'PostgreSQL', address: server.url }))
world.onEffect = (effect) =>
  places.find(({ name }) => effect.worker.startsWith(name))?.onEffect(effect) ?? 'done'

try {
  const startedAt = age()
  while (age() - startedAt < seconds && !state.isInterrupted) {
    await new Promise((resolve) => setTimeout(resolve, sampleMs))
    const sample = await take()
    samples.add(sample)
    if (samples.length % 30 === 0)
      console.log(JSON.stringify({ minutes: Math.round(age() / 60), ...sample.values }))
  }
  const lasted = age() - startedAt
  const counts = Object.fromEntries(
    await Promise.all(
      places.map(async (place) => [place.name, await place.finish(60_000)] as const),
    ),
  )
  const growths = growthOf(samples.list(), values.short)
  for (const place of places) if (place.counts.pruned === 0) place.wrong.push('nothing was pruned')
  const wrong = places.flatMap((place) => place.wrong.map((text) => `${place.name}: ${text}`))
  report(lasted, counts, growths, wrong)
  process.exitCode =
    wrong.length > 0 || growths.some(({ isRising }) => isRising) || places.length === 0 ? 1 : 0
} finally {
  world.close()
  await server?.stop()
  rmSync(folder, { recursive: true, maxRetries: 5, force: true })
}

async function take(): Promise<Sample> {
  const taken = await Promise.all(places.map((place) => place.sample()))
  const own = Object.fromEntries(
    Object.entries(await sampleProcess()).map(([key, value]) => [
      `conductor ${key}`,
      Number(value),
    ]),
  )
  return { at: age(), values: Object.assign({}, ...taken, own) as Sample['values'] }
}

function report(
  lasted: number,
  counts: Readonly<Record<string, Readonly<Record<string, number>>>>,
  growths: readonly Growth[],
  wrong: readonly string[],
): void {
  const list = samples.list()
  const last = list.at(-1)
  const cpu = Object.entries(last?.values ?? {}).reduce(
    (sum, [name, value]) => sum + (name.endsWith(' cpu') ? value : 0),
    0,
  )
  const core = cpu / (last?.at ?? NaN)
  console.log(
    `\n${(lasted / 60).toFixed(1)} minutes, ${samples.length} samples, ${(100 * core).toFixed(0)} % of one core`,
  )
  for (const [place, of] of Object.entries(counts))
    console.log(
      `${place}: ${Object.entries(of)
        .map(([name, count]) => `${count} ${name}`)
        .join(', ')}`,
    )
  console.log(`\n${tableOf(growths)}\n`)
  const rising = growths.filter(({ isRising }) => isRising)
  for (const text of wrong.slice(0, 20)) console.log(`wrong: ${text}`)
  console.log(
    wrong.length + rising.length === 0
      ? 'Nothing was lost or doubled, and nothing grows.'
      : `${wrong.length} things are wrong; these grow: ${rising.map(({ what }) => what).join(', ') || 'none'}`,
  )
  mkdirSync(dirname(out), { recursive: true })
  const head = {
    minutes: lasted / 60,
    core,
    node: process.version,
    cpus: cpus().length,
    counts,
    wrong,
    growths,
  }
  writeFileSync(out, `${JSON.stringify({ ...head, samples: list }, undefined, 1)}\n`)
  console.log(`figures: ${out}`)
}
