import type { CostBound } from '@modelport/core'
import type { RunStatus, RunSummary } from './protocol.js'

/** Which runs are listed. A run must match every field that is set. */
export interface RunQuery {
  /**
   * Words that the run must have: in its messages, tool calls, tool results or error. The last one
   * may be the start of a word.
   */
  readonly text?: string | undefined
  /** Name of the attached program. */
  readonly program?: string | undefined
  /** Model or agent. */
  readonly model?: string | undefined
  /** Name of a tool that was called. */
  readonly tool?: string | undefined
  /** Status of the run. */
  readonly status?: RunStatus | undefined
  /** Code of the error; `any` matches every error. */
  readonly error?: string | undefined
  /** Lowest cost, in the currency of the run. */
  readonly minCost?: number | undefined
  /**
   * Shortest time from the start to the end, in milliseconds, without the time in which the run
   * waited for a person.
   */
  readonly minMs?: number | undefined
  /** Earliest start, in milliseconds since 1970. */
  readonly since?: number | undefined
  /** The run must have started before this time. */
  readonly until?: number | undefined
  /**
   * Only the runs that continue or were forked from each other; the value is the `session` of a
   * run, or the id of any of them.
   */
  readonly session?: string | undefined
  /** True lists one run of each session: the newest that did not happen in another run. */
  readonly heads?: boolean | undefined
  /** Only runs whose `key` is smaller: the next page after the run with this key. */
  readonly before?: number | undefined
  /**
   * What the list begins with the most of; a run counts with all runs in it. Default: the newest
   * first. With `heads` the list then has every run that did not happen in another one.
   */
  readonly sort?: RunSort | undefined
  /** Runs that are left out at the start of a sorted list: the page after so many. */
  readonly skip?: number | undefined
}

/** A number that runs are sorted by. */
export type RunSort = 'latency' | 'tokens' | 'cost'

/** The number of a run that a list is sorted by; runs without one come last. */
export function sortedBy(sort: RunSort, run: RunSummary): number {
  const { tree, cost, latencyMs } = run
  const numbers: Readonly<Record<RunSort, number | undefined>> = {
    latency: latencyMs,
    tokens: tokensOf(run),
    cost: tree ? Object.values(tree.costs).reduce((sum, one) => sum + one, 0) : cost,
  }
  return numbers[sort] ?? -1
}

/** Tokens of a run with all runs in it. */
export function tokensOf({ tree, usage }: Pick<RunSummary, 'tree' | 'usage'>): number | undefined {
  const counts = tree ?? usage
  return counts && counts.inputTokens + counts.outputTokens
}

/**
 * What runs are grouped by: their model, their program, or periods of so many milliseconds whose
 * first starts at `offset`.
 */
export type RunGrouping =
  | 'model'
  | 'program'
  | { readonly periodMs: number; readonly offset: number }

/** Sums over a group of runs. */
export interface RunGroupTotals {
  /**
   * The model, the program (empty for runs of a studio), or the start of the period in milliseconds
   * since 1970. Unset without grouping.
   */
  readonly group?: string | number
  /** Number of runs. */
  readonly runs: number
  /** Number of runs with an error. */
  readonly errors: number
  /** Prompt tokens, those from the cache included. */
  readonly inputTokens: number
  /** Tokens of the replies. */
  readonly outputTokens: number
  /** Prompt tokens that vendors read from their caches. */
  readonly cachedTokens: number
  /** Cost by currency. */
  readonly costs: Readonly<Record<string, number>>
  /** How they relate to what vendors charge. Unset: every price is known. */
  readonly costBound?: CostBound
  /**
   * Milliseconds that half of the runs stayed within. Unset without grouping, or if no run has
   * ended.
   */
  readonly p50?: number
  /** Milliseconds that 95 of 100 runs stayed within. */
  readonly p95?: number
}

/** The values that filters can have. */
export interface RunNames {
  /** Attached programs. */
  readonly programs: readonly string[]
  /** Models and agents. */
  readonly models: readonly string[]
  /** Tools that were called. */
  readonly tools: readonly string[]
  /** Codes of errors. */
  readonly errors: readonly string[]
}
