// A payment whose reply is lost waits for somebody to say what became of it: an approval and a
// refusal do not say that, in the same process and over HTTP.
import { type AgentClient, createAgent, createLocalClient, requestsOf } from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { defineTool, OutcomeUnknown } from '@modelport/runtime'
import { createAgentClient } from '@modelport/serve'
import { serve } from '@modelport/serve/node'
import { describe, expect, it, onTestFinished } from 'vitest'

/** An agent whose payment arrives, and whose reply is lost the first time. */
function payer() {
  const keys: string[] = []
  const pay = defineTool({
    name: 'pay',
    description: 'Pays',
    once: true,
    execute: (_, { run }) => {
      keys.push(run.idempotencyKey)
      if (keys.length === 1) throw new OutcomeUnknown('the reply is lost')
      return `receipt ${keys.length}`
    },
  })
  const asked: string[] = []
  const agent = createAgent({
    card: { name: 'payer', description: 'Pays' },
    provider: createMock({
      defaultResponse: ({ messages }) => {
        const result = messages.find(({ role }) => role === 'tool')
        if (result) asked.push(JSON.stringify(result.content))
        return result ? 'Done.' : { toolCalls: [{ name: 'pay', arguments: {} }] }
      },
    }),
    tools: [pay],
  })
  return { agent, keys, asked }
}

const doors = [
  ['in the same process', (agent: ReturnType<typeof createAgent>) => createLocalClient(agent)],
  [
    'over HTTP',
    async (agent: ReturnType<typeof createAgent>): Promise<AgentClient> => {
      const server = await serve([agent])
      onTestFinished(() => server.close())
      return createAgentClient(server.url)
    },
  ],
] as const

const isNoAnswer = {
  reason: 'invalid-params',
  message: expect.stringContaining(
    'its outcome is unknown, so it is neither approved nor refused: say outcome "happened" with its result, "did-not-happen" or "unknown"',
  ) as string,
}

describe.each(doors)('a call whose outcome is unknown, %s', (_, open) => {
  it('the call is not approved, not refused and not settled by another word: nothing is executed, and it waits on', async () => {
    const { agent, keys } = payer()
    const client = await open(agent)
    const task = await client.send('Pay')
    const [request] = requestsOf(task)
    expect([task.state, request?.uncertain, keys.length]).toEqual(['input-required', true, 1])
    const requestId = request?.requestId ?? ''
    for (const said of [
      { approved: true },
      { approved: false },
      { approved: false, reason: 'happened: receipt 1' },
      {},
      { outcome: 'yes' as 'happened' },
    ])
      await expect(client.decide(task, [{ requestId, ...said }])).rejects.toMatchObject(isNoAnswer)
    expect([(await client.get(task.id)).state, keys.length]).toEqual(['input-required', 1])
  })

  it.each([
    [{ outcome: 'happened', result: 'receipt 1' }, 1, 'receipt 1'],
    [{ outcome: 'did-not-happen' }, 2, 'receipt 2'],
    [{ outcome: 'unknown' }, 1, 'unknown'],
  ] as const)('the call is settled by what became of it: %j', async (said, payments, read) => {
    const { agent, keys, asked } = payer()
    const client = await open(agent)
    const task = await client.send('Pay')
    const requestId = requestsOf(task)[0]?.requestId ?? ''
    const done = await client.decide(task, [{ requestId, ...said }])
    expect([done.state, keys.length, new Set(keys).size]).toEqual(['completed', payments, 1])
    expect(asked.at(-1)).toContain(read)
  })
})

it('an outcome is refused for a call that was not started', async () => {
  const { agent, keys } = payer()
  const asking = createAgent({ ...agent.settings, policy: { default: 'require-approval' } })
  const client = createLocalClient(asking)
  const task = await client.send('Pay')
  const requestId = requestsOf(task)[0]?.requestId ?? ''
  await expect(
    client.decide(task, [{ requestId, outcome: 'did-not-happen' }]),
  ).rejects.toMatchObject({
    message:
      'The outcome of this call is not unknown, it was not started: say approved true or false',
  })
  expect(keys).toEqual([])
})
