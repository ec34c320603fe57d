import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { defaultTimeouts } from '../src/base/limits.js'
import { CallScope } from '../src/base/scope.js'
import { IdleWatch } from '../src/exchange/idle-watch.js'
import { FakeClock } from './fake-clock.js'

describe('the life of a call', () => {
  test('an aborted signal refuses a call with its own reason', () => {
    const reason = new Error('never')
    expect(() => new CallScope(new FakeClock(), 'p', AbortSignal.abort(reason), 1000)).toThrow(
      reason,
    )
  })

  test('abort, deadline and end each end a call once; the first reason stays', () => {
    const clock = new FakeClock()
    const controller = new AbortController()
    const scope = new CallScope(clock, 'p', controller.signal, 1000)
    const ends: unknown[] = []
    scope.onEnd(() => ends.push(scope.reason))
    clock.advance(999)
    expect([scope.ended, scope.remainingMs]).toEqual([false, 1])
    clock.advance(1)
    expect(ends).toEqual([expect.objectContaining({ code: 'timeout', reason: 'deadline' })])
    controller.abort(new Error('late'))
    scope.end(new Error('later'))
    expect(ends).toHaveLength(1)
    expect([clock.pending, getEventListeners(controller.signal, 'abort').length]).toEqual([0, 0])
  })

  test('a listener that comes late is called at once, one taken back never', () => {
    const scope = new CallScope(new FakeClock(), 'p', undefined, undefined)
    const calls: string[] = []
    scope.onEnd(() => calls.push('taken back'))()
    scope.onEnd(() => calls.push('early'))
    scope.end()
    scope.onEnd(() => calls.push('late'))
    expect(calls).toEqual(['early', 'late'])
    expect(scope.remainingMs).toBe(Infinity)
  })

  test('sleep lasts as long as it should, and ends with the call', async () => {
    const clock = new FakeClock()
    const scope = new CallScope(clock, 'p', undefined, undefined)
    let awake = false
    const sleep = scope.sleep(100).then(() => {
      awake = true
    })
    clock.advance(99)
    await Promise.resolve()
    expect(awake).toBe(false)
    clock.advance(1)
    await sleep
    const other = scope.sleep(1e9)
    scope.end('enough')
    await other
    expect([clock.pending, scope.reason]).toEqual([0, 'enough'])
  })

  test('ten thousand calls leave nothing on their signal', () => {
    const clock = new FakeClock()
    const { signal } = new AbortController()
    for (let call = 0; call < 10_000; call++) new CallScope(clock, 'p', signal, 1000).end()
    expect([clock.pending, getEventListeners(signal, 'abort').length]).toEqual([0, 0])
  })
})

describe('the idle clocks', () => {
  function watch(timeouts: Partial<typeof defaultTimeouts> = {}) {
    const clock = new FakeClock()
    const errors: string[] = []
    const idle = new IdleWatch(clock, { ...defaultTimeouts, ...timeouts }, (silence) =>
      errors.push(silence),
    )
    return { clock, errors, idle }
  }

  test('a read without a byte ends at the limit, to the millisecond', () => {
    const { clock, errors, idle } = watch()
    idle.start()
    clock.advance(59_999)
    expect(errors).toEqual([])
    clock.advance(1)
    expect(errors).toEqual(['no byte for 60000 ms'])
    expect(clock.pending).toBe(0)
  })

  test('pings keep the first clock only', () => {
    const { clock, errors, idle } = watch()
    let waited = 0
    for (; !errors.length && waited < 1e6; waited += 1000) {
      idle.start()
      clock.advance(1000)
      if (!errors.length) idle.stop(false)
    }
    expect(waited).toBe(300_000)
    expect(errors[0]).toContain('no part of the reply')
  })

  test('a delta of the reply resets both idle clocks', () => {
    const { clock, errors, idle } = watch()
    for (let read = 0; read < 1000; read++) {
      idle.start()
      clock.advance(59_000)
      idle.stop(true)
    }
    expect(errors).toEqual([])
    expect(clock.pending).toBeLessThanOrEqual(1)
  })

  test('time between reads does not count', () => {
    const { clock, errors, idle } = watch()
    for (let read = 0; read < 100; read++) {
      idle.start()
      clock.advance(100)
      idle.stop(false)
      clock.advance(1e6)
    }
    expect(errors).toEqual([])
    idle.start()
    clock.advance(59_999)
    expect(errors).toEqual([])
    clock.advance(1)
    expect(errors).toHaveLength(1)
  })

  test('a call has one idle timer at most, and none after its end', () => {
    const { clock, errors, idle } = watch()
    for (let read = 0; read < 100; read++) {
      idle.start()
      idle.stop(true)
      expect(clock.pending).toBeLessThanOrEqual(1)
    }
    idle.start()
    idle.end()
    clock.advance(1e9)
    expect([errors.length, clock.pending]).toEqual([0, 0])
  })
})
