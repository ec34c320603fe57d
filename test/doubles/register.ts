// For a program that starts servers of the kit in a process of its own:
// `node --import test/doubles/register.ts`. A refusal makes it fail.
import { begin, checkWire, describeRefusals, takeRefusals } from './refusals.ts'

begin({ file: process.argv[1] ?? '', title: '' })
Object.assign(globalThis, { [Symbol.for('modelport.wire-check')]: checkWire })
process.on('exit', () => {
  const found = takeRefusals()
  if (!found.length) return
  process.stderr.write(`${describeRefusals(found)}\n`)
  process.exitCode = 1
})
