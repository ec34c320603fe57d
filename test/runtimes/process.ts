// In Node, Deno and Bun: `process.mjs HOST [--full]`.
import { harnesses } from './harnesses.ts'
import { runAll, sendReport } from './run-all.ts'

const [host = '', ...flags] = process.argv.slice(2)
const { deno, bun } = process.versions
const runtime = deno ? `Deno ${deno}` : bun ? `Bun ${bun}` : `Node ${process.version}`
await sendReport(host, await runAll({ host, runtime, harnesses, full: flags.includes('--full') }))
