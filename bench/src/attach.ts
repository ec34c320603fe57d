// What a program pays for being shown in a studio:
// `node --import ../scripts/sources.mjs src/attach.ts`, with a studio of this user running, or with
// MODELPORT_STUDIO. Each measurement is a process of its own, with and without the module, in turn.
import { fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createMock } from '@modelport/provider-mock'
import { defineTool, infer } from '@modelport/runtime'
import { rows } from './steps/rows.ts'
import { serveModel } from './steps/server.ts'

const steps = 20
const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

const tool = defineTool({
  name: 'look',
  description: 'Looks.',
  parameters: { type: 'object', properties: { at: { type: 'string' } } },
  execute: ({ at }) => `It is at ${String(at)}.`,
})

/** Milliseconds of a stream of 400 deltas, one each 5 ms. */
async function paced(): Promise<number> {
  const mock = createMock({ responses: ['four'.repeat(400)], chunkSize: 4, delayMs: 5 })
  const from = performance.now()
  for await (const _ of await mock.stream('Go'));
  return performance.now() - from
}

/** Microseconds of processor time of one step of runs of 20, with all that is sent about them. */
async function measureSteps(run: () => Promise<unknown>): Promise<number> {
  const runs = 150
  const warmUp = 50
  let from = process.cpuUsage()
  for (let index = 0; index < warmUp + runs; index++) {
    if (index === warmUp) from = process.cpuUsage()
    await run()
    // As between two requests of a server.
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const { user, system } = process.cpuUsage(from)
  return (user + system) / runs / steps
}

/** Steps of a model that replies from memory. */
function memory(): Promise<number> {
  const call = (index: number) => ({
    toolCalls: [{ name: 'look', arguments: { at: `place ${index}` } }],
  })
  const responses = [...Array.from({ length: steps - 1 }, (_, index) => call(index)), 'Done.']
  return measureSteps(() =>
    infer(createMock({ responses }), { query: 'Go', tools: [tool], limits: { maxSteps: 50 } }),
  )
}

/** Steps of a model behind HTTP, in a process of its own. */
async function step(): Promise<number> {
  const server = fork(pathOf('attach.ts'), ['serve', 'once'])
  const [url] = (await once(server, 'message')) as [string]
  const loop = await rows['infer']?.()
  const time = await measureSteps(async () => loop?.(`${url}/${steps}/v1`))
  server.kill()
  return time
}

const measurements: Readonly<Record<string, () => Promise<number>>> = { paced, step, memory }
const [name, isOne] = process.argv.slice(2)
if (name === 'serve') process.send?.(await serveModel())
else if (name !== undefined && isOne) console.log(await measurements[name]?.())
else
  for (const one of name === undefined ? Object.keys(measurements) : [name]) {
    const measure = (attached: boolean): number => {
      const hooks = ['--import', pathOf('../../scripts/sources.mjs')]
      const more = attached ? ['--import', pathOf('../../packages/studio/src/attach.ts')] : []
      const { stdout, stderr } = spawnSync(
        process.execPath,
        [...hooks, ...more, pathOf('attach.ts'), one, 'once'],
        {
          encoding: 'utf8',
        },
      )
      if (attached && !stderr.includes('is shown at')) throw new Error(`no studio: ${stderr}`)
      return Number(stdout)
    }
    const ratios = Array.from({ length: 9 }, () => {
      const without = measure(false)
      const attached = measure(true)
      console.log(one, without.toFixed(1), attached.toFixed(1))
      return attached / without
    })
    const median = ratios.sort((a, b) => a - b)[4] ?? 0
    console.log(`${one}: ${((median - 1) * 100).toFixed(1)} % more\n`)
  }
