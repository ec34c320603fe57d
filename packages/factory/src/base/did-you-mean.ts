import { nearest } from '@modelport/core/settings'

/** `; did you mean "x"?` or nothing. */
export function didYouMean(text: string, candidates: Iterable<string>): string {
  const meant = nearest(text, candidates)
  return meant === undefined ? '' : `; did you mean "${meant}"?`
}
