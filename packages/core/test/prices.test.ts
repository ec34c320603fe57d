import { describe, expect, test } from 'vitest'
import {
  addUsage,
  type ModelPrices,
  mostCostOf,
  type TokenCounts,
  toUsage,
  usageCostOf,
  zeroCounts,
} from '../src/index.js'
import { checkPrices } from '../src/settings.js'

const counts = (given: Partial<TokenCounts>): TokenCounts => ({ ...zeroCounts, ...given })

const gpt: ModelPrices = {
  input: 2.5,
  output: 15,
  cacheRead: 0.25,
  tiers: [{ above: 272_000, input: 5, output: 22.5, cacheRead: 0.5 }],
}
const sonnet: ModelPrices = {
  input: 3,
  output: 15,
  cacheRead: 0.3,
  cacheWrite: 3.75,
  cacheWriteHour: 6,
}
const gemini: ModelPrices = {
  input: 2,
  output: 12,
  cacheRead: 0.2,
  tiers: [{ above: 200_000, input: 4, output: 18, cacheRead: 0.4 }],
}

describe('what a usage costs', () => {
  // The bills that the vendors' own price lists give for these counts.
  test.each<[string, ModelPrices, Partial<TokenCounts>, number]>([
    [
      'a prompt of which the cache had 90 %',
      gpt,
      { inputTokens: 100_000, cacheReadTokens: 90_000, outputTokens: 1000 },
      0.0625,
    ],
    ['a prompt above the tier', gpt, { inputTokens: 400_000, outputTokens: 1000 }, 2.0225],
    [
      'a prompt that is as long as the tier begins above',
      gpt,
      { inputTokens: 272_000, outputTokens: 0 },
      0.68,
    ],
    [
      'a prompt that was read from a cache and written to it',
      sonnet,
      {
        inputTokens: 100_000,
        cacheReadTokens: 95_000,
        cacheCreationTokens: 4000,
        outputTokens: 500,
      },
      0.0285 + 0.015 + 0.003 + 0.0075,
    ],
    [
      'a prompt that was written for five minutes',
      sonnet,
      { inputTokens: 100_000, cacheCreationTokens: 99_000, outputTokens: 500 },
      0.37125 + 0.003 + 0.0075,
    ],
    [
      'a prompt that was written for an hour',
      sonnet,
      {
        inputTokens: 100_000,
        cacheCreationTokens: 99_000,
        cacheCreationByLifetime: { '5m': 9000, '1h': 90_000 },
        outputTokens: 500,
      },
      0.03375 + 0.54 + 0.003 + 0.0075,
    ],
    [
      'a prompt of which the cache had 90 %, at another vendor',
      gemini,
      { inputTokens: 50_000, cacheReadTokens: 45_000, outputTokens: 1000 },
      0.031,
    ],
    [
      'a prompt above the tier of another vendor',
      gemini,
      { inputTokens: 300_000, outputTokens: 1000 },
      1.218,
    ],
  ])('%s costs what the vendor charges', (_name, prices, given, expected) => {
    const cost = usageCostOf(counts(given), prices)
    expect(cost.total).toBeCloseTo(expected, 10)
    expect(cost.input + cost.output).toBeCloseTo(cost.total, 12)
    expect(cost).not.toHaveProperty('bound')
  })

  test('each turn has the prices of its own length, however long all turns are together', () => {
    const turn = toUsage([counts({ inputTokens: 150_000, outputTokens: 1000 })])
    expect(usageCostOf(addUsage(turn, turn), gemini).total).toBeCloseTo(2 * 0.312, 10)
  })

  test('tiers may be in any order, and the highest that the prompt passes counts', () => {
    const prices: ModelPrices = {
      input: 1,
      output: 0,
      tiers: [
        { above: 20, input: 3, output: 0 },
        { above: 10, input: 2, output: 0 },
      ],
    }
    const perToken = [10, 15, 25].map(
      (inputTokens) => (usageCostOf(counts({ inputTokens }), prices).total * 1e6) / inputTokens,
    )
    expect(perToken).toEqual([1, 2, 3])
  })

  test('cached tokens without a price count as input, and the cost is marked "at most"', () => {
    const cost = usageCostOf(counts({ inputTokens: 100, cacheReadTokens: 90 }), {
      input: 2,
      output: 8,
    })
    expect(cost).toMatchObject({ total: 0.0002, bound: 'at-most' })
  })

  test('tokens written to a cache without a price count as input, and the cost is marked "about"', () => {
    const plain = { input: 2, output: 8, cacheRead: 1 }
    const written = counts({ inputTokens: 100, cacheCreationTokens: 90 })
    expect(usageCostOf(written, plain)).toMatchObject({ total: 0.0002, bound: 'about' })
    const hour = { ...written, cacheCreationByLifetime: { '1h': 90 } }
    expect(usageCostOf(hour, { ...plain, cacheWrite: 3 }).bound).toBe('about')
    expect(usageCostOf(written, { ...plain, cacheWrite: 3 })).not.toHaveProperty('bound')
  })
})

describe('the most that a reservation can cost', () => {
  test.each<[string, ModelPrices, number, number]>([
    ['a model without a cache', { input: 3, output: 15 }, 100_000, 0.3 + 0.015],
    ['a prompt that may be written for an hour', sonnet, 100_000, 0.6 + 0.015],
    ['a prompt that reaches a tier', gemini, 300_000, 1.2 + 0.018],
    ['a prompt below a tier', gemini, 200_000, 0.4 + 0.012],
  ])(
    'the most that a call can cost is the dearest price of %s',
    (_name, prices, inputTokens, expected) => {
      expect(mostCostOf({ inputTokens, outputTokens: 1000 }, prices)).toBeCloseTo(expected, 10)
    },
  )

  test('the most that a call can cost is never less than what its usage then costs', () => {
    for (const prices of [gpt, sonnet, gemini])
      for (const inputTokens of [0, 1, 199_999, 272_001, 500_000])
        for (const share of [0, 0.5, 1]) {
          const cached = Math.floor(inputTokens * share)
          const usage = counts({
            inputTokens,
            outputTokens: 100,
            cacheReadTokens: inputTokens - cached,
            cacheCreationTokens: cached,
            cacheCreationByLifetime: { '1h': Math.floor(cached / 2) },
          })
          expect(mostCostOf(usage, prices)).toBeGreaterThanOrEqual(
            usageCostOf(usage, prices).total - 1e-12,
          )
        }
  })
})

test.each<[string, unknown]>([
  ['prices must be an object', 3],
  ['prices.output must be a number of at least 0, not undefined', { input: 1 }],
  [
    'prices.cacheRead must be a number of at least 0, not -1',
    { input: 1, output: 1, cacheRead: -1 },
  ],
  ['unknown field "cache_read"', { input: 1, output: 1, cache_read: 1 }],
  ['prices.currency must be a text', { input: 1, output: 1, currency: 5 }],
  ['prices.tiers must be a list', { input: 1, output: 1, tiers: {} }],
  [
    'prices.tiers[0].above must be a number',
    { input: 1, output: 1, tiers: [{ input: 1, output: 1 }] },
  ],
])('prices are refused that nothing can be counted with: %s', (message, prices) => {
  expect(() => checkPrices('prices', prices)).toThrow(
    expect.objectContaining({
      code: 'config',
      message: expect.stringContaining(message) as string,
    }),
  )
})
