import { ProviderError } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { describe, expect, test } from 'vitest'
import { BudgetExceededError, BudgetLedger, createMemoryBudgets, withBudget } from '../src/index.js'

const model = () =>
  createMock({ defaultResponse: 'Hi', usage: { inputTokens: 10, outputTokens: 5 } })
const readAll = async (reader: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of reader);
}
const prices = { input: 1000, output: 1000 }

describe('withBudget', () => {
  test('every door of a provider takes its room in a shared budget, and gives back the rest', async () => {
    const budgets = createMemoryBudgets()
    const budget = budgets.of('ada', { maxCalls: 20, maxCost: 5 })
    const provider = withBudget(model(), budget, { profile: { prices } })
    const messages = [{ role: 'user', content: 'Hello' } as const]
    const calls = [
      () => provider.complete('Hello', { maxTokens: 100 }),
      () => provider.completeWithHistory(messages, { maxTokens: 100 }),
      () => provider.generate(messages, { maxTokens: 100 }),
      async () => readAll(await provider.stream('Hello', { maxTokens: 100 })),
      async () => readAll(await provider.streamWithHistory(messages, { maxTokens: 100 })),
      async () => readAll(await provider.streamWithTools(messages, [], { maxTokens: 100 })),
    ]
    let count = 0
    for (const call of calls) {
      await call()
      count++
      expect(await budgets.list('ada')).toMatchObject([
        {
          used: { calls: count, tokens: 15 * count },
          reserved: { calls: 0 },
        },
      ])
    }
    const [state] = await budgets.list('ada')
    expect(state?.used.cost).toBeCloseTo(0.015 * count, 9)
  })

  test('each turn of a conversation with tools is a call', async () => {
    const budgets = createMemoryBudgets()
    const inner = createMock({
      responses: [{ toolCalls: [{ id: 'c1', name: 'look' }] }, 'Warm.', 'never'],
      usage: { inputTokens: 10, outputTokens: 5 },
    })
    const tools = [
      { name: 'look', description: 'Looks', parameters: { type: 'object', properties: {} } },
    ]
    const ask = async (maxCalls: number): Promise<string> => {
      const provider = withBudget(inner, budgets.of(`eve ${maxCalls}`, { maxCalls }))
      const reader = await provider.streamWithTools([{ role: 'user', content: 'Hi' }], tools)
      for await (const event of reader)
        if (event.type === 'turn-end' && event.reason === 'tool-calls')
          await reader.sendToolResults([{ callId: 'c1', content: 'warm' }])
      return reader.fullText()
    }
    expect(await ask(2)).toBe('Warm.')
    expect(await budgets.list('eve 2')).toMatchObject([
      { used: { calls: 2 }, reserved: { calls: 0 } },
    ])
  })

  test('a call that does not fit rejects, and reaches no server', async () => {
    const budgets = createMemoryBudgets()
    let asked = 0
    const inner = createMock({ defaultResponse: () => `reply ${++asked}` })
    const provider = withBudget(inner, budgets.of('bob', { window: 'day', maxCalls: 1 }))
    await provider.complete('Hello')
    const refusal: unknown = await provider.complete('Hello').catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(BudgetExceededError)
    expect(refusal).toMatchObject({ code: 'budget-exceeded' })
    await expect(provider.stream('Hello')).rejects.toThrow('the budget of "bob" for a day')
    expect(asked).toBe(1)
  })

  test('each retry is paid for, and is refused when there is no room for it', async () => {
    const busy = () => ({
      error: new ProviderError('server', 'busy', { provider: 'mock', status: 500 }),
    })
    const inner = createMock({ responses: [busy(), busy(), 'Hi'] })
    const budgets = createMemoryBudgets()
    const provider = withBudget(inner, budgets.of('cleo', { maxCalls: 2 }))
    await expect(provider.complete('Hello')).rejects.toThrow('maxCalls would be 3, the limit is 2')
    expect(await budgets.list('cleo')).toMatchObject([
      { used: { calls: 2 }, reserved: { calls: 0 } },
    ])
  })

  test('a stream that is closed early stays charged in full', async () => {
    const budgets = createMemoryBudgets()
    const provider = withBudget(model(), budgets.of('dan', { maxTokens: 1000 }))
    const reader = await provider.stream('Hello', { maxTokens: 100 })
    await reader.close()
    const [state] = await budgets.list('dan')
    expect(state?.used.tokens).toBeGreaterThan(100)
  })

  test('limits of this process hold for a plain provider too', async () => {
    const ledger = new BudgetLedger({ maxCalls: 1 })
    const provider = withBudget(model(), ledger)
    await provider.complete('Hello')
    await expect(provider.complete('Hello')).rejects.toThrow(
      'budget: maxCalls would be 2, the limit is 1',
    )
    expect(ledger.spent).toMatchObject({ calls: 1, inputTokens: expect.any(Number) as number })
  })
})
