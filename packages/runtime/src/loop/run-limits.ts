import { LlmError } from '@modelport/core'
import { suggest } from '@modelport/core/settings'

/** When a run that gets nowhere ends. */
export interface RunLimits {
  /** Maximum model calls. Default 10. */
  readonly maxSteps: number
  /** Maximum replies in a row that are not an action, 1 to 100. Default 3. */
  readonly maxParseFailures: number
  /** Number of last successful actions that are remembered and not executed again; 0 remembers none, `Infinity` all. Default 5. */
  readonly repeatWindow: number
  /** Maximum steps in a row that only repeat. Default 3. */
  readonly maxRepeats: number
  /** Maximum steps in a row that bring nothing new: no call succeeds, or only with results known before. Default 4. */
  readonly maxIdleSteps: number
  /** Tools that may be called again with the same arguments, for example to poll. Default none. */
  readonly repeatableTools: readonly string[]
  /** Maximum calls of one step that run at once. Default 8. */
  readonly concurrency: number
  /** Time limit of a tool call in milliseconds, if the tool does not set one. Default 120,000. */
  readonly toolTimeoutMs: number
  /** Maximum characters of a tool result that are sent, at least 1,000; the model reads the rest with the tool `read_result`. Default `Infinity`. */
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

/** Name, least, most, and whether `Infinity` is allowed. */
const ranges: readonly (readonly [keyof RunLimits, number, number])[] = [
  ['maxSteps', 1, Infinity],
  ['maxParseFailures', 1, 100],
  ['repeatWindow', 0, Infinity],
  ['maxRepeats', 1, Infinity],
  ['maxIdleSteps', 1, Infinity],
  ['concurrency', 1, Infinity],
  ['toolTimeoutMs', 1, Infinity],
  ['maxResultLength', 1000, Infinity],
]

/**
 * Fills in limits, later over earlier; `undefined` never erases.
 * @throws {LlmError} `config` — names the limit, the value found and the range.
 */
export function toLimits(...given: readonly (GivenLimits | undefined)[]): RunLimits {
  const limits = given.reduce<RunLimits>(withDefined, defaultRunLimits)
  for (const [name, low, high] of ranges) {
    const value = Number(limits[name])
    const isWhole = Number.isInteger(limits[name]) || limits[name] === Infinity
    if (!isWhole || value < low || value > high) {
      throw new LlmError(
        'config',
        `limits.${name} must be a whole number ${high === Infinity ? `of at least ${low}` : `between ${low} and ${high}`}, not ${JSON.stringify(limits[name])}`,
      )
    }
  }
  const unknown = Object.keys(limits).find((key) => !(key in defaultRunLimits))
  if (unknown !== undefined) {
    const hint = suggest(unknown, Object.keys(defaultRunLimits))
    throw new LlmError('config', `limits: unknown limit ${JSON.stringify(unknown)}${hint}`)
  }
  return limits
}

function withDefined(limits: RunLimits, given: GivenLimits = {}): RunLimits {
  const merged: Partial<Record<string, unknown>> & RunLimits = { ...limits }
  for (const [name, value] of Object.entries<unknown>(given)) if (value !== undefined) merged[name] = value
  return merged
}
