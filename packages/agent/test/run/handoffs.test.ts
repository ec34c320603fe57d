import { createAgent, createLocalClient, requestsOf } from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import { expect, it } from 'vitest'

const refund = defineTool({ name: 'refund', description: 'Pays back', execute: () => 'paid' })
const call = (name: string, args: object = {}) => ({
  toolCalls: [{ name, arguments: { ...args } }],
})

it('whoever has the conversation of a session answers its next task, under the policy of the agent', async () => {
  const provider = createMock({
    responses: [call('hand_off', { to: 'billing' }), 'Which order?', call('refund'), 'Paid.'],
  })
  const agent = createAgent({
    card: { name: 'desk', description: 'Answers customers' },
    provider,
    system: 'You answer.',
    handoffs: { billing: { description: 'refunds', system: 'You do refunds.', tools: [refund] } },
    policy: { rules: { 'tool.refund': 'require-approval' } },
  })
  const client = createLocalClient(agent)
  expect((await client.send('I paid twice.', { sessionId: 's1' })).state).toBe('completed')
  const task = await client.send('A1', { sessionId: 's1' })
  expect(requestsOf(task).map(({ action }) => action)).toMatchObject([{ tool: 'refund' }])
  const done = await client.decide(task, [
    { requestId: requestsOf(task)[0]?.requestId ?? '', approved: true },
  ])
  expect(done.state).toBe('completed')
  expect(provider.requests.map(({ options }) => options.system)).toEqual([
    'You answer.',
    'You do refunds.',
    'You do refunds.',
    'You do refunds.',
  ])
})
