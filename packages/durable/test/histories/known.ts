// What the histories found and nobody has mended yet: a history that goes wrong in such a way only
// is not a new one. Whoever mends a defect removes its row.
import type { History } from './history.js'
import type { MoveName } from './moves.js'

export interface KnownDefect {
  readonly what: string
  /** The shortest history that shows it; it has to go wrong as long as the row is here. */
  readonly history: History<MoveName>
  matches(wrong: string, history: History): boolean
}

export const knownDefects: readonly KnownDefect[] = []

/** What is wrong and not known yet. */
export const newIn = (wrong: readonly string[], history: History): readonly string[] =>
  wrong.filter((each) => !knownDefects.some((defect) => defect.matches(each, history)))
