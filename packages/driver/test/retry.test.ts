import { type ErrorCode, LlmError, ProviderError, type ProviderErrorDetails } from '@modelport/core'
import { toProviderError } from '@modelport/driver'
import { describe, expect, test } from 'vitest'
import { reportFault } from '../../../test/support/faults.js'
import { random } from '../../../test/support/seed.js'
import { createRetryBucket, RetryBudget } from '../src/config/retry.js'
import { retryAfterMs } from '../src/failure/retry-after.js'
import { FakeClock } from './fake-clock.js'

const failure = (code: ErrorCode, details: Partial<ProviderErrorDetails> = {}) =>
  new ProviderError(code, code, { provider: 'p', ...details })

function budget(most = 3, random = 0.5, bucket = createRetryBucket()) {
  const retries = new RetryBudget(most, bucket, new FakeClock(() => random))
  return {
    delay: (error: unknown, remainingMs = Infinity) => {
      retries.attempts++
      return retries.delayAfter(error, remainingMs)
    },
    retries,
  }
}

describe('which failures are tried again', () => {
  test.each(['rate-limit', 'overloaded', 'server', 'timeout', 'network', 'truncated'] as const)(
    '%s is tried again',
    (code) => {
      expect(budget().delay(failure(code))).toBeGreaterThanOrEqual(0)
    },
  )

  test.each([
    'config',
    'auth',
    'permission',
    'not-found',
    'invalid-request',
    'context-length',
    'content-filter',
    'quota-exhausted',
    'protocol',
    'limit-exceeded',
    'redirect-refused',
    'aborted',
    'unsupported',
    'unknown',
    'budget-exceeded',
    'invalid-base-url',
  ] as const)('%s is not tried again', (code) => {
    expect(budget().delay(failure(code))).toBeUndefined()
  })

  test('a name that does not resolve, a refused certificate and a passed deadline are not tried again', () => {
    for (const reason of ['dns', 'tls'] as const)
      expect(budget().delay(failure('network', { reason }))).toBeUndefined()
    expect(budget().delay(failure('timeout', { reason: 'deadline' }))).toBeUndefined()
    expect(budget().delay(failure('network', { reason: 'reset' }))).toBeDefined()
  })

  test('an untyped error is not tried again', () => {
    for (const error of [
      new Error('x'),
      new TypeError('x'),
      'x',
      undefined,
      new LlmError('config', 'x'),
    ])
      expect(budget().delay(error)).toBeUndefined()
  })

  test("the server's own wish wins", () => {
    const wish = (status: number, value: string) =>
      toProviderError('p', {
        status,
        headers: new Headers({ 'x-should-retry': value }),
        body: undefined,
        text: '',
        inBand: false,
      })
    expect(budget().delay(wish(400, 'true'))).toBeDefined()
    expect(budget().delay(wish(503, 'false'))).toBeUndefined()
    expect(JSON.stringify(wish(503, 'false'))).not.toContain('serverRetry')
  })
})

describe('how long is waited', () => {
  test('the wait before a retry is random below a ceiling that doubles with each retry', () => {
    const ceilings = (code: ErrorCode) => {
      const { delay } = budget(8, 1 - Number.EPSILON)
      return Array.from({ length: 7 }, () => Math.round(delay(failure(code)) ?? -1))
    }
    expect(ceilings('server')).toEqual([500, 1000, 2000, 4000, 8000, 8000, 8000])
    expect(ceilings('rate-limit')).toEqual([1000, 2000, 4000, 8000, 16_000, 20_000, 20_000])
    expect(budget(3, 0).delay(failure('server'))).toBe(0)
  })

  test('the wait before a retry is spread evenly (Kolmogorov-Smirnov, p > 0.01)', () => {
    const next = random(8)
    const count = 2000
    const waits = Array.from(
      { length: count },
      () => new RetryBudget(2, createRetryBucket(), new FakeClock(next)),
    )
      .map((retries) => {
        retries.attempts = 1
        return (retries.delayAfter(failure('server'), Infinity) ?? -1) / 500
      })
      .sort((a, b) => a - b)
    const distance = Math.max(
      ...waits.map((wait, index) => Math.max((index + 1) / count - wait, wait - index / count)),
    )
    expect(distance).toBeLessThan(1.63 / Math.sqrt(count))
  })

  test('the wait before a retry is at least what the server asks for, up to 60 s', () => {
    expect(budget().delay(failure('rate-limit', { retryAfterMs: 7000 }))).toBe(7000)
    expect(budget().delay(failure('rate-limit', { retryAfterMs: 10 }))).toBe(500)
    expect(budget().delay(failure('rate-limit', { retryAfterMs: 60_000 }))).toBe(60_000)
    expect(budget().delay(failure('rate-limit', { retryAfterMs: 60_001 }))).toBeUndefined()
  })

  test('the wait before a retry never passes the deadline', () => {
    expect(budget().delay(failure('server'), 251)).toBe(250)
    expect(budget().delay(failure('server'), 250)).toBeUndefined()
    expect(budget().delay(failure('rate-limit', { retryAfterMs: 5000 }), 5000)).toBeUndefined()
  })
})

