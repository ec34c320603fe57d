import { describe, expect, test } from 'vitest'
import { growthOf } from './report.js'
import { slopeOf } from './slope.js'

const hour = 3600
/**
 * Two hours of a value around 30 MB that goes up and down by a megabyte as it pleases, with `leak`
 * megabytes an hour on top.
 */
const series = (leak: number): readonly (readonly [number, number])[] =>
  Array.from({ length: 720 }, (_, index) => {
    const at = index * 10
    const noise = Math.sin(index * 12.9898) * 43758.5453
    return [at, 30e6 + (noise - Math.floor(noise)) * 1e6 + (leak * 1e6 * at) / hour] as const
  })

describe('the rule of the soak', () => {
  test('noise is not a slope', () => {
    const { isRising, low, high } = slopeOf(series(0), 0.02)
    expect(isRising).toBe(false)
    expect(low).toBeLessThan(0)
    expect(high).toBeGreaterThan(0)
  })

  test('one megabyte an hour under the same noise is a slope, and its size is found', () => {
    const { isRising, perHour } = slopeOf(series(1), 0.02)
    expect(isRising).toBe(true)
    expect(perHour).toBeCloseTo(1e6, -5)
  })

  test('a slope that adds up to less than the tolerance, and one that falls, do not count', () => {
    expect(slopeOf(series(0.2), 0.02).isRising).toBe(false)
    expect(slopeOf(series(-1), 0.02).isRising).toBe(false)
  })

  test('a series without numbers fails, and is not flat', () => {
    expect(slopeOf([], 0.02).isRising).toBe(true)
  })

  test('what grows during the warm-up alone is flat', () => {
    const samples = series(0).map(([at, value]) => ({
      at,
      values: { 'SQLite server heap': value + 20e6 * Math.min(0, at / (0.5 * hour) - 1) },
    }))
    expect(growthOf(samples, false).map(({ what, isRising }) => [what, isRising])).toEqual([
      ['SQLite server heap', false],
    ])
  })
})
