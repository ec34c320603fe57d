// What a caller grants in one line, over every way to an agent.
import { type AgentClient, createAgent, createLocalClient } from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import { createAgentClient, createAgentServer } from '@modelport/serve'
import { expect, test } from 'vitest'
import { base } from '../server/support.js'

/** An agent whose model calls its tool anew in each step, and never ends. */
function poller() {
  let steps = 0
  const provider = createMock({
    defaultResponse: () => ({ toolCalls: [{ name: 'look', arguments: { page: ++steps } }] }),
  })
  const look = defineTool({
    name: 'look',
    description: 'Looks at a page',
    parameters: { page: { type: 'number' } },
    execute: ({ page }) => `page ${String(page)}`,
  })
  const agent = createAgent({
    card: { name: 'poller', description: 'Polls' },
    provider,
    tools: [look],
  })
  return { agent, requests: provider.requests }
}

const overHttp = (agent: ReturnType<typeof createAgent>): AgentClient => {
  const server = createAgentServer([agent])
  return createAgentClient(base, {
    fetch: async (input, init) => server.fetch(new Request(input, init)),
  })
}

test.each<[string, (agent: ReturnType<typeof createAgent>) => AgentClient]>([
  ['in this process', (agent) => createLocalClient(agent)],
  ['over A2A', overHttp],
])('an agent %s makes as many steps as the caller grants in one line', async (_, connect) => {
  for (const maxSteps of [1, 3]) {
    const { agent, requests } = poller()
    const task = await connect(agent).send('Go', { limits: { maxSteps } })
    expect(task.state).toBe('failed')
    expect(requests).toHaveLength(maxSteps)
  }
  const { agent, requests } = poller()
  const task = await connect(agent).send('Go', { limits: { maxCalls: 2 } })
  expect([task.state, requests.length]).toEqual(['failed', 2])
})

test.each<[string, (agent: ReturnType<typeof createAgent>) => AgentClient]>([
  ['in this process', (agent) => createLocalClient(agent)],
  ['over A2A', overHttp],
])(
  'limits that an agent %s does not know are refused with the name that was meant',
  async (_, connect) => {
    const client = connect(poller().agent)
    await expect(client.send('Go', { maxSteps: 5 } as object)).rejects.toThrow(
      'send: unknown setting "maxSteps"; set limits.maxSteps',
    )
    await expect(client.send('Go', { limits: { maxStep: 5 } as object })).rejects.toThrow(
      'send: limits: unknown setting "maxStep"; did you mean "maxSteps"?',
    )
  },
)

test('limits stand in place of those of the run that is passed on', async () => {
  const { agent, requests } = poller()
  const run = {
    taskId: 't',
    sessionId: 's',
    principal: 'p',
    chain: ['boss'],
    limits: { maxSteps: 4 },
  }
  await createLocalClient(agent).send('Go', { run, limits: { maxSteps: 2 } })
  expect(requests).toHaveLength(2)
})
