/** The value at a share of the sorted numbers. */
const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.round((sorted.length - 1) * share)] ?? NaN

/** The median of some numbers. */
export const medianOf = (numbers: readonly number[]): number =>
  at(
    numbers.toSorted((a, b) => a - b),
    0.5,
  )

/** Where the middle half of some numbers lies. */
export function middleOf(numbers: readonly number[]): readonly [from: number, to: number] {
  const sorted = numbers.toSorted((a, b) => a - b)
  return [at(sorted, 0.25), at(sorted, 0.75)]
}
