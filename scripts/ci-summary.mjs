// Adds up what the steps left in a folder: `steps` has lines "passed failed name", `*.json` are vitest reports.
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
for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
  const report = JSON.parse(readFileSync(join(folder, file), 'utf8'))
  // A file that fails to load has no failed test, yet it is a failure.
  const broken = report.testResults.filter(
    (result) => result.status === 'failed' && result.assertionResults.every(({ status }) => status !== 'failed'),
  )
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
console.log(`${total('passed')} passed, ${total('failed')} failed`)
process.exitCode = total('failed') > 0 || rows.length === 0 ? 1 : 0
