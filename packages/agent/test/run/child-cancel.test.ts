import {
  AgentHost,
  createAgent,
  createLocalClient,
  createMessage,
  toAgentTarget,
} from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { BudgetLedger } from '@modelport/runtime'
import { expect, it } from 'vitest'

/** An agent that delegates to another one, whose task ends only when it is cancelled. */
function delegating() {
  let begin = (): void => undefined
  const hasBegun = new Promise<void>((resolve) => (begin = resolve))
  const reasons: unknown[] = []
  const worker = createAgent({
    card: { name: 'worker', description: 'Works' },
    handler: ({ signal }) => {
      begin()
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason)
          reject(signal.reason as Error)
        })
      })
    },
  })
  const client = createLocalClient(worker)
  let failures = 0
  const target = toAgentTarget(
    {
      ...client,
      stream: (...given) => client.stream(...given),
      cancel: (...given) =>
        failures-- > 0 ? Promise.reject(new Error('away')) : client.cancel(...given),
    },
    { name: 'worker', description: 'Works' },
  )
  const assistant = createAgent({
    card: { name: 'assistant', description: 'Delegates' },
    agents: [target],
    provider: createMock({
      responses: [
        {
          toolCalls: [
            { name: 'delegate_to_agent', arguments: { agent: 'worker', prompt: 'Work' } },
          ],
        },
      ],
    }),
  })
  const fail = (times: number) => {
    failures = times
  }
  return { assistant, hasBegun, reasons, fail }
}

const principal = 'alice'

it('cancelling a task also cancels the task that it is waiting for', async () => {
  const { assistant, hasBegun, reasons } = delegating()
  const host = new AgentHost([assistant])
  const { task } = await host.send({
    agent: 'assistant',
    principal,
    message: createMessage('user', 'Go'),
  })
  await hasBegun
  await host.cancel({ principal, id: task.id })
  await expect.poll(() => reasons.length).toBe(1)
  expect(String(reasons[0])).toContain('the calling task was cancelled')
})

it('a cancel is sent again after an agent could not be reached', async () => {
  const { assistant, hasBegun, reasons, fail } = delegating()
  const host = new AgentHost([assistant])
  const { task } = await host.send({
    agent: 'assistant',
    principal,
    message: createMessage('user', 'Go'),
  })
  await hasBegun
  fail(1)
  await host.cancel({ principal, id: task.id })
  await expect.poll(() => reasons.length).toBe(1)
})

it('a delegated call that is repeated after a resume finds its task, and another call makes its own', async () => {
  const worker = createAgent({
    card: { name: 'worker', description: 'Works' },
    handler: ({ message }) => message.id,
  })
  const target = toAgentTarget(createLocalClient(worker), {
    name: 'worker',
    description: 'Works',
    idempotent: true,
  })
  const call = (idempotencyKey: string, prompt = 'Work') =>
    target.call(
      { action: 'infer', prompt },
      {
        callId: 'c',
        step: 1,
        signal: new AbortController().signal,
        budget: new BudgetLedger({ maxCost: 1 }),
        run: { runId: 'r', idempotencyKey },
      },
    )
  const [first, again, other, long] = [
    await call('r/1/0'),
    await call('r/1/0'),
    await call('r/1/1'),
    await call('k'.repeat(300)),
  ]
  expect([target.idempotent, first, again, other]).toEqual([
    true,
    'call_r/1/0',
    'call_r/1/0',
    'call_r/1/1',
  ])
  expect(String(long).length).toBeLessThan(100)
  await expect(call('r/1/0', 'Another prompt')).rejects.toThrow('sent before with another body')
})
