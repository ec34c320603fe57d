import { afterEach, describe, expect, test, vi } from 'vitest'
import { budgetCases } from '../../../test/store-contract/budgets.js'
import { spanOf } from '../src/budget/budget-window.js'
import { createMemoryBudgets } from '../src/index.js'

describe('shared budgets in memory', () => {
  test.each(budgetCases)('$title', async ({ run }) => {
    await run(createMemoryBudgets())
  })
})

describe('a window that ends', () => {
  afterEach(() => void vi.useRealTimers())

  test('a settlement after the window of its reservation changes neither that window nor the next', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-07-01T23:59:00Z') })
    const budgets = createMemoryBudgets()
    const charge = (id: string) => ({
      id,
      owners: [{ owner: 'ada', limits: [{ window: 'day', maxTokens: 100 } as const] }],
      amounts: { calls: 1, tokens: 60 },
      waitMs: 0,
    })
    await budgets.reserve(charge('before'))
    vi.setSystemTime(Date.parse('2026-07-02T00:01:00Z'))
    await budgets.reserve(charge('after'))
    await budgets.settle({ id: 'before', amounts: { calls: 1, tokens: 5 } })
    expect(await budgets.list('ada')).toMatchObject([
      { used: { tokens: 60, calls: 1 }, endsAt: '2026-07-03T00:00:00.000Z' },
    ])
  })
})

describe('windows', () => {
  const iso = (window: 'hour' | 'day' | 'month' | 'minute', zone: string, at: string) => {
    const { start, end } = spanOf(window, zone, Date.parse(at))
    return [new Date(start).toISOString(), new Date(end).toISOString()]
  }

  test('a day begins at midnight of its time zone', () => {
    expect(iso('day', 'Europe/Rome', '2026-07-01T23:30:00Z')).toEqual([
      '2026-07-01T22:00:00.000Z',
      '2026-07-02T22:00:00.000Z',
    ])
    expect(iso('day', 'UTC', '2026-07-01T00:00:00Z')[0]).toBe('2026-07-01T00:00:00.000Z')
  })

  test('the day on which the clocks change has 23 or 25 hours', () => {
    expect(iso('day', 'Europe/Rome', '2026-03-29T12:00:00Z')).toEqual([
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ])
    expect(iso('day', 'Europe/Rome', '2026-10-25T12:00:00Z')).toEqual([
      '2026-10-24T22:00:00.000Z',
      '2026-10-25T23:00:00.000Z',
    ])
  })

  test('a day whose midnight does not exist begins with its first moment', () => {
    expect(iso('day', 'Africa/Cairo', '2026-04-24T12:00:00Z')[0]).toBe('2026-04-23T22:00:00.000Z')
  })

  test('a month begins at midnight of its first day', () => {
    expect(iso('month', 'America/New_York', '2026-03-15T12:00:00Z')).toEqual([
      '2026-03-01T05:00:00.000Z',
      '2026-04-01T04:00:00.000Z',
    ])
  })

  test('an hour begins with the hour of its zone, which may be half an hour off', () => {
    expect(iso('hour', 'Asia/Kolkata', '2026-03-15T12:40:30Z')[0]).toBe('2026-03-15T12:30:00.000Z')
    expect(iso('minute', 'UTC', '2026-03-15T12:40:30Z')).toEqual([
      '2026-03-15T12:40:00.000Z',
      '2026-03-15T12:41:00.000Z',
    ])
  })
})
