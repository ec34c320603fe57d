/** Depth-first order without repeats: the number of paths can be exponential. */
export function inOrder<T>(
  first: T,
  next: (one: T) => readonly T[],
  onCircle: (path: readonly T[]) => void,
): T[] {
  const visits = new Set<T>()
  const follow = (one: T, path: readonly T[]): void => {
    if (path.includes(one)) onCircle([...path.slice(path.indexOf(one)), one])
    if (visits.has(one)) return
    visits.add(one)
    for (const other of next(one)) follow(other, [...path, one])
  }
  follow(first, [])
  return [...visits]
}
