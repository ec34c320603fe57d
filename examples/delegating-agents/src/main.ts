// An assistant delegates to a bank; both are served over HTTP, and the bank asks before it pays.
import { answerOf, createAgent, requestsOf, toAgentTarget } from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import { createAgentClient } from '@modelport/serve'
import { serve } from '@modelport/serve/node'

const pay = defineTool({
  name: 'pay',
  description: 'Pays an amount in euros',
  parameters: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
  execute: (args) => {
    console.log(`bank: pays ${JSON.stringify(args)}`)
    return 'paid'
  },
})
const bank = await serve([
  createAgent({
    card: { name: 'bank', description: 'Pays bills' },
    provider: createMock({
      responses: [{ toolCalls: [{ name: 'pay', arguments: { amount: 12 } }] }, 'The bill is paid'],
    }),
    tools: [pay],
    policy: { rules: { 'tool.pay': 'require-approval' } },
  }),
])
const assistant = await serve([
  createAgent({
    card: { name: 'assistant', description: 'Runs errands' },
    provider: createMock({
      responses: [
        {
          toolCalls: [
            {
              name: 'delegate_to_agent',
              arguments: { agent: 'bank', prompt: 'Pay the bill of 12 euros' },
            },
          ],
        },
        'Done: the bank paid your bill.',
      ],
    }),
    agents: [
      toAgentTarget(createAgentClient(bank.url), { name: 'bank', description: 'Pays bills' }),
    ],
  }),
])

const client = createAgentClient(assistant.url)
const waiting = await client.send('Please pay my bill of 12 euros')
console.log(`assistant: ${waiting.state}`)
const requests = requestsOf(waiting)
for (const { path, action } of requests)
  console.log(`approval asked by ${path?.join(' > ')}: ${JSON.stringify(action?.['args'])}`)
const done = await client.decide(
  waiting,
  requests.map(({ requestId }) => ({ requestId, approved: true })),
)
console.log(`assistant: ${done.state}: ${answerOf(done)}`)
await Promise.all([assistant.close(), bank.close()])
