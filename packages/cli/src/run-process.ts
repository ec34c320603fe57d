import { run } from './run.js'
import { written } from './terminal/io.js'
import { processIo } from './terminal/node-io.js'

/** Runs the command line of this process, and ends the process. */
export async function runProcess(): Promise<never> {
  const io = processIo()
  // Commands handle failed writes; without a listener the process would end.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined)
  const code = await run(process.argv.slice(2), io)
  await Promise.all([process.stdout, process.stderr].map(written))
  // Connections that are kept alive, and tools that still run, must not hold the terminal.
  return process.exit(code)
}
