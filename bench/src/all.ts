import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'

/**
 * `node src/all.ts [--quick]`: everything that docs/performance.md has figures of, one table after
 * the other. `--quick` takes few rounds of the floor and modelport, in some minutes. Build
 * first.
 */
const { values } = parseArgs({ options: { quick: { type: 'boolean' } } })

interface Measurement {
  readonly title: string
  readonly whole: readonly string[]
  readonly quick: readonly string[]
}

const few = ['--rounds', '4', '--warm-ups', '2']
const measurements: readonly Measurement[] = [
  {
    title: 'Steps of a loop',
    whole: ['src/steps.ts', '9', '400'],
    quick: ['src/steps.ts', '5', '200'],
  },
  {
    title: 'The start of a process',
    whole: ['src/start.ts', '15'],
    quick: ['src/start.ts', '3'],
  },
  {
    title: 'Idle streams',
    whole: ['src/idle.ts', '500', '5'],
    quick: ['src/idle.ts', '200', '1'],
  },
  { title: 'Bundles', whole: ['src/weights.ts'], quick: ['src/weights.ts'] },
  {
    title: 'Streams and whole replies',
    whole: ['src/main.ts', '--all'],
    quick: ['src/main.ts', '--regime', 'fast', '--regime', 'paced', '--regime', 'short', ...few],
  },
]

for (const { title, whole, quick } of measurements) {
  console.log(`\n# ${title}\n`)
  const { status } = spawnSync(process.execPath, values.quick ? quick : whole, {
    cwd: new URL('..', import.meta.url),
    stdio: 'inherit',
  })
  if (status !== 0) process.exitCode = 1
}
