import { fillLimits, type LimitRange } from '@modelport/core/settings'

/** When a run that gets nowhere ends. */
export interface RunLimits {
  /** Maximum model calls. Default 10. */
  readonly maxSteps: number
  /** Maximum replies in a row that are not an action, 1 to 100. Default 3. */
  readonly maxParseFailures: number
  /**
   * Number of last successful actions that are remembered and not executed again; 0 remembers none,
   * `Infinity` all. Default 5.
   */
  readonly repeatWindow: number
  /** Maximum steps in a row that only repeat. Default 3. */
  readonly maxRepeats: number
  /**
   * Maximum steps in a row that bring nothing new: no call succeeds, or only with results known
   * before. Default 4.
   */
  readonly maxIdleSteps: number
  /** Tools that may be called again with the same arguments, for example to poll. Default none. */
  readonly repeatableTools: readonly string[]
  /** Maximum calls of one step that run at once. Default 8. */
  readonly concurrency: number
  /** Time limit of a tool call in milliseconds, if the tool does not set one. Default 120,000. */
  readonly toolTimeoutMs: number
  /**
   * Maximum characters of a tool result that are sent, at least 1,000; the model reads the rest
   * with the tool `read_result`. Default `Infinity`.
   */
  readonly maxResultLength: number
}

/** Limits that are set; the rest stay as they are. */
export type GivenLimits = { readonly [Name in keyof RunLimits]?: RunLimits[Name] | undefined }

/** The limits a run has when nobody sets them. */
export const defaultRunLimits: RunLimits = Object.freeze({
  maxSteps: 10,
  maxParseFailures: 3,
  repeatWindow: 5,
  maxRepeats: 3,
  maxIdleSteps: 4,
  repeatableTools: [],
  concurrency: 8,
  toolTimeoutMs: 120_000,
  maxResultLength: Infinity,
})

const ranges: readonly LimitRange<RunLimits>[] = [
  ['maxSteps', 1, Infinity],
  ['maxParseFailures', 1, 100],
  ['repeatWindow', 0, Infinity],
  ['maxRepeats', 1, Infinity],
  ['maxIdleSteps', 1, Infinity],
  ['concurrency', 1, Infinity],
  ['toolTimeoutMs', 1, Infinity],
  ['maxResultLength', 1000, Infinity],
]

/** Fills in limits, later over earlier. @throws {LlmError} `config` — as `fillLimits` */
export const toLimits = (...given: readonly (GivenLimits | undefined)[]): RunLimits =>
  fillLimits(defaultRunLimits, ranges, given)
