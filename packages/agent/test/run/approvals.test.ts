import {
  AgentHost,
  createAgent,
  createLocalClient,
  createMemoryStore,
  createMessage,
  createPart,
  requestsOf,
  settleRequest,
  type Task,
  toAgentTarget,
} from '@modelport/agent'
import { createMock, type MockConfig } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import { describe, expect, it } from 'vitest'

function payment() {
  const paid: unknown[] = []
  const tool = defineTool({
    name: 'pay',
    description: 'Pays an amount',
    parameters: {
      type: 'object',
      properties: { amount: { type: 'number' } },
      required: ['amount'],
    },
    execute: (args) => {
      paid.push(args)
      return 'paid'
    },
  })
  return { paid, tool }
}

const policy = { rules: { 'tool.pay': 'require-approval' } } as const
const call = (amount: number) => ({ toolCalls: [{ name: 'pay', arguments: { amount } }] })

function payer(responses: MockConfig['responses'], more: object = {}) {
  const { paid, tool } = payment()
  const agent = createAgent({
    card: { name: 'payer', description: 'Pays' },
    provider: createMock({ responses: responses ?? [] }),
    tools: [tool],
    policy,
    ...more,
  })
  return { paid, agent, client: createLocalClient(agent) }
}

describe('an approval', () => {
  it('an approval is a state of the task; approving it executes the call once and completes the task', async () => {
    const { paid, client } = payer([call(5), 'Done'])
    const task = await client.send('Pay 5')
    expect(task.state).toBe('input-required')
    const [asked] = requestsOf(task)
    expect(asked).toMatchObject({ action: { tool: 'pay', args: { amount: 5 } } })
    expect(paid).toEqual([])
    const done = await client.decide(task, [
      { requestId: asked?.requestId ?? '', approved: true, digest: asked?.digest ?? '' },
    ])
    expect(done.state).toBe('completed')
    expect(paid).toEqual([{ amount: 5 }])
  })

  it('an approval is reported to the model if it is refused, and nothing is executed', async () => {
    const { paid, client } = payer([call(5), 'I did not pay'])
    const task = await client.send('Pay 5')
    const [asked] = requestsOf(task)
    const done = await client.decide(task, [
      { requestId: asked?.requestId ?? '', approved: false, reason: 'too much' },
    ])
    expect([done.state, paid.length]).toEqual(['completed', 0])
  })

  it('a task that waits for an approval refuses a message with calls, and waits on', async () => {
    const { paid, client } = payer([call(5), 'Done'])
    const task = await client.send('Pay 5')
    const parts = [createPart.text('And this'), createPart.toolCall('pay', { amount: 7 })]
    const sent = client.send(createMessage('user', parts), { taskId: task.id })
    await expect(sent).rejects.toMatchObject({
      reason: 'invalid-params',
      message: expect.stringContaining('send the message without a taskId') as string,
    })
    expect([(await client.get(task.id)).state, paid]).toEqual(['input-required', []])
  })

  it('a message with calls that came while the task worked, and finds it waiting, is not read, and the task says so', async () => {
    const asked: PromiseWithResolvers<void> = Promise.withResolvers()
    const gate: PromiseWithResolvers<void> = Promise.withResolvers()
    const { paid, tool } = payment()
    const provider = createMock({
      defaultResponse: async function* () {
        asked.resolve()
        await gate.promise
        yield call(5)
      },
    })
    const card = { name: 'payer', description: 'Pays' }
    const agent = createAgent({ card, provider, tools: [tool], policy })
    const errors: unknown[] = []
    const host = new AgentHost([agent], { onError: (error) => errors.push(error) })
    const principal = 'alice'
    const message = createMessage('user', 'Pay 5')
    const { task } = await host.send({ agent: 'payer', principal, message })
    await asked.promise
    const more = createMessage('user', [createPart.toolCall('pay', { amount: 7 })])
    await host.send({ agent: 'payer', principal, taskId: task.id, message: more })
    gate.resolve()
    const waiting = await host.settled({ principal, id: task.id }, 0)
    expect([waiting.state, paid, errors.length]).toEqual(['input-required', [], 1])
    const said = waiting.messages
      .filter(({ role }) => role === 'agent')
      .flatMap(({ parts }) => parts)
    expect(JSON.stringify(said)).toContain(`The message ${more.id} was not read: The task waits`)
  })

  it('an approval is refused if its digest or its request id does not match', async () => {
    const { paid, client } = payer([call(5), 'Done'])
    const task = await client.send('Pay 5')
    const requestId = requestsOf(task)[0]?.requestId ?? ''
    await expect(
      client.decide(task, [{ requestId, approved: true, digest: 'other' }]),
    ).rejects.toMatchObject({
      reason: 'invalid-params',
    })
    await expect(
      client.decide(task, [{ requestId: 'other', approved: true }]),
    ).rejects.toMatchObject({
      reason: 'invalid-params',
    })
    const unbound = createPart.request({ requestId, approved: true })
    await expect(client.send([unbound], { taskId: task.id })).rejects.toMatchObject({
      reason: 'invalid-params',
    })
    expect(paid).toEqual([])
    expect((await client.get(task.id)).state).toBe('input-required')
  })

  const wrong = ['no', 'false', 1, 0, {}, null, undefined]
  it.each(wrong)(
    'an approval is refused if it decides with %j: only true approves, and only false denies',
    async (given) => {
      const approved = given as boolean
      const { paid, client } = payer([call(5), 'Done'])
      const task = await client.send('Pay 5')
      const [asked] = requestsOf(task)
      const refusal = {
        reason: 'invalid-params',
        message: `approved must be true or false, not ${JSON.stringify(given)}`,
      }
      const requestId = asked!.requestId
      await expect(client.decide(task, [{ requestId, approved }])).rejects.toMatchObject(refusal)
      const part = createPart.request({ ...asked!, approved })
      await expect(client.send([part], { taskId: task.id })).rejects.toMatchObject(refusal)
      expect([(await client.get(task.id)).state, paid]).toEqual(['input-required', []])
    },
  )

  it('an approval of an operator is refused in the same way, and the task waits on', async () => {
    const { agent } = payer([call(5), 'Done'])
    const host = new AgentHost([agent])
    const accepted = await host.send({
      agent: 'payer',
      principal: 'p',
      message: createMessage('user', 'Pay 5'),
    })
    const key = { principal: 'p', id: accepted.task.id }
    const { requestId } = requestsOf(await host.settled(key, accepted.before))[0]!
    const decision = { requestId, approved: 'no' as never }
    await expect(settleRequest(host.store.tasks, key, decision)).rejects.toMatchObject({
      reason: 'invalid-params',
    })
    expect((await host.get(key)).task.state).toBe('input-required')
  })

  it('an approval holds for what the task that is given shows, also without a digest', async () => {
    const { paid, client } = payer([call(5), 'Done'])
    const task = await client.send('Pay 5')
    const [asked] = requestsOf(task)
    const parts = [createPart.request({ ...asked!, digest: 'of something else' })]
    const stale = { ...task, statusMessage: { ...task.statusMessage!, parts } }
    const decision = { requestId: asked!.requestId, approved: true }
    await expect(client.decide(stale, [decision])).rejects.toMatchObject({
      reason: 'invalid-params',
    })
    expect(paid).toEqual([])
    expect((await client.decide(task, [decision])).state).toBe('completed')
  })

  it('an approval may be given for one of several calls; the task waits for the rest', async () => {
    const { paid, client } = payer([
      {
        toolCalls: [
          { name: 'pay', arguments: { amount: 1 } },
          { name: 'pay', arguments: { amount: 2 } },
        ],
      },
      'Done',
    ])
    const task = await client.send('Pay 1 and 2')
    const [first, second] = requestsOf(task)
    const half = await client.decide(task, [{ requestId: first?.requestId ?? '', approved: true }])
    expect(half.state).toBe('input-required')
    const done = await client.decide(half, [{ requestId: second?.requestId ?? '', approved: true }])
    expect([done.state, paid]).toEqual(['completed', [{ amount: 1 }, { amount: 2 }]])
  })

  it('an approval is needed for an explicit tool call as well, and text is not a decision', async () => {
    const { paid, client } = payer(['unused'])
    const task = await client.send([createPart.toolCall('pay', { amount: 7 })])
    expect(task.state).toBe('input-required')
    const [asked] = requestsOf(task)
    const done = await client.decide(task, [{ requestId: asked?.requestId ?? '', approved: true }])
    expect([done.state, paid]).toEqual(['completed', [{ amount: 7 }]])
    const again = await client.send([createPart.toolCall('pay', { amount: 8 })])
    expect((await client.send('yes, approved', { taskId: again.id })).state).not.toBe('completed')
    expect(paid).toHaveLength(1)
  })

  it('an approval becomes a refusal when it expires', async () => {
    const { paid, client } = payer([call(5), 'It expired'], { decisions: { expiresInMs: 20 } })
    const task = await client.send('Pay 5')
    await expect.poll(async () => (await client.get(task.id)).state).toBe('completed')
    expect(paid).toEqual([])
  })

  it('an approval may be given only by principals that the agent allows', async () => {
    const { client } = payer([call(5), 'Done'], { decisions: { mayDecide: () => false } })
    const task = await client.send('Pay 5')
    const [asked] = requestsOf(task)
    await expect(
      client.decide(task, [{ requestId: asked?.requestId ?? '', approved: true }]),
    ).rejects.toMatchObject({ reason: 'forbidden' })
  })

  it.each(['no', undefined, 1])(
    'an approval is not allowed by a mayDecide that returns %j',
    async (returned) => {
      const { paid, client } = payer([call(5), 'Done'], {
        decisions: { mayDecide: () => returned },
      })
      const task = await client.send('Pay 5')
      const { requestId } = requestsOf(task)[0]!
      await expect(client.decide(task, [{ requestId, approved: true }])).rejects.toMatchObject({
        reason: 'forbidden',
      })
      expect(paid).toEqual([])
    },
  )

  it('an approval survives the process: another host over the same store continues the task', async () => {
    const store = createMemoryStore()
    const { paid, agent } = payer([call(5), 'Done'])
    const first = new AgentHost([agent], { store })
    const accepted = await first.send({
      agent: 'payer',
      principal: 'p',
      message: createMessage('user', 'Pay 5'),
    })
    const key = { principal: 'p', id: accepted.task.id }
    const asked = requestsOf(await first.settled(key, accepted.before))[0]
    const second = new AgentHost([agent], { store })
    const answer = createMessage('user', [createPart.request({ ...asked!, approved: true })])
    const continued = await second.send({
      agent: 'payer',
      principal: 'p',
      message: answer,
      taskId: key.id,
    })
    expect((await second.settled(key, continued.before)).state).toBe('completed')
    expect(paid).toEqual([{ amount: 5 }])
  })
})

