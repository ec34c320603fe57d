import type { ModelPrices } from '@modelport/core'
import { createMock } from '@modelport/provider-mock'
import { describe, expect, test } from 'vitest'
import { BudgetLedger, infer } from '../src/index.js'

const query = 'What does the manual say?'
const cached = {
  inputTokens: 100_000,
  cacheReadTokens: 95_000,
  cacheCreationTokens: 4000,
  outputTokens: 500,
}
const prices: ModelPrices = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }
const bill = 0.054

const run = async (given: ModelPrices, budget: BudgetLedger, usage = cached) =>
  infer(createMock({ responses: [{ text: 'It is blue.', usage }] }), {
    query,
    limits: { budget, profile: { prices: given } },
  })

describe('a call whose prompt a cache had', () => {
  test('a cached call costs what the vendor charges, in the metrics and in the budget', async () => {
    const ledger = new BudgetLedger({ maxCost: 10 })
    const { metrics } = await run(prices, ledger)
    expect(metrics.totalCost).toBeCloseTo(bill, 8)
    expect(ledger.spent.cost).toBeCloseTo(bill, 8)
    expect(metrics.calls[0]?.cost).not.toHaveProperty('bound')
  })

  test('a run whose budget has room for what the vendor charges is not stopped', async () => {
    const ledger = new BudgetLedger({ maxCost: 0.1 })
    expect(await run(prices, ledger)).toMatchObject({ status: 'final' })
  })

  test('a cached call costs at most the price of input if the price of the cache is not known', async () => {
    const ledger = new BudgetLedger({ maxCost: 10 })
    const usage = { ...cached, cacheCreationTokens: 0 }
    const { metrics } = await run({ input: 3, output: 15 }, ledger, usage)
    expect(metrics.totalCost).toBeCloseTo(0.3075, 8)
    expect(metrics.calls[0]?.cost).toMatchObject({ bound: 'at-most' })
  })

  test('a cached call costs the prices of the tier that its prompt reaches', async () => {
    const ledger = new BudgetLedger({ maxCost: 10 })
    const tiers = [{ above: 50_000, input: 6, output: 30, cacheRead: 0.6, cacheWrite: 7.5 }]
    const { metrics } = await run({ ...prices, tiers }, ledger)
    expect(metrics.totalCost).toBeCloseTo(2 * bill, 8)
    expect(ledger.spent.cost).toBeCloseTo(2 * bill, 8)
  })
})

test('a reservation holds the dearest price that its prompt may have', () => {
  const ledger = new BudgetLedger({ maxCost: 1 })
  const held = ledger.reserveCall({
    inputTokens: 100_000,
    maxOutputTokens: 1000,
    profile: { prices: { ...prices, cacheWriteHour: 6 } },
  })
  expect(ledger.remaining().cost).toBeCloseTo(1 - 0.6 - 0.015, 8)
  held.release()
  expect(ledger.remaining().cost).toBe(1)
})

test('a wrong price is refused before anything is sent', async () => {
  const provider = createMock({ defaultResponse: 'Hi' })
  const profile = { prices: { input: 3, output: 15, cacheRead: -1 } }
  await expect(infer(provider, { query, limits: { profile } })).rejects.toThrow(
    'limits.profile.prices.cacheRead must be a number of at least 0, not -1',
  )
  expect(provider.requests).toEqual([])
})
