// Adds up what the steps left in a folder: `steps` has lines "passed failed name", `*.json` are
// vitest reports. The last line is `N passed, N failed`.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
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

const total = (field) => rows.reduce((sum, row) => sum + row[field], 0)
for (const { name, passed, failed, skipped } of rows)
  console.log(
    `${failed ? 'FAILED ' : 'passed '} ${name}: ${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`,
  )
for (const { fullName, message } of unsteady)
  console.log(`UNSTEADY: "${fullName}" failed once, then passed. Its first error:\n${message}`)
console.log(`${total('passed')} passed, ${total('failed')} failed`)
process.exitCode = total('failed') > 0 || rows.length === 0 ? 1 : 0
