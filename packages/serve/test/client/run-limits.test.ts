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

/** The metadata that an agent gets whose card has these extensions. */
async function metadataAt(extensions: readonly object[]): Promise<unknown> {
  const card = {
    name: 'other',
    description: 'Other',
    version: '1',
    capabilities: { extensions },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
    supportedInterfaces: [{ url: base, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  }
  let metadata: unknown
  const client = createAgentClient(base, {
    fetch: async (input, init) => {
      const request = new Request(input, init)
      if (request.method === 'GET') return Response.json(card)

      const { id, params } = (await request.json()) as {
        id: unknown
        params: { metadata: unknown }
      }
      metadata = params.metadata
      const status = { state: 'TASK_STATE_COMPLETED' }
      const task = { id: 'task_1', contextId: 'ctx_1', status }
      return Response.json({ jsonrpc: '2.0', id, result: { task } })
    },
  })
  const run = { chain: ['lead'], permissions: ['tool.echo'], traceId: 'trace_1' } as never
  await client.send('Go', {
    run,
    limits: { maxCalls: 2, maxRuntimeMs: 1500 },
    metadata: { run_context: { workspace_uri: 'file:///x' } },
  })
  return metadata
}

test('an agent of another system gets the limits in run_context too, without permissions, which it reads otherwise', async () => {
  expect(await metadataAt([])).toMatchObject({
    run_context: {
      workspace_uri: 'file:///x',
      trace_id: 'trace_1',
      agent_chain: ['lead'],
      budget: { max_llm_calls: 2, max_runtime_seconds: 1.5 },
    },
  })
  expect(await metadataAt([])).not.toHaveProperty('run_context.permissions')
})

test('an agent of modelport gets the limits once, under its extension', async () => {
  const uri = 'https://modelport.dev/a2a/ext/v1'
  expect(await metadataAt([{ uri }])).toEqual({
    run_context: { workspace_uri: 'file:///x' },
    [uri]: {
      run_context: {
        trace_id: 'trace_1',
        agent_chain: ['lead'],
        permissions: ['tool.echo'],
        budget: { max_llm_calls: 2, max_runtime_seconds: 1.5 },
      },
    },
  })
})
