import { type TokenUsage, toUsage, zeroCounts } from '@modelport/core'
import { describe, expect, test } from 'vitest'
import { measureCall } from '../src/budget/metrics.js'

const usage = (inputTokens: number, outputTokens: number, reported = true): TokenUsage =>
  toUsage([{ ...zeroCounts, inputTokens, outputTokens }], 0, reported)
const call = {
  provider: 'p',
  model: 'm',
  latencyMs: 842.3749,
  estimated: { inputTokens: 1300, outputTokens: 200 },
}
const profile = { contextWindow: 200_000, prices: { input: 3, output: 15 } }

describe('inventory 1B.5 and 5.9: metrics', () => {
  test('1200 in, 180 out, $3 and $15 a million, window 200000', () => {
    expect(measureCall({ ...call, usage: usage(1200, 180), profile })).toEqual({
      provider: 'p',
      model: 'm',
      latencyMs: 842.37,
      usage: {
        inputTokens: 1200,
        outputTokens: 180,
        totalTokens: 1380,
        estimated: false,
        source: 'provider',
      },
      context: {
        usedTokens: 1200,
        windowTokens: 200_000,
        usedPercent: 0.6,
        availableTokens: 198_800,
      },
      cost: {
        inputCost: 0.0036,
        outputCost: 0.0027,
        totalCost: 0.0063,
        currency: 'USD',
        estimated: false,
      },
    })
  })

  test('without a profile, or without prices, there is no context and no cost', () => {
    expect(Object.keys(measureCall({ ...call, usage: usage(1, 1) }))).toEqual([
      'provider',
      'model',
      'latencyMs',
      'usage',
    ])
    expect(
      measureCall({ ...call, usage: usage(1, 1), profile: { contextWindow: 1 } }),
    ).not.toHaveProperty('cost')
    expect(
      measureCall({ ...call, usage: usage(5, 5), profile: { prices: { input: 0, output: 0 } } })
        .cost,
    ).toMatchObject({ totalCost: 0 })
  })

  test.each([
    [
      'nothing reported',
      usage(0, 0, false),
      {
        inputTokens: 1300,
        outputTokens: 200,
        totalTokens: 1500,
        estimated: true,
        source: 'estimate',
      },
    ],
    [
      'no usage at all',
      undefined,
      {
        inputTokens: 1300,
        outputTokens: 200,
        totalTokens: 1500,
        estimated: true,
        source: 'estimate',
      },
    ],
    [
      'the output alone',
      usage(0, 7),
      {
        inputTokens: 1300,
        outputTokens: 7,
        totalTokens: 1307,
        estimated: true,
        source: 'provider+estimate',
      },
    ],
    [
      'the input alone',
      usage(9, 0, false),
      {
        inputTokens: 9,
        outputTokens: 200,
        totalTokens: 209,
        estimated: true,
        source: 'provider+estimate',
      },
    ],
    [
      'an answer of no tokens',
      usage(9, 0),
      { inputTokens: 9, outputTokens: 0, totalTokens: 9, estimated: false, source: 'provider' },
    ],
  ] as const)('the usage has its source when the server gives %s', (_, given, expected) => {
    const metrics = measureCall({ ...call, ...(given && { usage: given }), profile })
    expect(metrics.usage).toEqual(expected)
    expect(metrics.cost?.estimated).toBe(expected.estimated)
  })

  test('percent has three decimals, cost eight, and what is over the window leaves nothing', () => {
    const metrics = measureCall({
      ...call,
      usage: usage(1, 1),
      profile: {
        contextWindow: 3,
        prices: { input: 1 / 3, output: 0.123456789, currency: 'EUR' },
      },
    })
    expect(metrics.context).toMatchObject({ usedPercent: 33.333 })
    expect(metrics.cost).toEqual({
      inputCost: 3.3e-7,
      outputCost: 1.2e-7,
      totalCost: 4.6e-7,
      currency: 'EUR',
      estimated: false,
    })
    expect(
      measureCall({ ...call, usage: usage(5, 1), profile: { contextWindow: 4 } }).context,
    ).toEqual({
      usedTokens: 5,
      windowTokens: 4,
      usedPercent: 125,
      availableTokens: 0,
    })
  })
})
