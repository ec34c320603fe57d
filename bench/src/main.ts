import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { apis } from './bodies.ts'
import { environment, load } from './environment.ts'
import { goals } from './goals.ts'
import { measure } from './measure.ts'
import { startServer } from './processes.ts'
import { type Regime, regimes } from './regimes.ts'
import { Results } from './results.ts'
import { absent, rows } from './rows.ts'
import { goalsTable, regimeTable } from './tables.ts'

/**
 * `node src/main.ts`: the tables of what a delta, a request, an import costs, as Markdown. `--all`:
 * every regime with every library, and the goals. `--smoke`: every regime with the floors and
 * modelport, tiny, to see that it works. `--regime NAME` (again for more; else fast and paced),
 * `--api API`, `--row NAME`, `--peers`, `--out FILE`; `--rounds`, `--warm-ups`, `--streams`,
 * `--repeat`, `--deltas` (the size of a reply, in bytes for `tool`), `--limit` (seconds a sample
 * may take), `--slow` (seconds after which a row is measured once).
 */
const number = { type: 'string' } as const
const several = { type: 'string', multiple: true } as const
const flag = { type: 'boolean' } as const
const { values } = parseArgs({
  options: {
    all: flag,
    smoke: flag,
    peers: flag,
    regime: several,
    api: several,
    row: several,
    out: { type: 'string' },
    rounds: number,
    'warm-ups': number,
    streams: number,
    repeat: number,
    deltas: number,
    limit: number,
    slow: number,
  },
})

/** A regime as the flags change it. */
function adjusted(regime: Regime): Regime {
  const smoked = { ...regime, ...(values.smoke && regime.smoke) }
  const {
    rounds = smoked.rounds,
    'warm-ups': warmUps = smoked.warmUps,
    streams = smoked.streams,
    repeat = smoked.repeat,
  } = values
  return {
    ...smoked,
    rounds: Number(rounds),
    warmUps: Number(warmUps),
    streams: smoked.streams === 1 ? 1 : Number(streams),
    repeat: smoked.repeat === 1 ? 1 : Number(repeat),
    sizes:
      values.deltas && smoked.sizes.some((size) => size !== 1)
        ? [Number(values.deltas)]
        : smoked.sizes,
    apis: smoked.apis.filter((api) => !values.api || values.api.includes(api)),
  }
}

const everything = values.all ?? values.smoke ?? false
const chosen = regimes
  .filter(
    ({ name }) =>
      values.regime?.includes(name) ?? (everything || name === 'fast' || name === 'paced'),
  )
  .map(adjusted)
const peers = values.smoke ? false : (values.all ?? values.peers ?? false)
const measured = rows.filter(
  ({ name, kind }) => values.row?.includes(name) ?? (kind !== 'peer' || peers),
)
const unknown = [
  ...(values.regime ?? []).filter((name) => !regimes.some((regime) => regime.name === name)),
  ...(values.api ?? []).filter((name) => !apis.some((api) => api === name)),
  ...(values.row ?? []).filter((name) => !rows.some((row) => row.name === name)),
]
if (unknown.length) {
  console.error(
    `unknown: ${unknown.join(', ')}. Regimes: ${regimes.map(({ name }) => name).join(', ')}. APIs: ${apis.join(', ')}. Rows: ${rows.map(({ name }) => name).join(', ')}.`,
  )
  process.exit(2)
}

const printed: string[] = []
/**
 * Printed at once, so that a run that is broken off leaves what it had; the file is written as far
 * as it is.
 */
function print(lines: readonly string[]): void {
  printed.push(...lines)
  console.log(lines.join('\n'))
  if (values.out) writeFileSync(values.out, `${printed.join('\n').trimEnd()}\n`)
}

const server = await startServer()
const results = new Results()
const bench = {
  url: server.url,
  results,
  rows: measured,
  limitMs: Number(values.limit ?? 60) * 1000,
  slowMs: Number(values.slow ?? 10) * 1000,
}
const started = performance.now()

print([
  '# Performance: results',
  '',
  `Printed by \`node src/main.ts${process.argv
    .slice(2)
    .map((word) => ` ${word}`)
    .join('')}\`; how to read it: [performance.md](../docs/performance.md).`,
  '',
])
print(environment(measured, absent))
if (values.smoke)
  print(['So small that the numbers say nothing: this run shows that everything works.', ''])
for (const regime of chosen) {
  for (const api of regime.apis) await measure(bench, regime, api)
  print(regimeTable(results, regime, regime.apis, measured))
}
if (everything) print(goalsTable(results, goals))
print([
  `Took ${((performance.now() - started) / 60_000).toFixed(1)} minutes; load average at the end ${load()}.`,
])
server.close()

// That another library fails is a result; that modelport or a floor fails is an error.
const failures = results.errors(rows.filter(({ kind }) => kind !== 'peer').map(({ name }) => name))
if (failures.length) {
  console.error(`failed: ${failures.join('; ')}`)
  process.exitCode = 1
}
