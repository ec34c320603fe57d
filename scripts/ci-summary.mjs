// Adds up what the steps left in a folder: `steps` has lines "passed failed name", `*.json` are
// vitest reports, `cpu` has the processor time of each step, user and system, and `yardstick` what
// a fixed piece of work took meanwhile. The steps must fit budget.json at the speed that the
// yardstick gives: a slow machine, or one that shares its cores, fails nothing. With --update,
// budget.json is written anew.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = process.argv[2]
const stepsFile = join(folder, 'steps')
const rows = existsSync(stepsFile)
  ? readFileSync(stepsFile, 'utf8')
      .trim()
      .split('\n')
      .map((line) => {
        const [passed, failed, ...name] = line.split(' ')
        return { name: name.join(' '), passed: Number(passed), failed: Number(failed) }
      })
  : []
const unsteady = []
for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
  const report = JSON.parse(readFileSync(join(folder, file), 'utf8'))
  // A file that fails to load has no failed test, yet it is a failure.
  const broken = report.testResults.filter(
    (result) =>
      result.status === 'failed' &&
      result.assertionResults.every(({ status }) => status !== 'failed'),
  )
  // Its first try failed and its second passed: a defect of the test or of what it tests.
  for (const { assertionResults } of report.testResults)
    for (const { fullName, failureMessages, status } of assertionResults)
      if (status === 'passed' && failureMessages.length > 0)
        unsteady.push({ fullName, message: failureMessages[0].split('\n').slice(0, 8).join('\n') })
  rows.push({
    name: `${file.replace('.json', '')} (tests)`,
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    skipped: report.numPendingTests,
  })
}

const budgetFile = new URL('budget.json', import.meta.url)
const budget = JSON.parse(readFileSync(budgetFile, 'utf8'))
const cpuFile = join(folder, 'cpu')
const seconds = (text) =>
  text.split('m').reduce((sum, part) => sum * 60 + Number.parseFloat(part), 0)
const taken = (existsSync(cpuFile) ? readFileSync(cpuFile, 'utf8').trim().split('\n') : []).map(
  (line) => {
    const [user, system, ...name] = line.split(' ')
    return { name: name.join(' '), used: Math.round(seconds(user) + seconds(system)) }
  },
)
const yardstickFile = join(folder, 'yardstick')
const pieces = existsSync(yardstickFile)
  ? readFileSync(yardstickFile, 'utf8').trim().split('\n').map(Number)
  : []
const piece = pieces.toSorted((a, b) => a - b)[pieces.length >> 1] || budget.yardstick
if (process.argv.includes('--update')) {
  budget.yardstick = piece
  for (const { name, used } of taken) budget.seconds[name] = used
  writeFileSync(budgetFile, `${JSON.stringify(budget, null, 2)}\n`)
}
const slowness = Math.max(1, piece / budget.yardstick)
console.log(
  `a piece of work took ${piece} ms, planned ${budget.yardstick} ms: the plans hold ${slowness.toFixed(2)} times`,
)
for (const { name, used } of taken) {
  const planned = budget.seconds[name] && Math.round(budget.seconds[name] * slowness)
  console.log(`processor time of ${name}: ${used} s, planned ${planned ?? 'nothing'}`)
  if (planned === undefined)
    rows.push({ name: `${name} has no row in scripts/budget.json`, passed: 0, failed: 1 })
  else if (used > planned * budget.factor + budget.grace)
    rows.push({
      name: `${name} took ${used} s of processor time; planned are ${planned} s on this machine, and ${budget.factor} times that is too much (scripts/budget.json)`,
      passed: 0,
      failed: 1,
    })
}
console.log(
  `processor time in all: ${(taken.reduce((sum, { used }) => sum + used, 0) / 60).toFixed(1)} minutes`,
)

const total = (field) => rows.reduce((sum, row) => sum + row[field], 0)
for (const { name, passed, failed, skipped } of rows)
  console.log(
    `${failed ? 'FAILED ' : 'passed '} ${name}: ${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`,
  )
for (const { fullName, message } of unsteady)
  console.log(`UNSTEADY: "${fullName}" failed once, then passed. Its first error:\n${message}`)
console.log(`${total('passed')} passed, ${total('failed')} failed`)
process.exitCode = total('failed') > 0 || rows.length === 0 ? 1 : 0
