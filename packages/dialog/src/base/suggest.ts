import { nearest } from '@modelport/core/settings'

/** The end of a message about a name that is not known: the nearest known one, or all of them. */
export function suggest(name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  return near ? `; did you mean "${near}"?` : `; known: ${known.join(', ') || 'none'}`
}