describe('how often', () => {
  test.each([1, 2, 3, 5])('a call makes %i attempts at most if that is its limit', (most) => {
    const { delay, retries } = budget(most)
    while (delay(failure('server')) !== undefined);
    expect(retries.attempts).toBe(most)
  })

  test('the number of attempts is at most 1.1 requests a call in a storm of failures, which drains the bucket (T12)', () => {
    const bucket = createRetryBucket()
    let requests = 0
    for (let call = 0; call < 1000; call++) {
      const { delay, retries } = budget(3, 0.5, bucket)
      while (delay(failure('overloaded')) !== undefined);
      requests += retries.attempts
    }
    reportFault('T12', { 'calls in the storm': 1000, requests: requests })
    expect(requests).toBeLessThanOrEqual(1100)
    expect(requests).toBeGreaterThan(1000)
  })

  test('the number of attempts is less for time-outs, which cost twice as much', () => {
    const bucket = createRetryBucket(20)
    const { delay } = budget(5, 0.5, bucket)
    expect(
      [delay(failure('timeout')), delay(failure('timeout')), delay(failure('timeout'))].map(
        (wait) => wait !== undefined,
      ),
    ).toEqual([true, true, false])
  })

  test('a success gives back what its call spent, or 1, and never more than there was room for', () => {
    const bucket = createRetryBucket(10)
    const { delay, retries } = budget(5, 0.5, bucket)
    delay(failure('server'))
    delay(failure('server'))
    expect(bucket.take(1)).toBe(false)
    retries.succeeded()
    expect(bucket.take(10)).toBe(true)
    retries.succeeded()
    expect([bucket.take(1), bucket.take(1)]).toEqual([true, false])
    for (let time = 0; time < 100; time++) bucket.give(5)
    expect([bucket.take(10), bucket.take(1)]).toEqual([true, false])
  })
})

describe('Retry-After', () => {
  const date = Date.UTC(2026, 10, 21, 12)
  const read = (headers: Record<string, string>) => retryAfterMs(new Headers(headers), date)

  test.each([
    [{ 'retry-after': '5' }, 5000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': ' 7 ' }, 7000],
    [{ 'retry-after': '1.5' }, 1500],
    [{ 'retry-after-ms': '250' }, 250],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after-ms': 'soon', 'retry-after': '9' }, 9000],
    [{ 'retry-after': '9999999' }, 9_999_999_000],
    [{ 'retry-after': 'Sat, 21 Nov 2026 12:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Saturday, 21-Nov-26 12:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Sat, 21 Nov 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after': 'Thu, 01 Jan 2099 00:00:00 GMT' }, Date.UTC(2099, 0) - date],
  ])('Retry-After is read from %j', (headers, expected) => {
    expect(read(headers as Record<string, string>)).toBe(expected)
    reportFault('retry', { 'hints kept': 1 })
  })

  test.each([
    'Infinity',
    '1e400',
    '-1',
    'NaN',
    '',
    'soon',
    '0x10',
    '1e3',
    '5 seconds',
    '2026-11-21',
    'Xyz, 99 Foo 2026',
    '١٢',
    '9'.repeat(400),
  ])('%j says nothing', (value) => {
    expect(
      read({
        'retry-after':
          encodeURIComponent(value) === value ? value : value.replace(/[^\x20-\x7e]/g, '?'),
      }),
    ).toBeUndefined()
    expect(read({})).toBeUndefined()
    reportFault('retry', { 'hints that say nothing': 1 })
  })
})
