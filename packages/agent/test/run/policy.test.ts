import { type AgentPolicy, createAgent, createLocalClient, toAgentTarget } from '@modelport/agent'
import type { ToolDefinition } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import { describe, expect, it } from 'vitest'

const bank = createAgent({ card: { name: 'bank', description: 'Banks' }, handler: () => 'paid' })
const pay = defineTool({ name: 'pay', description: 'Pays', execute: () => 'paid' })
const send: ToolDefinition = {
  name: 'send',
  description: 'Sends money',
  parameters: { type: 'object' },
}
const agentWith = (policy: AgentPolicy) =>
  createAgent({
    card: { name: 'payer', description: 'Pays' },
    provider: createMock({ defaultResponse: 'done' }),
    tools: [pay],
    agents: [
      toAgentTarget(createLocalClient(bank), { name: 'bank', description: 'Banks', tools: [send] }),
    ],
    policy,
  })

describe('a policy', () => {
  it.each([
    ['pay', 'it must begin with "tool.", "agent.", "llm." or be "*"; for a tool write "tool.pay"'],
    ['tol.pay', 'it must begin with "tool."'],
    ['tool.pey', 'the agent has no such capability; it has tool.pay. Correct the name'],
    ['agent.bnak.infer', 'the agent has no such capability; it has agent.bank.infer'],
    ['agent.bank', 'the agent has no such capability'],
    ['agent.bank.tool.sned', 'it has agent.bank.infer, agent.bank.tool.send. Correct the name'],
    ['agent.bnak.*', 'it has agent.bank.infer, agent.bank.tool.send. Correct the name'],
    ['tool.pey.*', 'the agent has no such capability; it has tool.pay. Correct the name'],
    ['llm.histroy.*', 'the agent has no such capability; it has llm.history.compact'],
    ['llm.history.compakt', 'the agent has no such capability; it has llm.history.compact'],
    [
      'mcp.files.read',
      'it would hold nothing; tools of an MCP server are ruled by their own names: write "tool.NAME"',
    ],
    ['mcp.*', 'it would hold nothing'],
  ])('a policy refuses the rule %s where it is written', (rule, text) => {
    expect(() => agentWith({ rules: { [rule]: 'deny' } })).toThrow(text)
  })

  it('a policy refuses a field that it does not know, so that a misspelled default does not allow', () => {
    const policy = { defualt: 'deny' } as AgentPolicy
    expect(() => agentWith(policy)).toThrow(/^createAgent: policy.*"defualt"/)
  })

  it('a policy takes names of what the agent has, prefixes, and optional names', () => {
    const deny = [
      'tool.pay',
      'agent.bank.infer',
      'agent.bank.tool.send',
      'llm.history.compact',
      'agent.bank.*',
      'agent.bank.tool.*',
      'llm.history.*',
      'tool.*',
      'agent.*',
      '*',
    ]
    expect(() =>
      agentWith({ rules: Object.fromEntries(deny.map((rule) => [rule, 'deny'])) }),
    ).not.toThrow()
    const shared = ['tool.refund', 'tool.delete.*']
    const rules = Object.fromEntries(shared.map((rule) => [rule, 'deny' as const]))
    expect(() => agentWith({ rules, optional: shared })).not.toThrow()
  })

  it.each(['llm.history.compact', 'llm.*', '*'])(
    'a policy whose rule %s denies keeps conversations as they are',
    async (rule) => {
      const policy: AgentPolicy = { rules: { [rule]: 'deny' } }
      await expect(createLocalClient(agentWith(policy)).compactHistory('s')).rejects.toMatchObject({
        reason: 'forbidden',
        message: expect.stringContaining('llm.history.compact') as string,
      })
      const client = createLocalClient(agentWith({ default: 'deny' }))
      await expect(client.compactHistory('s')).resolves.toMatchObject({ removedMessages: 0 })
    },
  )
})

describe('the decide function of a policy', () => {
  it.each([
    [
      'a misspelled effect',
      { effect: 'denied' },
      'the effect "denied"; it must be one of allow, require-approval, deny',
    ],
    [
      'a misspelled field',
      { efect: 'deny' },
      'the field "efect"; it may have effect, reason, args',
    ],
    ['a text', 'deny', '"deny"; it must be an object or undefined'],
    ['a truth value', false, 'false; it must be an object or undefined'],
    ['a list', ['deny'], '["deny"]; it must be an object or undefined'],
  ])(
    'the decide function of a policy denies with %s, and the model reads why',
    async (_, returned, why) => {
      const paid: string[] = []
      const tool = defineTool({
        name: 'pay',
        description: 'Pays',
        execute: () => paid.push('paid'),
      })
      const provider = createMock({
        responses: [{ toolCalls: [{ name: 'pay', arguments: {} }] }, 'done'],
      })
      const policy = { decide: () => returned } as AgentPolicy
      const agent = createAgent({
        card: { name: 'payer', description: 'Pays' },
        provider,
        tools: [tool],
        policy,
      })
      await createLocalClient(agent).send('Pay')
      expect(paid).toEqual([])
      expect(JSON.stringify(provider.requests.at(-1)?.messages)).toContain(
        JSON.stringify(`the policy's decide returned ${why}`).slice(1, -1),
      )
    },
  )
})

describe('a conversation that cannot be made shorter', () => {
  it.each([
    ['', 'its summary is empty or cannot be read'],
    [{ error: 'auth' as const }, 'auth'],
  ])(
    'a conversation that cannot be made shorter stays as it was, and the error says why: %o',
    async (reply, why) => {
      const provider = createMock({ responses: ['Hello.', 'Hello.', 'Hello.', 'Hello.', reply] })
      const client = createLocalClient(
        createAgent({ card: { name: 'host', description: 'Talks' }, provider }),
      )
      for (const text of ['a', 'b', 'c', 'd']) await client.send(text, { sessionId: 's' })
      await expect(
        client.compactHistory('s', { strategy: 'summary', preserveRecent: 1 }),
      ).rejects.toMatchObject({
        reason: 'internal',
        message: `The model made no summary (${why}); the conversation is as it was`,
      })
    },
  )
})

describe('an agent that could not work', () => {
  it('an agent that could not work is refused with what to do', () => {
    expect(() => createAgent({} as never)).toThrow(
      'createAgent needs a card; set card: { name, description }',
    )
    expect(() => createAgent({ card: { name: 'idle', description: 'Does nothing' } })).toThrow(
      'the agent "idle" has nothing that works on messages; set provider or handler',
    )
  })
})
