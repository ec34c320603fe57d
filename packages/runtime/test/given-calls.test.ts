import { createMock } from '@modelport/provider-mock'
import {
  defineTool,
  type FinishedCall,
  type InferRequest,
  infer,
  OutcomeUnknown,
  stepCountIs,
} from '@modelport/runtime'
import { expect, test } from 'vitest'

const pay = (payments: string[]) =>
  defineTool({
    name: 'pay',
    description: 'Pays',
    parameters: { type: 'object', properties: { eur: { type: 'number' } }, required: ['eur'] },
    execute: ({ eur }, { run }) => {
      payments.push(`${String(eur)} ${run.idempotencyKey}`)
      return { paid: eur }
    },
  })

const call = (eur: unknown) => ({ name: 'pay', arguments: { eur } as { eur: number } })

/** Makes the calls and asks no model. */
function make(calls: InferRequest['calls'] & object, request: Partial<InferRequest> = {}) {
  const provider = createMock({ responses: ['never asked'] })
  const payments: string[] = []
  const finished: FinishedCall[] = []
  const result = infer(provider, {
    calls,
    tools: [pay(payments)],
    stopWhen: stepCountIs(calls.length),
    durable: { runId: 'r1' },
    afterTools: (results) => {
      finished.push(...results)
      return undefined
    },
    ...request,
  })
  return { provider, payments, finished, result }
}

test('calls that are given are made in their order, and no model is asked', async () => {
  const { result, provider, payments, finished } = make([call(1), call(2)])
  expect(await result).toMatchObject({ status: 'final', stopped: true, steps: 2 })
  expect(provider.requests).toEqual([])
  expect(payments.map((payment) => payment.replace(/[0-9a-f]{16}/, '#'))).toEqual([
    '1 r1/pay/#/0',
    '2 r1/pay/#/0',
  ])
  expect(finished.map(({ outcome }) => outcome?.value)).toEqual([{ paid: 1 }, { paid: 2 }])
})

test('a call that is given twice is wanted twice: it is made twice, with two keys', async () => {
  const { result, payments } = make([call(1), call(1)])
  await result
  expect(payments).toHaveLength(2)
  expect(new Set(payments).size).toBe(2)
})

test('the model continues from the results of calls that are given', async () => {
  const provider = createMock({ responses: ['It is paid.'] })
  const result = await infer(provider, {
    query: 'Pay, then say so.',
    calls: [call(1)],
    tools: [pay([])],
    limits: { maxSteps: 1, budget: { maxSteps: 1 } },
  })
  expect(result).toMatchObject({ status: 'final', text: 'It is paid.' })
  expect(provider.requests[0]?.messages).toMatchObject([
    { role: 'user', content: 'Pay, then say so.' },
    { role: 'assistant', toolCalls: [{ name: 'pay', arguments: { eur: 1 } }] },
    { role: 'tool', content: '{"paid":1}' },
  ])
})

test('a given call with wrong arguments is refused before it is executed', async () => {
  const { result, payments, finished } = make([call('one')])
  await result
  expect(payments).toEqual([])
  expect(finished).toMatchObject([{ isError: true, outcome: { status: 'invalid-arguments' } }])
})

test('a given call is authorized like one of the model', async () => {
  const { result, payments } = make([call(1)], {
    authorize: () => ({ effect: 'require-approval', reason: 'money' }),
  })
  expect(await result).toMatchObject({
    status: 'suspended',
    pending: [{ type: 'approval', action: { tool: 'pay', args: { eur: 1 } }, reason: 'money' }],
  })
  expect(payments).toEqual([])
})

test('a given call whose outcome nobody knows waits for a person where the tool says so', async () => {
  const once = defineTool({
    name: 'pay',
    description: 'Pays',
    once: true,
    execute: () => {
      throw new OutcomeUnknown('the line went dead')
    },
  })
  const { result } = make([{ name: 'pay', arguments: {} }], { tools: [once] })
  expect(await result).toMatchObject({ status: 'suspended', pending: [{ type: 'uncertain' }] })
})

test.each([
  [[{ name: 'pay' }], 'each with a name and an object of arguments'],
  ['pay', 'each with a name and an object of arguments'],
])('what is not a list of calls is refused: %j', async (calls, message) => {
  await expect(make(calls as never).result).rejects.toThrow(message)
})

test('a request that gives no call and asks nothing is refused', async () => {
  await expect(make([]).result).rejects.toThrow('nothing is asked')
})
