import type { Api } from './bodies.ts'
import { bundle } from './bundle.ts'
import { installedMegabytes } from './installed.ts'
import { ClientProcess } from './processes.ts'
import type { Regime } from './regimes.ts'
import type { Cell, Results, Variant } from './results.ts'
import type { Row } from './row.ts'
import type { Metrics, Sample } from './sample.ts'

/** What every measurement needs. */
export interface Bench {
  readonly url: string
  readonly results: Results
  readonly rows: readonly Row[]
  /** After this a sample is given up and its process ended. */
  readonly limitMs: number
  /** A row whose sample takes longer is not measured again. */
  readonly slowMs: number
}

const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0]?.slice(0, 160) ?? ''
const shuffled = <Value>(values: Iterable<Value>): Value[] =>
  [...values]
    .map((value) => [Math.random(), value] as const)
    .toSorted((a, b) => a[0] - b[0])
    .map(([, value]) => value)

function sampleOf(regime: Regime, { api, size }: Variant, url: string): Sample {
  const { wire, streams, repeat, method, watch } = regime
  return {
    baseUrl: `${url}/${api}/${wire}/${size}`,
    streams,
    repeat,
    method,
    ...(watch && { watch }),
  }
}

/**
 * A row that reads less than was sent is not what the others are: a little is noted, more is an
 * error.
 */
function check(
  row: Row,
  cell: Cell,
  regime: Regime,
  size: number,
  { characters = 0 }: Metrics,
): void {
  const expected = regime.characters(size) * regime.streams * regime.repeat
  if (row.kind === 'floor' || characters === expected) return
  const text = `it read ${characters} of ${expected} characters`
  if (Math.abs(characters - expected) > expected / 10) throw new Error(text)
  cell.note = text
}

/** Takes a sample and keeps it when it counts; false when the row is to be left out from now on. */
async function keep(
  cell: Cell,
  counts: boolean,
  slowMs: number,
  take: () => Promise<Metrics>,
): Promise<boolean> {
  try {
    const started = performance.now()
    const metrics = await take()
    const slow = performance.now() - started > slowMs && !counts
    if (slow) cell.once = true
    if (slow || counts) cell.samples.push(metrics)
    return !slow
  } catch (error) {
    cell.error = reasonOf(error)
    cell.samples.length = 0
    return false
  }
}

/** Long-lived processes, one for each row, asked in turns in a new order each round. */
async function measureClients(
  bench: Bench,
  regime: Regime,
  variant: Variant,
  rows: readonly Row[],
): Promise<void> {
  const clients = new Map<Row, ClientProcess>(
    rows.map((row) => [row, new ClientProcess(row, variant.api, regime.task)]),
  )
  const leave = (row: Row): void => {
    clients.get(row)?.end()
    clients.delete(row)
  }
  const cellOf = (row: Row): Cell => bench.results.open(regime, variant, row.name)
  await Promise.all(
    [...clients].map(async ([row, client]) => {
      if (!(await keep(cellOf(row), false, Infinity, () => client.ready(bench.limitMs)))) leave(row)
    }),
  )
  const sample = sampleOf(regime, variant, bench.url)
  for (let round = -regime.warmUps; round < regime.rounds; round++) {
    for (const [row, client] of shuffled(clients)) {
      const going = await keep(cellOf(row), round >= 0, bench.slowMs, async () => {
        const metrics = await client.take(sample, bench.limitMs)
        check(row, cellOf(row), regime, variant.size, metrics)
        return metrics
      })
      if (!going) leave(row)
    }
  }
  for (const row of clients.keys()) leave(row)
}

/**
 * A fresh process for each sample: what the import costs, and what the first reply costs on top.
 */
async function measureImports(
  bench: Bench,
  regime: Regime,
  variant: Variant,
  rows: readonly Row[],
): Promise<void> {
  const going = new Set(rows)
  const sample = sampleOf(regime, variant, bench.url)
  for (let round = -regime.warmUps; round < regime.rounds; round++) {
    for (const row of shuffled(going)) {
      const client = new ClientProcess(row, variant.api, regime.task)
      const cell = bench.results.open(regime, variant, row.name)
      const works = await keep(cell, round >= 0, Infinity, async () => {
        const ready = await client.ready(bench.limitMs)
        const metrics = { ...(await client.take(sample, bench.limitMs)), ...ready }
        check(row, cell, regime, variant.size, metrics)
        return metrics
      })
      client.end()
      if (!works) going.delete(row)
    }
  }
}

/** Nothing is run: the files are weighed. A floor is not a library. */
async function measureSizes(
  bench: Bench,
  regime: Regime,
  variant: Variant,
  rows: readonly Row[],
): Promise<void> {
  for (const row of rows) {
    if (row.kind === 'floor') continue
    const cell = bench.results.open(regime, variant, row.name)
    await keep(cell, true, Infinity, async () => {
      const uses = row.uses(variant.api)
      const browser = await bundle(uses, [])
      const worker = await bundle(uses, ['workerd', 'worker'])
      if (browser.builtins.length) cell.note = `needs ${browser.builtins.join(', ')} of Node`
      return {
        installMegabytes: installedMegabytes(Object.keys(uses)),
        browserKilobytes: browser.kilobytes,
        workerKilobytes: worker.kilobytes,
      }
    })
  }
}

const runs = { clients: measureClients, imports: measureImports, sizes: measureSizes } as const

/**
 * Measures a regime on one API, in all its sizes. Who fails at one size is not asked for a larger
 * one.
 */
export async function measure(bench: Bench, regime: Regime, api: Api): Promise<void> {
  let rows = bench.rows.filter(
    (row) => row.apis.includes(api) && !regime.without?.includes(row.name),
  )
  for (const size of regime.sizes) {
    const started = performance.now()
    await runs[regime.run](bench, regime, { api, size }, rows)
    rows = rows.filter((row) => !bench.results.find(regime.name, { api, size }, row.name)?.error)
    process.stderr.write(
      `${regime.name}, ${api}, ${size}: ${((performance.now() - started) / 1000).toFixed(0)} s\n`,
    )
  }
}
