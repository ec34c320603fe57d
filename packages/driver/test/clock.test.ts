import { systemClock } from '@modelport/driver'
import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => {
  vi.useRealTimers()
})

test('a timer calls back once, a cancelled one never', () => {
  vi.useFakeTimers()
  const calls: string[] = []
  systemClock.after(10, () => calls.push('kept'))
  systemClock.after(10, () => calls.push('cancelled'))()
  vi.advanceTimersByTime(9)
  expect(calls).toEqual([])
  vi.advanceTimersByTime(100)
  expect([calls, vi.getTimerCount()]).toEqual([['kept'], 0])
})

test('a wait longer than timers can be is not one of a millisecond', () => {
  vi.useFakeTimers()
  let called = false
  systemClock.after(2 ** 40, () => {
    called = true
  })
  vi.advanceTimersByTime(2 ** 31 - 2)
  expect(called).toBe(false)
  vi.advanceTimersByTime(1)
  expect(called).toBe(true)
})

test("time and chance are the machine's", () => {
  const before = systemClock.now()
  const random = systemClock.random()
  expect(random >= 0 && random < 1).toBe(true)
  expect(systemClock.now()).toBeGreaterThanOrEqual(before)
})
