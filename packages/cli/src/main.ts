#!/usr/bin/env node
import { processIo } from './node-io.js'
import { run } from './run.js'

const io = processIo()
// A reader that is gone is told by a failed write, and that is dealt with where it matters.
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined)
const code = await run(process.argv.slice(2), io)
await Promise.all([process.stdout, process.stderr].map((output) => new Promise((resolve) => {
  if (output.destroyed) resolve(undefined)
  else output.write('', resolve)
})))
// Connections that are kept alive, and tools that still run, must not hold the terminal.
process.exit(code)
