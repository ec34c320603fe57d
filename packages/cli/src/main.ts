#!/usr/bin/env node
import { written } from './terminal/io.js'
import { processIo } from './terminal/node-io.js'
import { run } from './run.js'

const io = processIo()
// What a write failed with is told where it matters; nobody listening would end the process.
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined)
const code = await run(process.argv.slice(2), io)
await Promise.all([process.stdout, process.stderr].map(written))
// Connections that are kept alive, and tools that still run, must not hold the terminal.
process.exit(code)
