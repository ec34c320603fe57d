// The rule of the soak: what counts as a slope.

/** One measurement: seconds since the start, and the value. */
export type Point = readonly [seconds: number, value: number]

export interface Slope {
  /** The median of all values. */
  readonly level: number
  /** Theil–Sen slope: the median of the slopes of all pairs of blocks, per hour. */
  readonly perHour: number
  /** Its interval of 95 % confidence, by the variance of Kendall's S. */
  readonly low: number
  readonly high: number
  /** True if the whole interval, over the time that was measured, lies above the tolerance. */
  readonly isRising: boolean
}

const blocks = 24
const z = 1.96

/**
 * A series rises if even the lower end of the 95 % confidence interval of its Theil–Sen slope,
 * times the time measured after the warm-up, is more than `tolerance` of its median. The slope is
 * that of the medians of 24 blocks, since neighbouring samples resemble each other.
 *
 * @param floor smallest growth that counts, in the unit of the values
 */
export function slopeOf(points: readonly Point[], tolerance: number, floor = 0): Slope {
  const size = Math.max(1, points.length / blocks)
  const medians: Point[] = []
  for (let start = 0; Math.round(start + size) <= points.length; start += size) {
    const block = points.slice(Math.round(start), Math.round(start + size))
    medians.push([median(block.map(([at]) => at)), median(block.map(([, value]) => value))])
  }
  const slopes = medians
    .flatMap(([at, value], index) =>
      medians.slice(index + 1).map(([then, later]) => (later - value) / (then - at)),
    )
    .sort((a, b) => a - b)
  const n = medians.length
  const half = z * Math.sqrt((n * (n - 1) * (2 * n + 5)) / 18)
  const at = (rank: number): number =>
    slopes[Math.min(slopes.length - 1, Math.max(0, Math.round(rank)))] ?? NaN
  const low = at((slopes.length - half) / 2 - 1)
  const level = median(points.map(([, value]) => value))
  const seconds = (points.at(-1)?.[0] ?? 0) - (points[0]?.[0] ?? 0)
  return {
    level,
    perHour: median(slopes) * 3600,
    low: low * 3600,
    high: at((slopes.length + half) / 2) * 3600,
    isRising: !(low * seconds <= Math.max(level * tolerance, floor)),
  }
}

/** The median; NaN without numbers. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const low = sorted[(sorted.length - 1) >> 1] ?? NaN
  const high = sorted[sorted.length >> 1] ?? NaN
  return (low + high) / 2
}
