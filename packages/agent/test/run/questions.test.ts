import {
  AgentHost,
  createAgent,
  createLocalClient,
  createMemoryStore,
  createMessage,
  createPart,
  requestsOf,
  toAgentTarget,
} from '@modelport/agent'
import { createMock } from '@modelport/provider-mock'
import { defineTool, type PendingQuestion } from '@modelport/runtime'
import { describe, expect, it } from 'vitest'

const schema = {
  type: 'object',
  properties: { people: { type: 'integer', minimum: 1 } },
  required: ['people'],
} as const

function waiter(more: object = {}) {
  const booked: unknown[] = []
  const tool = defineTool({
    name: 'book',
    description: 'Books a table',
    execute: async (_, { ask }) => {
      const answer = await ask({ message: 'How many?', schema, from: 'tables' })
      booked.push(answer.action === 'accept' ? answer.content.people : answer.action)
      return 'booked'
    },
  })
  const agent = createAgent({
    card: { name: 'waiter', description: 'Books tables' },
    provider: createMock({
      responses: [{ toolCalls: [{ name: 'book', arguments: {} }] }, 'Booked.'],
    }),
    tools: [tool],
    ...more,
  })
  return { booked, agent, client: createLocalClient(agent) }
}

describe('a question of a tool of an agent', () => {
  it('a question is a state of the task, which its owner answers, whoever may approve', async () => {
    const { booked, client } = waiter({ decisions: { mayDecide: () => false } })
    const task = await client.send('Book')
    expect(task.state).toBe('input-required')
    expect(task.statusMessage?.parts[0]?.content).toBe('tables asks: How many?')
    const [asked] = requestsOf(task)
    expect(asked?.question).toEqual({
      message: 'How many?',
      schema,
      from: 'tables',
    } satisfies PendingQuestion['question'])
    const { requestId = '' } = asked ?? {}
    await expect(
      client.decide(task, [{ requestId, approved: true, content: { people: 0 } }]),
    ).rejects.toMatchObject({
      reason: 'invalid-params',
      message: expect.stringMatching(/does not fit the question: .*people/) as string,
    })
    expect((await client.get(task.id)).state).toBe('input-required')
    const done = await client.decide(task, [{ requestId, approved: true, content: { people: 4 } }])
    expect([done.state, booked]).toEqual(['completed', [4]])
  })

  it('a refusal declines the question, and the tool reads that', async () => {
    const { booked, client } = waiter()
    const task = await client.send('Book')
    const { requestId = '' } = requestsOf(task)[0] ?? {}
    await client.decide(task, [{ requestId, approved: false }])
    expect(booked).toEqual(['decline'])
  })

  it('a text closes the question, and nothing is executed further', async () => {
    const { booked, client } = waiter()
    const task = await client.send('Book')
    const done = await client.send('Never mind', { taskId: task.id })
    expect([done.state, booked]).toEqual(['completed', []])
  })

  it('another principal does not find the task, and cannot answer', async () => {
    const { agent, booked } = waiter()
    const host = new AgentHost([agent], { store: createMemoryStore() })
    const accepted = await host.send({
      agent: 'waiter',
      principal: 'alice',
      message: createMessage('user', 'Book'),
    })
    const task = await host.settled({ principal: 'alice', id: accepted.task.id }, accepted.before)
    const { requestId = '', digest } = requestsOf(task)[0] ?? {}
    const message = createMessage('user', [
      createPart.request({
        requestId,
        approved: true,
        content: { people: 4 },
        ...(digest && { digest }),
      }),
    ])
    await expect(
      host.send({ agent: 'waiter', principal: 'mallory', message, taskId: task.id }),
    ).rejects.toMatchObject({
      reason: 'task-not-found',
    })
    expect(booked).toEqual([])
  })

  it('the question of a sub-agent is one of the agent that asked it, with the path of agents', async () => {
    const child = waiter()
    const agent = createAgent({
      card: { name: 'host', description: 'Plans evenings' },
      provider: createMock({
        responses: [
          {
            toolCalls: [
              { name: 'delegate_to_agent', arguments: { agent: 'waiter', prompt: 'Book' } },
            ],
          },
          'Planned.',
        ],
      }),
      agents: [await toAgentTarget(child.client)],
    })
    const client = createLocalClient(agent)
    const task = await client.send('Plan')
    const [asked] = requestsOf(task)
    expect(asked).toMatchObject({ path: ['host', 'waiter'], question: { message: 'How many?' } })
    expect(task.statusMessage?.parts[0]?.content).toBe('host > waiter (unverified) asks: How many?')
    const answer = { requestId: asked?.requestId ?? '', approved: true, content: { people: 2 } }
    const done = await client.decide(task, [answer])
    expect([done.state, child.booked]).toEqual(['completed', [2]])
  })
})
