// Two agent calls in one durable run. As a program, `node two-calls.ts STORE LEDGER`, it hangs in
// the tool of the second call until it is killed.
import { appendFileSync } from 'node:fs'
import type { DurableStore } from '@modelport/durable'
import { openSqliteStore } from '@modelport/durable/sqlite'
import { createMock, type MockReply } from '@modelport/provider-mock'
import { defineTool, type RunResult } from '@modelport/runtime'
import { createDialogCaller, definePrompt, json, text } from '../../src/index.js'

/** How long a run stays with a process that was killed, in milliseconds. */
export const leaseMs = 4000

const replies: Readonly<Record<string, readonly (string | MockReply)[]>> = {
  'Find a city.': [{ toolCalls: [{ id: 'a', name: 'look', arguments: {} }] }, 'Rome'],
  'How warm is Rome?': [
    { toolCalls: [{ id: 'b', name: 'measure', arguments: {} }] },
    'perhaps',
    '{"degrees": 28}',
  ],
}

/** A finder and a reporter with a tool each. `measure` never ends if `hangs` is set. */
export function twoCalls(ledger: string, hangs: boolean) {
  const tool = (name: string, ends: boolean) => ({
    ...defineTool({
      name,
      description: `Does ${name}`,
      parameters: { type: 'object' },
      execute: async (_arguments, { run }) => {
        appendFileSync(ledger, `${name} ${run.idempotencyKey}\n`)
        if (!ends) {
          process.stdout.write('in the tool\n')
          await new Promise((resolve) => setTimeout(resolve, 600_000))
        }
        return 'done'
      },
    }),
    idempotent: true,
  })
  const find = definePrompt({
    path: 'find',
    text: 'Find a city.',
    tools: [tool('look', true)],
    parse: text(),
  })
  const measure = definePrompt({
    path: 'measure',
    text: 'How warm is {city}?',
    tools: [tool('measure', !hangs)],
    parse: json({
      type: 'object',
      properties: { degrees: { type: 'number' } },
      required: ['degrees'],
    }),
  })
  const provider = createMock({
    defaultResponse: ({ messages }) => {
      const opening = messages.findLast((message) => message.role === 'user' && !message.byRun)
      const turn = messages.slice(messages.indexOf(opening ?? { role: 'user', content: '' }))
      const said = turn.filter(({ role }) => role === 'assistant').length
      return (
        replies[typeof opening?.content === 'string' ? opening.content : '']?.[said] ??
        'Nothing is left to say.'
      )
    },
  })
  const [finder, reporter] = ['finder', 'reporter'].map((name) =>
    createDialogCaller({ name, provider }),
  )
  if (!finder || !reporter) throw new Error('two agents were made')
  const run = (store: DurableStore): Promise<RunResult> =>
    store.runs.run('cities', async (journal) => {
      const found = await finder.call(finder.open().send(find), { journal })
      return reporter.call(found.dialog.send(measure, { city: found.value }), { journal })
    })
  return { run, provider }
}

const [, program = '', address, ledger] = process.argv
if (program.endsWith('two-calls.ts') && address !== undefined && ledger !== undefined) {
  const store = await openSqliteStore(address, { leaseMs })
  await twoCalls(ledger, true).run(store)
}
