// Prints what a step costs: promises, timers, passes of JSON, and the bytes that only a full
// garbage collection frees. A program of its own: whatever else a process does is counted too, and
// in one that has more to hold, what is new becomes old at other times.
import { createHook } from 'node:async_hooks'
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

type Counts = Readonly<Record<'promises' | 'timers' | 'parsed' | 'written', number>>

/** Counts what runs of so many steps make: promises, timers, passes of JSON. */
async function counts(steps: number): Promise<Counts> {
  const provider = asking(steps)
  const found = { promises: 0, timers: 0, parsed: 0, written: 0 }
  const hook = createHook({
    init: (_id, type) => {
      if (type === 'PROMISE') found.promises++
      if (type === 'Timeout') found.timers++
    },
  })
  const { parse, stringify } = JSON
  JSON.parse = (...given: Parameters<typeof parse>): unknown => (found.parsed++, parse(...given))
  JSON.stringify = ((...given: Parameters<typeof stringify>) => (
    found.written++, stringify(...given)
  )) as typeof stringify
  hook.enable()
  try {
    const result = await infer(provider, {
      query: 'Hi',
      tools: [weather],
      limits: { maxSteps: Infinity },
    })
    if (result.status !== 'final') throw new Error(`the run ended as ${result.status}`)
  } finally {
    hook.disable()
    Object.assign(JSON, { parse, stringify })
  }
  return found
}

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

await counts(2)
const [few, many] = [await counts(15), await counts(25)]
const perStep = (name: keyof Counts): number => (many[name] - few[name]) / 10
const cost = {
  promises: perStep('promises'),
  timers: perStep('timers'),
  parsed: perStep('parsed'),
  written: perStep('written'),
  bytes: Math.min(...rounds),
}
console.log(JSON.stringify(cost))
