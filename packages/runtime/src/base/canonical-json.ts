import { isObject } from '@modelport/core'

/**
 * JSON with sorted keys and no space: the same text for the same value, whatever the order it was
 * written in.
 */
export function canonicalJson(value: unknown): string {
  // undefined and functions have no JSON, whatever the type of stringify says.
  const text = JSON.stringify(sorted(value)) as string | undefined
  return text ?? 'null'
}

/** A copy with sorted keys. A replacer of `JSON.stringify` would take three times as long. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const { toJSON } = value as { readonly toJSON?: unknown }
  if (typeof toJSON === 'function') return sorted(Reflect.apply(toJSON, value, ['']))
  if (!isObject(value)) return Array.isArray(value) ? value.map(sorted) : value
  const names = Object.keys(value).sort()
  // A key `__proto__` cannot be assigned.
  if (names.includes('__proto__'))
    return Object.fromEntries(names.map((name) => [name, sorted(value[name])]))
  const copy: Record<string, unknown> = {}
  for (const name of names) copy[name] = sorted(value[name])
  return copy
}
