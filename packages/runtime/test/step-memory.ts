// Prints how many bytes a step leaves that only a full garbage collection frees. A program of its
// own: in a process that has more to hold, what is new becomes old at other times.
import { defineTool, infer } from '@modelport/runtime'
import { asking } from './asking.js'

const stepsOfRun = 21
const runsOfRound = 25
const weather = defineTool({
  name: 'get_weather',
  description: 'Weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  execute: ({ city }) => `18 degrees in ${city}`,
})
const collect = (globalThis as { gc?: (options: { readonly type: 'minor' | 'major' }) => void }).gc!

async function run(runs: number): Promise<void> {
  for (let index = 0; index < runs; index++)
    await infer(asking(stepsOfRun - 1), {
      query: 'Hi',
      tools: [weather],
      limits: { maxSteps: 30 },
    })

  // Twice: what survives one of them is old.
  for (let index = 0; index < 2; index++) collect({ type: 'minor' })
}

/** Bytes that a step left, in each of some rounds: the first ones compile. */
const rounds: number[] = []
await run(5)
for (let round = 0; round < 4; round++) {
  collect({ type: 'major' })
  const before = process.memoryUsage().heapUsed
  await run(runsOfRound)
  rounds.push((process.memoryUsage().heapUsed - before) / (runsOfRound * stepsOfRun))
}
console.log(Math.min(...rounds))
