import { configError } from '@modelport/core'
import { fillLimits, type LimitRange } from '@modelport/core/settings'
import { shown } from '../base/shown.js'

/** When a call gives up. */
export interface CallLimits {
  /** Times a refused reply is asked for again, in a row: 0 to 99. Default 3. */
  readonly maxParseRetries: number
  /**
   * Replies with tool calls before the last call without tools. 0: no tools at all; `Infinity`: no
   * limit. Default 5.
   */
  readonly maxToolRounds: number
  /**
   * Times the call is resumed after the network or the server failed beyond the driver's own
   * retries. Default 0.
   */
  readonly maxRecalls: number
  /** Tools that may be called again with the same arguments, for example to poll. Default none. */
  readonly repeatableTools: readonly string[]
  /** Maximum tool calls of one reply that run at once. Default 8. */
  readonly concurrency: number
  /** Time limit of a tool call in milliseconds, if the tool does not set one. Default 120,000. */
  readonly toolTimeoutMs: number
}

/** The limits of a call when nobody sets them. */
export const defaultCallLimits: CallLimits = Object.freeze({
  maxParseRetries: 3,
  maxToolRounds: 5,
  maxRecalls: 0,
  repeatableTools: [],
  concurrency: 8,
  toolTimeoutMs: 120_000,
})

const ranges: readonly LimitRange<CallLimits>[] = [
  ['maxParseRetries', 0, 99],
  ['maxToolRounds', 0, Infinity],
  ['maxRecalls', 0, 1000],
  ['concurrency', 1, Infinity],
  ['toolTimeoutMs', 1, Infinity],
]

/**
 * Fills in limits, later over earlier.
 * @throws {LlmError} `config` — as `fillLimits`, or the list of tools is not one of texts
 */
export function toCallLimits(...given: readonly (Partial<CallLimits> | undefined)[]): CallLimits {
  const limits = fillLimits(defaultCallLimits, ranges, given)
  const { repeatableTools }: { readonly repeatableTools: unknown } = limits
  if (!Array.isArray(repeatableTools) || repeatableTools.some((one) => typeof one !== 'string'))
    throw configError(
      `limits.repeatableTools must be a list of texts, not ${shown(repeatableTools)}`,
    )
  return limits
}

/** The limits of settings that were checked before. */
const known = new WeakMap<Partial<CallLimits>, CallLimits>()

/** The limits of one call: its own, or those of its agent, whose defaults are filled in once. */
export function limitsOfCall(
  agent: Partial<CallLimits> | undefined,
  call: Partial<CallLimits> | undefined,
): CallLimits {
  if (call) return toCallLimits(agent, call)
  if (!agent) return defaultCallLimits
  const limits = known.get(agent) ?? toCallLimits(agent)
  known.set(agent, limits)
  return limits
}
