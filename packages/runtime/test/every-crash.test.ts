import type { ChatMessage } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { defineTool, infer, type Tool } from '@modelport/runtime'
import { type CrashWorld, everyCrash } from '@modelport/runtime/engines'
import { expect, test } from 'vitest'

const call = (id: string, eur: number) => ({ id, name: 'pay', arguments: { eur } })
const replies = (messages: readonly ChatMessage[]) =>
  [{ toolCalls: [call('a', 1), call('b', 2)] }, { toolCalls: [call('c', 3)] }][
    messages.filter(({ role }) => role === 'assistant').length
  ] ?? 'Paid.'

/** Pays three times. The receiver keeps keys, or does not. */
function payer(settings: Partial<Tool>, keepsKeys: boolean): CrashWorld {
  const payments: string[] = []
  const pay = {
    ...defineTool({
      name: 'pay',
      description: 'Pays',
      parameters: { type: 'object', properties: { eur: { type: 'number' } }, required: ['eur'] },
      execute: ({ eur }, { run: { idempotencyKey: key } }) => {
        if (!keepsKeys || !payments.includes(`${eur} ${key}`)) payments.push(`${eur} ${key}`)
        return `paid ${eur}`
      },
    }),
    ...settings,
  }
  return {
    tools: [pay],
    effects: () => payments,
    run: ({ engine, tools }) =>
      infer(createMock({ defaultResponse: ({ messages }) => replies(messages) }), {
        query: 'Pay 1, 2 and 3.',
        tools,
        durable: { runId: 'r1', engine },
      }),
  }
}

test('a tool that declares nothing pays once whatever ends: a person is asked about the crashes', async () => {
  const { crashes, asked } = await everyCrash(() => payer({}, false))
  // three model calls with four places, three calls with five
  expect(crashes).toBe(3 * 4 + 3 * 5)
  expect(asked).toEqual(
    [1, 2, 3].flatMap(() => [
      { call: 'pay', place: 'begun' },
      { call: 'pay', place: 'happened' },
    ]),
  )
})

test('a tool that is once is asked about when its reply is lost, too', async () => {
  const { asked } = await everyCrash(() => payer({ once: true }, false))
  expect(asked.filter(({ place }) => place === 'reply-lost')).toHaveLength(3)
})

test('an idempotent tool whose receiver keeps keys asks nobody', async () => {
  expect(await everyCrash(() => payer({ idempotent: true }, true))).toMatchObject({ asked: [] })
})

test('an idempotent tool whose receiver keeps no keys is found, with what to do', async () => {
  await expect(everyCrash(() => payer({ idempotent: true }, false))).rejects.toThrow(
    /step 1, pay: the process ended after it happened, before that was recorded: 4 effects in place of 3 .*have the receiver keep keys, or remove idempotent/,
  )
})

test('a tool that says readOnly and pays is found, with what to do', async () => {
  await expect(everyCrash(() => payer({ readOnly: true }, false))).rejects.toThrow(
    'It declares readOnly, and has an effect: remove readOnly.',
  )
})

test('a reconcile that denies what happened is found', async () => {
  const reconcile = () => ({ outcome: 'not-executed' }) as const
  await expect(everyCrash(() => payer({ reconcile }, false))).rejects.toThrow(
    'Its reconcile says not-executed of a call that was executed',
  )
})

test('a run without the engine is named', async () => {
  const world = payer({}, false)
  const run = () => infer(createMock({ responses: ['Hello.'] }), { query: 'Hello' })
  await expect(everyCrash(() => ({ ...world, run }))).rejects.toThrow('the run performed nothing')
})
