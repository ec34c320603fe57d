// The fault table with the numbers its tests measured: `npm run faults [-- --full]` runs them,
// `--report FOLDER` reads the reports of a run that has been. Ends with `N passed, N failed`.
// `--full` takes the sizes of the table instead of those of every commit.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { kitFiles, rows } from '../test/faults/table.ts'
import { root } from './workspaces.ts'

const { values } = parseArgs({
  options: {
    full: { type: 'boolean' },
    report: { type: 'string' },
    row: { type: 'string', multiple: true },
  },
})
const chosen = rows.filter(({ id }) => values.row === undefined || values.row.includes(id))

/** Runs the tests of the rows and gives the folder of their report. */
function run() {
  const folder = mkdtempSync(join(tmpdir(), 'modelport-faults-'))
  const files = new Set(
    chosen.flatMap(({ tests }) =>
      tests.flatMap((test) => ('kit' in test ? kitFiles : [test.file])),
    ),
  )
  const env = {
    ...process.env,
    MODELPORT_RESULTS: folder,
    ...(values.full && { MODELPORT_FAULTS: 'full' }),
  }
  spawnSync('pnpm', ['exec', 'vitest', 'run', ...files], { cwd: root, env, stdio: 'inherit' })
  return folder
}

const folder = values.report ?? run()
if (!existsSync(join(folder, 'vitest.json'))) throw new Error('no report: the tests did not run')
/** The full check leaves two: tests on SQLite, and on PostgreSQL. */
const reports = ['vitest.json', 'durable.json']
  .map((name) => join(folder, name))
  .filter((file) => existsSync(file))
const testResults = reports.flatMap((file) => JSON.parse(readFileSync(file, 'utf8')).testResults)
const results = testResults.flatMap(({ name, assertionResults }) =>
  assertionResults.map((result) => ({ ...result, file: relative(root, name) })),
)
if (!values.report) rmSync(folder, { recursive: true })
const kit = new Set(kitFiles)

/** What the runner makes of a title as the source has it. */
const pattern = (title) =>
  new RegExp(
    title
      .split(/%[a-z]|\$\w+/)
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('[^]*'),
  )

const matches = (test) => {
  const named = pattern(test.title ?? '')
  return ({ file: path, title, fullName }) =>
    'kit' in test
      ? kit.has(path) && title.startsWith(test.kit)
      : path === test.file && named.test(fullName)
}

/** Sums of what all tests noted for the row; the largest where the name says so. */
function numbersOf(id) {
  const sums = {}
  for (const { row, numbers } of results.flatMap(({ meta }) => meta?.faults ?? [])) {
    if (row !== id) continue
    for (const [name, value] of Object.entries(numbers))
      sums[name] = name.endsWith('at most')
        ? Math.max(sums[name] ?? 0, value)
        : (sums[name] ?? 0) + value
  }
  const show = (value) =>
    (Number.isInteger(value) ? value : Number(value.toPrecision(3))).toLocaleString('en')
  return Object.entries(sums).map(([name, value]) =>
    name.endsWith('at most') ? `${name} ${show(value)}` : `${show(value)} ${name}`,
  )
}

function verdict({ id, fault, tests, pending }) {
  const failures = []
  let count = 0
  for (const test of tests) {
    const found = results.filter(matches(test))
    const passed = found.filter(({ status }) => status === 'passed')
    const failed = found.filter(({ status }) => status === 'failed')
    count += passed.length
    const name = 'kit' in test ? test.kit : `${test.file}: ${test.title}`
    for (const { fullName } of failed) failures.push(`failed: ${fullName}`)
    if (failed.length === 0 && passed.length === 0 && !(test.needs && found.length > 0))
      failures.push(`${found.length > 0 ? 'skipped' : 'not run'}: ${name}`)
  }
  const numbers = numbersOf(id)
  const state = failures.length > 0 ? 'FAILED' : 'passed'
  const line = [
    ...numbers,
    `${count} ${count === 1 ? 'test' : 'tests'}`,
    ...(pending ? [`still to come: ${pending}`] : []),
  ].join(', ')
  console.log(
    `${state.padEnd(8)}${id.padEnd(16)}${fault.padEnd(62)} ${line}${failures.map((failure) => `\n        ${failure}`).join('')}`,
  )
  return state
}

const states = chosen.map(verdict)
const count = (state) => states.filter((one) => one === state).length
console.log(`${count('passed')} passed, ${count('FAILED')} failed`)
process.exitCode = count('FAILED') > 0 ? 1 : 0
