#!/usr/bin/env node
import { nodeProblem } from './node-version.js'

// Everything else is loaded later: on an old Node it may not even load.
const problem = nodeProblem(process.versions.node)
if (problem === undefined) {
  const { runProcess } = await import('./run-process.js')
  await runProcess()
} else {
  process.stderr.write(`error (unsupported): ${problem}\n`)
  process.exitCode = 17
}
