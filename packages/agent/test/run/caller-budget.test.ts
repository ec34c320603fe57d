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

test('the summary of a session is charged to its caller, before it is made and once', async () => {
  const store = createMemoryStore()
  const asked: string[] = []
  const gate = Promise.withResolvers<string>()
  const held = async function* () {
    yield { text: await gate.promise }
  }
  const agent = createAgent({
    card: { name: 'weather', description: 'The weather anywhere' },
    provider: createMock({
      defaultResponse: ({ messages }) => {
        asked.push(JSON.stringify(messages.at(-1)?.content))
        return asked.length === 5 ? held() : 'Warm.'
      },
    }),
    budget: (caller) => store.budgets.of(caller, { window: 'day', maxCalls: 5 }),
  })
  const host = new AgentHost([agent], { store })
  const client = createLocalClient(agent, { host, principal: 'ada' })
  const calls = async () => (await store.budgets.list('ada'))[0]?.used.calls
  for (const sessionId of ['s', 't'])
    for (const text of ['Is it warm?', 'And tomorrow?']) await client.send(text, { sessionId })

  const compacted = client.compactHistory('s', { strategy: 'summary', preserveRecent: 1 })
  await expect.poll(() => asked.length).toBe(5)
  // What a process that dies here leaves.
  expect(await calls()).toBe(5)
  gate.resolve('They spoke of the weather.')
  expect(await compacted).toMatchObject({ summaryCreated: true })
  expect([asked.length, await calls()]).toEqual([5, 5])

  const refused = client.compactHistory('t', { strategy: 'summary', preserveRecent: 1 })
  await expect(refused).rejects.toMatchObject({
    reason: 'internal',
    message: expect.stringContaining('budget-exceeded') as string,
  })
  expect(asked).toHaveLength(5)
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
