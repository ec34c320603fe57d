// Finds tests that cannot fail: `pnpm mutation [core|driver|runtime] [file…]`, for example
// `pnpm mutation driver sse`. Changes the sources in a copy, one small thing at a time, and says
// which changes no test notices. Takes long, so the full check leaves it out.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../workspaces.ts'

const [chosen, ...files] = process.argv.slice(2)
const packages = chosen ? [chosen] : ['core', 'driver']
const found = new Set(['Killed', 'Timeout'])
const missed = new Set(['Survived', 'NoCoverage'])

function run(name) {
  // Only the loop of runtime: its other folders have not been measured.
  const folder = `packages/${name}/src${name === 'runtime' ? '/loop' : ''}`
  const patterns =
    files.length > 0 ? files.map((file) => `${folder}/**/${file}.ts`) : [`${folder}/**/*.ts`]
  const report = join(root, '.cache/mutation', `${[name, ...files].join('-')}.json`)
  const env = { ...process.env, MODELPORT_MUTATION: name, MODELPORT_MUTATION_REPORT: report }
  const { status } = spawnSync('stryker', ['run', '--mutate', patterns.join(',')], {
    cwd: root,
    env,
    stdio: 'inherit',
  })
  if (status !== 0) process.exit(status ?? 1)
  return JSON.parse(readFileSync(report, 'utf8')).files
}

/** Killed and all, of mutants that a test could find. */
function count(mutants) {
  const killed = mutants.filter(({ status }) => found.has(status)).length
  return { killed, all: killed + mutants.filter(({ status }) => missed.has(status)).length }
}

const show = (label, { killed, all }) =>
  console.log(
    `${label.padEnd(40)}${killed}/${all}`.padEnd(54) + `${((killed / all) * 100).toFixed(1)} %`,
  )

for (const name of packages) {
  const reports = Object.entries(run(name))
  for (const [file, { mutants }] of reports) if (count(mutants).all > 0) show(file, count(mutants))
  show(name, count(reports.flatMap(([, { mutants }]) => mutants)))
}
