import { expect, test } from 'vitest'
import { hashResult, ProgressGuard } from '../src/loop/guards/progress-guard.js'

const short = { from: 'look', text: 'seen' }
const long = { from: 'look', text: 'x'.repeat(5000) }

test('a guard knows a result again, and the same text of another tool is new', () => {
  const guard = new ProgressGuard(2)
  expect(guard.step([short, { ...short }])).toBe(false)
  expect(guard.known).toEqual([short])
  expect(guard.step([{ ...short }])).toBe(false)
  expect(guard.idleSteps).toBe(1)
  expect(guard.step([{ ...short, from: 'hear' }])).toBe(false)
  expect(guard.idleSteps).toBe(0)
})

test('a guard keeps a long result as its hash, so that the text can be freed', () => {
  const guard = new ProgressGuard(2)
  guard.step([long])
  expect(guard.known).toEqual([hashResult(long)])
  guard.step([{ ...long }])
  expect(guard.idleSteps).toBe(1)
})

test('a guard that was restored from hashes knows the results again', () => {
  const before = new ProgressGuard(9)
  before.step([short, long])
  const guard = new ProgressGuard(9, 0, before.known.map(hashResult))
  guard.step([{ ...short }])
  guard.step([{ ...long }])
  expect(guard.idleSteps).toBe(2)
})
