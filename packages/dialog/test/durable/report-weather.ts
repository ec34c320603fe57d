// An agent call that a durable store runs. As a program, `node report-weather.ts STORE LEDGER`, it
// hangs in its second tool until it is killed.
import { appendFileSync } from 'node:fs'
import type { DurableStore } from '@modelport/durable'
import { openSqliteStore } from '@modelport/durable/sqlite'
import { createMock } from '@modelport/provider-mock'
import { defineTool, type RunResult } from '@modelport/runtime'
import { z } from 'zod'
import { createDialogCaller, type Dialog, definePrompt, json } from '../../src/index.js'

const Weather = z.object({ city: z.string(), degrees: z.number() })
/** What the prompt promises. */
export type Weather = z.infer<typeof Weather>

/** How long a run stays with a process that was killed, in milliseconds. */
export const leaseMs = 1000

const replies = [
  { toolCalls: [{ id: 'a', name: 'look', arguments: { value: 'Rome' } }] },
  { toolCalls: [{ id: 'b', name: 'measure', arguments: { value: 'Rome' } }] },
  '{"city": "Rome"}',
  '{"city": "Rome", "degrees": 28}',
]

/** The agent and its dialog. `measure` never ends if `hangs` is set. */
export function weatherCall(ledger: string, hangs: boolean) {
  const tool = (name: string, ends: boolean) => ({
    ...defineTool({
      name,
      description: `Does ${name}`,
      parameters: { type: 'object', properties: { value: { type: 'string' } } },
      execute: async () => {
        appendFileSync(ledger, `${name}\n`)
        if (!ends) {
          process.stdout.write('in the tool\n')
          await new Promise((resolve) => setTimeout(resolve, 600_000))
        }
        return 'done'
      },
    }),
    idempotent: true,
  })
  const prompt = definePrompt({
    path: 'weather',
    text: 'How warm is {city}?',
    tools: [tool('look', true), tool('measure', !hangs)],
    parse: json(Weather),
  })
  const provider = createMock({
    defaultResponse: ({ messages }) => {
      const turn = messages.filter(({ role }) => role === 'assistant').length
      return replies[turn] ?? 'Nothing is left to say.'
    },
  })
  const agent = createDialogCaller({
    name: 'reporter',
    provider,
    system: 'You report the weather.',
  })
  return {
    agent,
    provider,
    dialog: agent.open().send(prompt, { city: 'Rome' }) satisfies Dialog<Weather>,
  }
}

/** Runs the call under the id `rome`, or continues it. */
export const reportWeather = (
  store: DurableStore,
  call: ReturnType<typeof weatherCall>,
): Promise<RunResult<Weather>> =>
  store.runs.run('rome', (journal) => call.agent.call(call.dialog, { journal }))

const [, program = '', address, ledger] = process.argv
if (program.endsWith('report-weather.ts') && address !== undefined && ledger !== undefined) {
  const store = await openSqliteStore(address, { leaseMs })
  await reportWeather(store, weatherCall(ledger, true))
}
