import { answerLength } from './answers.ts'
import { type Api, apis, argumentsLength, textLength, toolApis } from './bodies.ts'
import { floorA } from './rows/floors.ts'
import type { Metrics, Sample } from './sample.ts'
import { stampLength } from './stamp.ts'
import type { TaskName } from './task.ts'

/** One number of a cell, in the order of the cell. */
export interface Column {
  readonly head: string
  readonly digits: number
  of(metrics: Metrics, counts: Counts): number | undefined
}

/** How much one sample is. */
export interface Counts {
  /** Deltas or bytes of a reply. */
  readonly size: number
  readonly streams: number
  readonly repeat: number
}

/** One kind of measurement, in one table. */
export interface Regime extends Omit<Counts, 'size'> {
  readonly name: string
  title(counts: Pick<Counts, 'streams'>): string
  /** In long-lived processes, in a fresh process each time, or without one. */
  readonly run: 'clients' | 'imports' | 'sizes'
  /** The server's response. */
  readonly wire: string
  readonly task: TaskName
  readonly method: Sample['method']
  readonly watch?: Sample['watch']
  readonly apis: readonly Api[]
  /** Rows that can say nothing here. */
  readonly without?: readonly string[]
  readonly sizes: readonly number[]
  readonly sizeName?: (size: number) => string
  readonly rounds: number
  /**
   * Rounds before those that count, until the code of every row is compiled: what a long-lived
   * process pays is measured.
   */
  readonly warmUps: number
  /** Characters a reply has; a row that reads fewer lost some. */
  readonly characters: (size: number) => number
  readonly columns: readonly Column[]
  /** What `--smoke` changes. */
  readonly smoke: Partial<Regime>
}

const perDelta: Column = {
  head: 'µs CPU a delta',
  digits: 2,
  of: ({ cpu = NaN }, { size, streams }) => cpu / size / streams,
}
const perCall = (head: string, unit: number, digits: number): Column => ({
  head,
  digits,
  of: ({ cpu = NaN }, { repeat }) => cpu / unit / repeat,
})
const watched = (name: 'p50' | 'p99', head: string, unit: number): Column => ({
  head: `${name} ${head}`,
  digits: 2,
  of: (metrics) => (metrics[name] ?? NaN) / unit,
})
const plain = (head: string, digits: number, of: Column['of']): Column => ({ head, digits, of })

const base = {
  run: 'clients',
  wire: 'fast',
  task: 'plain',
  method: 'stream',
  apis,
  sizes: [1],
  streams: 1,
  repeat: 1,
  warmUps: 5,
  characters: textLength,
} as const
const two: readonly Api[] = ['anthropic', 'openai-chat']
const tiny: Partial<Regime> = { apis: ['anthropic'], rounds: 1, warmUps: 1, without: [floorA.name] }

const fast: Regime = {
  ...base,
  name: 'fast',
  rounds: 9,
  warmUps: 15,
  sizes: [20_000],
  columns: [perDelta],
  title: () => 'Text as fast as it comes: one stream, about 64 KiB a read',
  smoke: { ...tiny, apis, sizes: [500], without: [] },
}

const paced: Regime = {
  ...base,
  name: 'paced',
  wire: 'paced',
  rounds: 5,
  streams: 200,
  sizes: [150],
  columns: [perDelta],
  title: ({ streams }) => `${streams} streams at once, 50 deltas a second each, one event a read`,
  smoke: { ...tiny, streams: 10, sizes: [5] },
}

const many: Regime = {
  ...base,
  name: 'many',
  wire: 'many',
  watch: 'delay',
  apis: two,
  rounds: 3,
  streams: 1000,
  sizes: [50],
  characters: (size) => size * stampLength,
  title: ({ streams }) =>
    `${streams.toLocaleString('en-US')} streams at once, 10 deltas a second each; late is from the server's write to the delta in the application`,
  columns: [
    perDelta,
    watched('p50', 'ms late', 1000),
    watched('p99', 'ms late', 1000),
    plain('MB peak memory', 0, ({ peakMegabytes }) => peakMegabytes),
  ],
  smoke: { ...tiny, streams: 20, sizes: [3] },
}

const first: Regime = {
  ...base,
  name: 'first',
  wire: 'first',
  watch: 'first',
  without: [floorA.name],
  rounds: 5,
  repeat: 200,
  characters: () => 'Hello'.length,
  title: () => 'From the call to the first delta, one call after another',
  columns: [perCall('µs CPU', 1, 0), watched('p50', 'ms', 1000), watched('p99', 'ms', 1000)],
  smoke: { ...tiny, repeat: 5 },
}

const short: Regime = {
  ...base,
  name: 'short',
  wire: 'answer',
  method: 'complete',
  rounds: 7,
  repeat: 200,
  characters: () => answerLength,
  columns: [perCall('µs CPU', 1, 0)],
  title: () => 'A short reply, not streamed, one after another',
  smoke: { ...tiny, repeat: 5 },
}

const large: Regime = {
  ...base,
  name: 'large',
  task: 'large',
  apis: two,
  rounds: 5,
  repeat: 20,
  columns: [perCall('µs CPU', 1, 0)],
  title: () => 'A request with a history of 1.05 MB and 50 tools, answered with one delta',
  smoke: { ...tiny, repeat: 2 },
}

const tool: Regime = {
  ...base,
  name: 'tool',
  wire: 'tool',
  task: 'call',
  apis: toolApis,
  rounds: 3,
  sizes: [16_384, 65_536, 262_144, 1_048_576],
  characters: argumentsLength,
  title: () => 'One tool call, its arguments in fragments of 16 bytes',
  sizeName: (size) => `${(size / 1024).toFixed(0)} kB`,
  columns: [perCall('ms CPU', 1000, 1)],
  smoke: { ...tiny, apis: toolApis, sizes: [1024] },
}

const imports: Regime = {
  ...base,
  name: 'import',
  run: 'imports',
  apis: ['anthropic', 'openai-chat', 'gemini'],
  rounds: 5,
  warmUps: 1,
  title: () =>
    'The import of the library, and with it the first reply, in a fresh process each time',
  columns: [
    plain('ms CPU to import', 0, ({ importCpu = NaN }) => importCpu / 1000),
    plain(
      'ms CPU to the first reply',
      0,
      ({ importCpu = NaN, cpu = NaN }) => (importCpu + cpu) / 1000,
    ),
  ],
  smoke: tiny,
}

const size: Regime = {
  ...base,
  name: 'size',
  run: 'sizes',
  rounds: 1,
  warmUps: 0,
  title: () => 'Installed, and bundled (esbuild, minified, gzip)',
  columns: [
    plain('MB installed', 1, ({ installMegabytes }) => installMegabytes),
    plain('kB browser', 0, ({ browserKilobytes }) => browserKilobytes),
    plain('kB worker', 0, ({ workerKilobytes }) => workerKilobytes),
  ],
  smoke: tiny,
}

/** All measurements, in the order of the tables. */
export const regimes: readonly Regime[] = [
  fast,
  paced,
  many,
  first,
  short,
  large,
  tool,
  imports,
  size,
]
