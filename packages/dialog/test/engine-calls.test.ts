// Agent calls on an engine for durable execution, which remembers each effect of a call.
import { createMock } from '@modelport/provider-mock'
import { defineTool, type Engine, type Performed } from '@modelport/runtime'
import { everyCrash } from '@modelport/runtime/engines'
import { expect, test } from 'vitest'
import { choice, createDialogCaller, Dialog, definePrompt } from '../src/index.js'
import { callerOf, failureOf } from './call-tools.js'

/** A payment whose receiver has a list of the keys it saw. */
function payment(settings: { readonly idempotent?: boolean } = {}) {
  const paid: string[] = []
  const pay = defineTool({
    name: 'pay',
    description: 'Pays',
    parameters: { type: 'object', properties: { eur: { type: 'number' } } },
    ...settings,
    execute: (_, { run }) => {
      if (!paid.includes(run.idempotencyKey)) paid.push(run.idempotencyKey)
      return 'paid'
    },
  })
  return { pay, paid }
}

/** An agent that pays, replies with what its parser refuses, and corrects itself. */
function payer(pay: ReturnType<typeof payment>['pay']) {
  const provider = createMock({
    defaultResponse: ({ messages }) => {
      if (!messages.some(({ role }) => role === 'tool'))
        return { toolCalls: [{ id: 'c', name: 'pay', arguments: { eur: 100 } }] }
      return messages.at(-1)?.role === 'tool' ? 'perhaps' : 'yes'
    },
  })
  const prompt = definePrompt({
    path: 'pay',
    text: 'Pay {invoice}.',
    parse: choice(['yes', 'no']),
    tools: [pay],
  })
  const caller = createDialogCaller({ name: 'payer', provider })
  return { caller, dialog: Dialog.seed().send(prompt, { invoice: 'invoice 7' }) }
}

/** An engine whose records outlive a process. */
function recordingEngine() {
  const records = new Map<string, Performed>()
  const engine: Engine = {
    perform: async ({ key, execute }) => {
      const known = records.get(key) ?? (await execute({ first: true }))
      records.set(key, known)
      return known
    },
  }
  return { engine, records }
}

test.each([{}, { idempotent: true }])(
  'an agent call on an engine pays once, wherever its process ends: %j',
  async (settings) => {
    const values: unknown[] = []
    const { crashes } = await everyCrash(() => {
      const { pay, paid } = payment(settings)
      return {
        tools: [pay],
        effects: () => paid,
        run: async ({ engine, tools: [tool = pay] }) => {
          const { caller, dialog } = payer(tool)
          const { value, runResult } = await caller.call(dialog, {
            durable: { runId: 'invoice-7', engine },
          })
          values.push(value)
          return runResult
        },
      }
    })
    expect([crashes > 12, new Set(values)]).toEqual([true, new Set(['yes'])])
  },
)

test('an agent call on an engine that has all of it gives the same value and dialog again, without a request', async () => {
  const { engine, records } = recordingEngine()
  const { pay, paid } = payment()
  const durable = { runId: 'invoice-7', engine }
  const { caller, dialog } = payer(pay)
  const first = await caller.call(dialog, { durable })
  const { size } = records
  const events: string[] = []
  const again = await caller.call(dialog, { durable, onRunEvent: ({ type }) => events.push(type) })
  expect([again.value, again.dialog.messages]).toEqual([first.value, first.dialog.messages])
  expect([records.size, events.includes('tool-start')]).toEqual([size, false])
  expect(paid).toEqual([expect.stringMatching(/^invoice-7\/pay\/[0-9a-f]{16}\/0$/)])
})

test('what an engine throws to suspend a workflow reaches the caller as it is', async () => {
  const suspended = new Error('the workflow is suspended')
  const { caller, dialog } = payer(payment().pay)
  const engine: Engine = { perform: () => Promise.reject(suspended) }
  await expect(caller.call(dialog, { durable: { runId: 'id', engine } })).rejects.toBe(suspended)
})

test('an agent call on an engine that is aborted ends as a failure', async () => {
  const { caller, dialog } = payer(payment().pay)
  const { engine } = recordingEngine()
  const aborted = AbortSignal.abort(new Error('enough'))
  const error = await failureOf(
    caller.call(dialog, { signal: aborted, durable: { runId: 'id', engine } }),
  )
  expect(error.code).toBe('aborted')
})

test('an agent call on an engine refuses options that say otherwise, and a reader', async () => {
  const { caller, dialog } = payer(payment().pay)
  const durable = { runId: 'id', engine: recordingEngine().engine }
  await expect(caller.call(dialog, { durable, decisions: [] })).rejects.toThrow(
    'durable: the engine knows where the call continues; leave out decisions',
  )
  await expect(caller.call(dialog, { durable: { ...durable, runId: '' } })).rejects.toThrow(
    'durable.engine needs a runId',
  )
  const { caller: recalling } = callerOf(['yes'], { limits: { maxRecalls: 1 } })
  await expect(recalling.call(dialog, { durable })).rejects.toThrow(
    'durable: an engine has no recalls; set limits.maxRecalls to 0',
  )
  expect(() => caller.run(dialog, { durable })).toThrow(
    'durable: an engine runs call; watch it with onRunEvent',
  )
})
