import { nearest } from '@modelport/core/settings'

/** Ends a message about an unknown name: with the one that was probably meant, else with all that are known. */
export function suggest(name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  return near === undefined ? `; known: ${known.join(', ')}` : `; did you mean "${near}"?`
}
