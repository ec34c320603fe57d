import type { ModelFacts } from './vendor.js'

/** A row of a table of models; prices are US dollars for a million tokens. */
type Row = readonly [
  id: string,
  inputCost: number,
  outputCost: number,
  source: string,
  contextWindow?: number | undefined,
  cacheReadCost?: number,
]

/**
 * The facts of a table whose pages were all read on one day. Calls are marked as pure: a bundler
 * keeps a table only where it is used.
 */
export const factsOf = (date: string, rows: readonly Row[]): readonly ModelFacts[] =>
  rows.map(([id, inputCost, outputCost, source, contextWindow, cacheReadCost]) => ({
    id,
    ...(contextWindow !== undefined && { contextWindow }),
    inputCostPerMillion: inputCost,
    ...(cacheReadCost !== undefined && { cacheReadCostPerMillion: cacheReadCost }),
    outputCostPerMillion: outputCost,
    source,
    date,
  }))