describe('a sub-agent that asks for approval', () => {
  it('a sub-agent that asks for approval makes its caller wait; the decision is passed down and the result is passed up', async () => {
    const { paid, agent: child } = payer([call(5), 'Paid 5'])
    const target = toAgentTarget(createLocalClient(child), { name: 'payer', description: 'Pays' })
    const boss = createAgent({
      card: { name: 'boss', description: 'Delegates' },
      provider: createMock({
        responses: [
          {
            toolCalls: [
              { name: 'delegate_to_agent', arguments: { agent: 'payer', prompt: 'Pay 5' } },
            ],
          },
          'It is paid',
        ],
      }),
      agents: [target],
    })
    const client = createLocalClient(boss)
    const task = await client.send('See that 5 is paid')
    expect(task.state).toBe('input-required')
    const [asked] = requestsOf(task)
    expect(asked?.path).toEqual(['boss', 'payer'])
    expect(paid).toEqual([])
    const done = await client.decide(task, [{ requestId: asked?.requestId ?? '', approved: true }])
    expect([done.state, paid]).toEqual(['completed', [{ amount: 5 }]])
  })

  it('a sub-agent that asks for approval leaves a call of its caller to be decided on its own: that decision is applied at once and not asked for again', async () => {
    const { paid: paidBelow, agent: child } = payer([call(5), 'Paid 5'])
    const { paid, client } = payer(
      [
        {
          toolCalls: [
            { name: 'delegate_to_agent', arguments: { agent: 'payer', prompt: 'Pay 5' } },
            { name: 'pay', arguments: { amount: 1 } },
          ],
        },
        'Both are paid',
      ],
      {
        card: { name: 'boss', description: 'Delegates' },
        agents: [toAgentTarget(createLocalClient(child), { name: 'payer', description: 'Pays' })],
      },
    )
    const decide = async (task: Task, path?: readonly string[]): Promise<Task> => {
      const { requestId = '' } =
        requestsOf(task).find((one) => one.path?.join() === path?.join()) ?? {}
      return client.decide(task, [{ requestId, approved: true }])
    }
    const task = await client.send('Pay both')
    expect(requestsOf(task)).toHaveLength(2)
    const half = await decide(task)
    expect([half.state, paid, paidBelow]).toEqual(['input-required', [{ amount: 1 }], []])
    expect(requestsOf(half)).toMatchObject([{ path: ['boss', 'payer'] }])
    const done = await decide(half, ['boss', 'payer'])
    expect([done.state, paid, paidBelow]).toEqual(['completed', [{ amount: 1 }], [{ amount: 5 }]])
  })

  it('a sub-agent that asks for approval asks again if it wants something else under the same id: the decision holds for what was shown', async () => {
    const amounts = [5, 5000]
    const decided: unknown[] = []
    const child = createAgent({
      card: { name: 'foreign', description: 'Pays' },
      handler: ({ message }) => {
        const decisions = message.parts.filter(({ type }) => type === 'request')
        decided.push(...decisions.map(({ content }) => content))
        if (decisions.length) return 'Paid'
        const amount = amounts.shift() ?? 0
        const action = { tool: 'pay', args: { amount } }
        return {
          state: 'input-required',
          message: [createPart.request({ requestId: 'a', digest: `d${amount}`, action })],
        }
      },
    })
    const below = createLocalClient(child)
    const { client } = payer(
      [
        {
          toolCalls: [
            { name: 'delegate_to_agent', arguments: { agent: 'foreign', prompt: 'Pay 5' } },
          ],
        },
        'It is paid',
      ],
      {
        card: { name: 'boss', description: 'Delegates' },
        agents: [toAgentTarget(below, { name: 'foreign', description: 'Pays' })],
      },
    )
    const task = await client.send('See that 5 is paid')
    const [first] = requestsOf(task)
    expect(first).toMatchObject({ action: { args: { amount: 5 } } })
    // Somebody else speaks to the child, which asks for more then.
    const [other] = (await below.list()).tasks
    await below.send('More', { taskId: other?.id ?? '' })
    const again = await client.decide(task, [{ requestId: first?.requestId ?? '', approved: true }])
    expect(again.state).toBe('input-required')
    const [second] = requestsOf(again)
    expect(second).toMatchObject({ action: { args: { amount: 5000 } } })
    expect(decided).toEqual([])
    // Whoever has seen the first question only decides nothing, also without a digest.
    await expect(
      client.decide(again, [{ requestId: first?.requestId ?? '', approved: true }]),
    ).rejects.toMatchObject({ reason: 'invalid-params' })
    const done = await client.decide(again, [
      { requestId: second?.requestId ?? '', approved: true },
    ])
    expect([done.state, decided]).toEqual([
      'completed',
      [{ requestId: 'a', approved: true, digest: 'd5000' }],
    ])
  })
})
