import type { ModelFacts } from './vendor.js'

/**
 * The facts of a table whose pages were all read on one day. Calls are marked as pure: a bundler
 * keeps a table only where it is used.
 */
export const factsOf = (
  date: string,
  rows: readonly Omit<ModelFacts, 'date'>[],
): readonly ModelFacts[] => rows.map((row) => ({ ...row, date }))
