// An approval that is decided twice, at once or one after the other, counts once: the first
// decision does, through whichever door it comes.
import { AgentHost, createAgent, createLocalClient, requestsOf } from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import { createAgentClient } from '@modelport/serve'
import { serve } from '@modelport/serve/node'
import { expect, it, onTestFinished } from 'vitest'

/** A served agent that waits for the approval of a payment, and two clients of one caller. */
async function waiting() {
  let payments = 0
  const pay = defineTool({
    name: 'pay',
    description: 'Pays',
    execute: () => `receipt ${++payments}`,
  })
  const agent = createAgent({
    card: { name: 'payer', description: 'Pays' },
    provider: createMock({
      defaultResponse: ({ messages }) =>
        messages.some(({ role }) => role === 'tool')
          ? 'Done.'
          : { toolCalls: [{ name: 'pay', arguments: {} }] },
    }),
    tools: [pay],
    policy: { rules: { 'tool.pay': 'require-approval' } },
  })
  const server = await serve([agent])
  onTestFinished(() => server.close())
  const [one, two] = [createAgentClient(server.url), createAgentClient(server.url)]
  const task = await one.send('Pay')
  const [request] = requestsOf(task)
  const requestId = request?.requestId ?? ''
  return { agent, one, two, task, requestId, payments: () => payments }
}

it.each([
  ['two approvals', true, true],
  ['an approval and a refusal', true, false],
  ['a refusal and an approval', false, true],
] as const)('%s at the same time, over HTTP, count once', async (_, first, second) => {
  const { one, two, task, requestId, payments } = await waiting()
  const outcomes = await Promise.allSettled([
    one.decide(task, [{ requestId, approved: first }]),
    two.decide(task, [{ requestId, approved: second }]),
  ])
  expect(outcomes.some(({ status }) => status === 'fulfilled')).toBe(true)
  await expect.poll(async () => (await one.get(task.id)).state).toBe('completed')
  expect(payments()).toBeLessThanOrEqual(1)
  if (first === second) expect(payments()).toBe(1)
})

it.each([
  ['an approval', true, 1],
  ['a refusal', false, 0],
] as const)(
  '%s that was given counts, and the later decision is refused',
  async (_, approved, paid) => {
    const { one, two, task, requestId, payments } = await waiting()
    await one.decide(task, [{ requestId, approved }])
    await expect(two.decide(task, [{ requestId, approved: !approved }])).rejects.toMatchObject({
      reason: 'unsupported-operation',
    })
    expect(payments()).toBe(paid)
  },
)

it('two approvals at the same time in one process count once', async () => {
  const { agent } = await waiting()
  const host = new AgentHost([agent])
  const [one, two] = [createLocalClient(agent, { host }), createLocalClient(agent, { host })]
  const task = await one.send('Pay')
  const decision = { requestId: requestsOf(task)[0]?.requestId ?? '', approved: true }
  await Promise.allSettled([one.decide(task, [decision]), two.decide(task, [decision])])
  await expect.poll(async () => (await one.get(task.id)).state).toBe('completed')
  const results = (await one.get(task.id)).messages
  expect(JSON.stringify(results)).not.toContain('receipt 2')
})
