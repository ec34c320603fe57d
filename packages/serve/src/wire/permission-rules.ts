import { isObject, type JsonObject } from '@modelport/core'

/**
 * Reads permission rules as a list of permitted capabilities. Unset if the rules permit everything.
 * Rules that a list cannot express, because they deny single capabilities or ask for approval,
 * permit nothing.
 */
export function readPermissionRules(rules: JsonObject): readonly string[] | undefined {
  const { default: fallback, capabilities, ...plain } = rules
  const entries = Object.entries(isObject(capabilities) ? capabilities : plain)
  if (!entries.every(([, rule]) => effectOf(rule) === 'allow')) return []
  if (fallback === undefined || fallback === null || effectOf(fallback) === 'allow')
    return undefined
  return effectOf(fallback) === 'deny' ? entries.map(([name]) => name) : []
}

/**
 * The effect of a rule in any of its spellings. An object that names no effect is a grant with a
 * scope.
 */
function effectOf(rule: unknown): string {
  if (typeof rule === 'boolean') return rule ? 'allow' : 'deny'
  if (isObject(rule)) return effectOf(rule['effect'] ?? rule['decision'] ?? rule['mode'] ?? true)
  if (typeof rule !== 'string') return 'unknown'
  const effect = rule.trim().toLowerCase()
  return effect === 'allowed' ? 'allow' : effect === 'denied' ? 'deny' : effect
}
