import { ProviderError } from '@modelport/core'
import { expect, test } from 'vitest'
import { createRetryBucket, RetryBudget } from '../src/config/retry.js'
import { retryAfterMs } from '../src/failure/retry-after.js'
import { FakeClock } from './fake-clock.js'

const date = Date.UTC(2026, 10, 21, 12)

test.each<[Record<string, string>, number | undefined]>([
  [{ 'retry-after-ms': '250.55' }, 250.55],
  [{ 'retry-after-ms': ' 250 ' }, 250],
  [{ 'retry-after-ms': 'x250' }, undefined],
  [{ 'retry-after-ms': '250x' }, undefined],
  [{ 'retry-after-ms': '2.x' }, undefined],
  [{ 'retry-after-ms': '250x', 'retry-after': '9' }, 9000],
  [{ 'retry-after-ms': 'x250', 'retry-after': '9' }, 9000],
  [{ 'retry-after-ms': '9'.repeat(400) }, undefined],
  [{ 'retry-after': '1.25' }, 1250],
  [{ 'retry-after': 'x1' }, undefined],
  [{ 'retry-after': 'not before Sat, 21 Nov 2026 12:00:30 GMT' }, undefined],
  [{ 'retry-after': 'Sat, 21 Nov 2026 12:00:30' }, undefined],
  [{ 'retry-after': 'Sat, 21 Nov 2026 12:00:30 GMT+0200' }, undefined],
  [{ 'retry-after': '\t7 ' }, 7000],
  [{}, undefined],
])('the wait of a retry is read from the headers %j', (headers, expected) => {
  expect(retryAfterMs(new Headers(headers), date)).toBe(expected)
})

test('a retry costs 5, after a time-out 10', () => {
  const retries = (code: 'server' | 'timeout', capacity: number) => {
    const budget = new RetryBudget(100, createRetryBucket(capacity), new FakeClock())
    let count = 0
    while (
      budget.delayAfter(new ProviderError(code, '', { provider: 'p' }), Infinity) !== undefined
    )
      count++
    return count
  }
  expect([
    retries('server', 20),
    retries('server', 24),
    retries('timeout', 20),
    retries('timeout', 29),
  ]).toEqual([4, 4, 2, 2])
})
