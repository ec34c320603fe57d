/** The candidate that was probably meant, or undefined when none is near. */
export function suggest(text: string, candidates: Iterable<string>): string | undefined {
  const wanted = text.toLowerCase()
  let best: string | undefined
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase())
    if (distance < least) {
      least = distance
      best = candidate
    }
  }
  return best
}

/** `; did you mean "x"?` or nothing. */
export function didYouMean(text: string, candidates: Iterable<string>): string {
  const meant = suggest(text, candidates)
  return meant === undefined ? '' : `; did you mean "${meant}"?`
}

/** Letters to add, drop, change or swap with their neighbour. Texts are cut at 64 letters. */
function editDistance(left: string, right: string): number {
  const [a, b] = [left.slice(0, 64), right.slice(0, 64)]
  let before: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? 0) + 1 : Infinity
      const changed = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, changed, swapped))
    }
    before = previous
    previous = row
  }
  return previous[b.length] ?? 0
}
