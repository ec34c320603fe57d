import { createMock } from '@modelport/provider-mock'
import { createMemoryBudgets } from '@modelport/runtime'
import { expect, test } from 'vitest'
import { AgentHost, createAgent, createLocalClient, createMemoryStore } from '../../src/index.js'

test('the budget of an agent is that of its caller, in the store of the host', async () => {
  const store = createMemoryStore()
  const agent = createAgent({
    card: { name: 'weather', description: 'The weather anywhere' },
    provider: createMock({ defaultResponse: 'Warm.' }),
    budget: (caller) => store.budgets.of(caller, { window: 'day', maxCalls: 1 }),
  })
  const host = new AgentHost([agent], { store })
  const ask = async (subject: string) => {
    const client = createLocalClient(agent, { host, principal: subject })
    return (await client.send('Is it warm?')).state
  }
  expect(await ask('ada')).toBe('completed')
  expect(await ask('ada')).toBe('failed')
  expect(await ask('bob')).toBe('completed')
  expect(await store.budgets.list()).toMatchObject([
    { owner: 'ada', used: { calls: 1 } },
    { owner: 'bob', used: { calls: 1 } },
  ])
})

test('a setting of a budget that nothing reads is refused, and a ledger is not', () => {
  const settings = {
    card: { name: 'weather', description: 'The weather anywhere' },
    provider: createMock({ defaultResponse: 'Warm.' }),
  }
  expect(() => createAgent({ ...settings, budget: { maxCal: 1 } as object })).toThrow('maxCal')
  const budget = createMemoryBudgets().of('team', { maxCalls: 1 })
  expect(createAgent({ ...settings, budget }).name).toBe('weather')
})
