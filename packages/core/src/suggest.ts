/** The known name that was probably meant, or undefined when none is near. Case does not matter. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  const lowerName = name.toLowerCase()
  let best: string | undefined
  let least = Infinity
  for (const candidate of known) {
    const distance = editDistance(lowerName, candidate.toLowerCase())
    if (
      distance >= least ||
      distance > Math.max(1, 0.4 * Math.max(lowerName.length, candidate.length))
    )
      continue
    least = distance
    best = candidate
  }
  return best
}

/**
 * Ends a message about an unknown name: with the one that was probably meant, else with
 * `otherwise`, by default all that are known.
 */
export function suggest(
  name: string,
  known: Iterable<string>,
  otherwise = `; known: ${[...known].join(', ') || 'none'}`,
): string {
  const near = nearest(name, known)
  return near === undefined ? otherwise : `; did you mean "${near}"?`
}

/** Letters to add, drop, change or swap with their neighbour. Texts are cut at 64 letters. */
function editDistance(left: string, right: string): number {
  const a = left.slice(0, 64)
  const b = right.slice(0, 64)
  let before: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const swapped =
        a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? 0) + 1 : Infinity
      const changed = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, changed, swapped))
    }
    before = previous
    previous = row
  }
  return previous[b.length] ?? 0
}
