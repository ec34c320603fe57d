import type { JsonObject } from '@modelport/core'
import { isObject } from '../../base/json.js'

/** Limits that a caller grants for a run; each only lowers what the agent allows. */
export interface GrantedLimits {
  /** Steps of the run. */
  readonly maxSteps?: number
  /** Model calls, attempts included. */
  readonly maxCalls?: number
  /** Executed tool calls. */
  readonly maxToolCalls?: number
  /** Milliseconds from the start of the run. */
  readonly maxRuntimeMs?: number
  /** Tokens of prompts. */
  readonly maxInputTokens?: number
  /** Generated tokens. */
  readonly maxOutputTokens?: number
}

/** Each limit, its name in Protolink, and how many of ours are one of theirs. */
const limits: readonly (readonly [keyof GrantedLimits, string, number])[] = [
  ['maxSteps', 'max_steps', 1],
  ['maxCalls', 'max_llm_calls', 1],
  ['maxToolCalls', 'max_tool_calls', 1],
  ['maxRuntimeMs', 'max_runtime_seconds', 1_000],
  ['maxInputTokens', 'max_input_tokens', 1],
  ['maxOutputTokens', 'max_output_tokens', 1],
]

/** Reads the limits of Protolink's `RunBudget` that are valid. */
export const fromProtolinkBudget = (budget: JsonObject): GrantedLimits =>
  readLimits(
    Object.fromEntries(
      limits.map(([name, wire, factor]) => {
        const value = budget[wire]
        return [name, typeof value === 'number' ? value * factor : undefined]
      }),
    ),
  )

/** Reads limits by their own names, and leaves out what is not a number of at least 0. */
export const readLimits = (value: Readonly<Record<string, unknown>>): GrantedLimits =>
  Object.fromEntries(
    limits.flatMap(([name]) => {
      const limit = value[name]
      return typeof limit === 'number' && Number.isFinite(limit) && limit >= 0 ? [[name, limit]] : []
    }),
  )

/** The limits as Protolink's `RunBudget` names them. */
export const toProtolinkBudget = (granted: GrantedLimits): JsonObject =>
  Object.fromEntries(
    limits.flatMap(([name, wire, factor]) => {
      const limit = granted[name]
      return limit === undefined ? [] : [[wire, limit / factor]]
    }),
  )

/** Permissions as Protolink's policy reads them: the default denies, and what is permitted is named. */
export const toProtolinkPermissions = (permissions: readonly string[]): JsonObject => ({
  default: 'deny',
  capabilities: Object.fromEntries(permissions.map((name) => [name, 'allow'])),
})

/**
 * Reads Protolink's permission rules as a list of what is permitted. Unset if the rules permit everything. Rules that a list cannot express, because
 * they deny single capabilities or ask for approval, permit nothing.
 */
export function fromProtolinkPermissions(rules: JsonObject): readonly string[] | undefined {
  const { default: fallback, capabilities, ...plain } = rules
  const entries = Object.entries(isObject(capabilities) ? capabilities : plain)
  if (!entries.every(([, rule]) => effectOf(rule) === 'allow')) return []
  if (fallback === undefined || fallback === null || effectOf(fallback) === 'allow') return undefined
  return effectOf(fallback) === 'deny' ? entries.map(([name]) => name) : []
}

/** The effect of a rule in any of Protolink's spellings. An object that names no effect is a grant with a scope. */
function effectOf(rule: unknown): string {
  if (typeof rule === 'boolean') return rule ? 'allow' : 'deny'
  if (isObject(rule)) return effectOf(rule['effect'] ?? rule['decision'] ?? rule['mode'] ?? true)
  if (typeof rule !== 'string') return 'unknown'
  const effect = rule.trim().toLowerCase()
  return effect === 'allowed' ? 'allow' : effect === 'denied' ? 'deny' : effect
}
