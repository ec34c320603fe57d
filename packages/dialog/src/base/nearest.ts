/** The known name that differs least from a name, or undefined when none is near. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const scored = known.map((one) => ({ one, distance: distanceOf(name.toLowerCase(), one.toLowerCase()) }))
  const best = scored.sort((a, b) => a.distance - b.distance)[0]
  return best && best.distance <= Math.max(1, Math.floor(best.one.length / 3)) ? best.one : undefined
}

/** The end of a message about a name that is not known: the nearest known one, or all of them. */
export function suggest(name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  return near ? `; did you mean "${near}"?` : `; known: ${known.join(', ') || 'none'}`
}

/** How many letters must be added, dropped or changed to make one name of the other. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + change))
    }
    row = next
  }
  return row[b.length] ?? 0
}
