import type { ScriptTurn } from '@modelport/conformance'
import { expect, test } from 'vitest'
import { atSize, reportFault } from '../support/faults.js'
import { answerTo, apiKey, once, question, type Target, targets, tools } from './targets.js'

const mib = 1024 * 1024

/** Ways to send many calls: each with its own id, all with one, and none. */
const idsOf: Readonly<Record<string, (index: number) => { readonly id?: string }>> = {
  'distinct ids': (index) => ({ id: `call_${index}` }),
  'one id': () => ({ id: 'call_1' }),
}

const turnOf = (count: number, id: (index: number) => { readonly id?: string }): ScriptTurn => ({
  toolCalls: Array.from({ length: count }, (_, index) => ({
    ...id(index),
    name: 'get_weather',
    arguments: { city: `City ${index}` },
  })),
  finish: 'tool-calls',
  usage: { inputTokens: 1, outputTokens: 1 },
})

/** CPU time, in milliseconds, of reading this reply, its calls in one chunk; the least of three. */
async function cpuOf(
  target: Target,
  bytes: Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
): Promise<number> {
  let least = Infinity
  for (let run = 0; run < 3; run++) {
    const provider = target.create('http://growth.test', {
      limits: { maxToolCalls: 1_000_000, maxEventBytes: 64 * mib },
      fetch: () => Promise.resolve(new Response(bytes, { headers })),
    })
    const before = process.cpuUsage()
    const reader = await provider.streamWithTools(question, tools, once)
    for await (const _ of reader);
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

test.each(
  targets.flatMap((target) =>
    Object.keys(idsOf).map((ids) => ({ name: target.name, ids, target })),
  ),
)(
  '$name: twice the tool calls take about twice the time, with $ids',
  async ({ name, ids, target }) => {
    const calls = atSize(1500, 4000)
    const answers = await Promise.all(
      [calls, 4 * calls].map((count) =>
        answerTo(target, turnOf(count, idsOf[ids] as (typeof idsOf)[string])),
      ),
    )
    const times: number[] = []
    for (const { bytes, headers } of answers) times.push(await cpuOf(target, bytes, headers))
    const [small = 0, large = 0] = times
    // Four times the calls: a quadratic step would take sixteen times as long.
    expect(large, times.map(Math.round).join(', ')).toBeLessThan(Math.max(10 * small, 100))
    reportFault('growth', { [`${name}, ${ids}: growth`]: large / small })
  },
  120_000,
)

test.each(targets)('$name: more calls than the limit reject limit-exceeded', async (target) => {
  const { bytes, headers } = await answerTo(
    target,
    turnOf(1025, idsOf['distinct ids'] as (typeof idsOf)[string]),
  )
  const fetch = (): Promise<Response> => Promise.resolve(new Response(bytes, { headers }))
  const reader = await target
    .create('http://growth.test', { fetch, apiKey })
    .streamWithTools(question, tools, once)
  const read = (async () => {
    for await (const _ of reader);
  })()
  await expect(read).rejects.toMatchObject({ code: 'limit-exceeded' })
})
