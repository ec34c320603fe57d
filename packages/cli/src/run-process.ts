import { runWith } from './run.js'
import { written } from './terminal/io.js'

/** Runs the command line of this process, and ends the process. */
export async function runProcess(): Promise<never> {
  // Commands handle failed writes; without a listener the process would end.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined)
  const code = await runWith(process.argv.slice(2), process, async () =>
    (await import('./terminal/node-io.js')).processIo(),
  )
  await Promise.all([process.stdout, process.stderr].map(written))
  // Connections that are kept alive, and tools that still run, must not hold the terminal.
  return process.exit(code)
}
