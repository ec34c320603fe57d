// In Node, Deno and Bun: `process.mjs HOST [--full]`.
import { plainHarnesses } from './harnesses.ts'
import { runAll, sendReport } from './run-all.ts'
import { sdkHarnesses } from './sdk-harnesses.ts'

const [host = '', ...flags] = process.argv.slice(2)
const { deno, bun } = process.versions
const runtime = deno ? `Deno ${deno}` : bun ? `Bun ${bun}` : `Node ${process.version}`
await sendReport(host, await runAll({ host, runtime, harnesses: [...plainHarnesses, ...sdkHarnesses], full: flags.includes('--full') }))
